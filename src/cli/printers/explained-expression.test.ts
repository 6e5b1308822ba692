import { describe, expect, it } from 'vitest';
import { evaluateExpression } from '../../core/health/evaluate-expression.ts';
import { explainedExpression } from './explained-expression.ts';

const OBJECT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { replicas: 3 },
  status: { readyReplicas: 1, phase: 'Turning', parts: [1, 2] },
};

function explained(source: string, colour = false): readonly string[] {
  const result = evaluateExpression(source, OBJECT, { now: 0 });
  if (result.outcome === 'refused') throw new Error(result.issues.join('\n'));
  return explainedExpression(source, result.steps, colour);
}

describe('values under an expression', () => {
  it('stand under both sides of a comparison, its result behind', () => {
    expect(explained('status.?readyReplicas.orValue(0) == spec.?replicas.orValue(1)')).toEqual([
      'status.?readyReplicas.orValue(0) == spec.?replicas.orValue(1)',
      '1                                   3                          false',
    ]);
  });

  it('stand under the operator where more follows, in a row of their own where there is no room', () => {
    expect(explained('spec.replicas == 3 && !(1 == status.readyReplicas) || status.phase in ["x"]')).toEqual(
      [
        'spec.replicas == 3 && !(1 == status.readyReplicas) || status.phase in ["x"]',
        '3             true        true                        "Turning"    false',
        '                             1',
      ].map((line, row) => (row === 0 ? line : expect.any(String))),
    );
    const [, first, second] = explained('spec.replicas == 3 && !(1 == status.readyReplicas) || status.phase in ["x"]');
    expect(first?.slice(0, 18)).toBe('3             true');
    expect(first?.indexOf('true', 18)).toBe(26);
    expect(second?.trim()).toBe('1');
    expect(second?.indexOf('1')).toBe(29);
  });

  it('are missing under what was not asked', () => {
    expect(explained('spec.replicas == 1\n  && status.phase == "x"')).toEqual([
      'spec.replicas == 1',
      '3                   false',
      '  && status.phase == "x"',
    ]);
  });

  it('leave out the tail of an expression that was not asked', () => {
    const tail = Array.from({ length: 9 }, (_, place) => `  && status.x${place} == 1`).join('\n');
    const lines = explained(`spec.replicas == 1\n${tail}`);
    expect(lines.slice(2)).toEqual(['… (9 lines that were not asked)']);
  });

  it('tell an error once, where it came from', () => {
    expect(explained('status.nothing > spec.replicas')).toEqual([
      'status.nothing > spec.replicas',
      'error: no such key: nothing',
      '                 3',
    ]);
  });

  it('stand right with tabs, Windows line ends and characters of two units', () => {
    expect(explained('\t"😀" + kind != "" &&\r\n\tspec.replicas == 1\r\n')).toEqual([
      ' "😀" + kind != "" &&',
      '      "😀Deployment"',
      '        "Deployment"',
      '             true',
      ' spec.replicas == 1',
      ' 3                   false',
    ]);
  });

  it('are cut when they are long', () => {
    const [, values] = explained('status.phase + "0123456789012345678901234567890123456789"');
    expect(values).toMatch(/ "Turning\d{31}…$/);
  });

  it('that decided are marked with colour', () => {
    const [, values] = explained('spec.replicas == 3 && status.readyReplicas == 3', true);
    expect(values).toContain('\u001b[1;31m1\u001b[0m');
    expect(values?.startsWith('3 ')).toBe(true);
  });
});
