import { describe, expect, it } from 'vitest';
import { COMMITTED, readAnswers } from './committed-answers.ts';
import { compareAnswers, expressionsOf } from './compare.ts';

describe.each(COMMITTED.modes)('random expressions as Kubernetes %s answers them', (mode) => {
  it('give the same value, error or refusal at the same cost, but for the listed deviations', () => {
    const expressions = expressionsOf(COMMITTED.count, COMMITTED.seed);
    const answers = readAnswers(mode);
    expect(answers).toHaveLength(expressions.length);
    expect(compareAnswers(expressions, answers, mode).differences).toEqual([]);
  });
});
