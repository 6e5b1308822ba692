import { describe, expect, it } from 'vitest';
import { statusError } from './failures.ts';

describe('a refusal that quotes the whole object', () => {
  it('keeps its beginning and the reason at its end, in one line of 500 characters', () => {
    const message = `"" is invalid: patch: Invalid value: "${'x'.repeat(2000)}": strict decoding error: unknown field "spec.replicass"`;
    const text = statusError({ message, reason: 'Invalid', code: 422 }, 'the cluster').message;
    expect(text).toMatch(
      /^the cluster: "" is invalid: patch: .*… ?x*": strict decoding error: unknown field "spec\.replicass"/,
    );
    expect(text.length).toBeLessThan(650);
  });
});
