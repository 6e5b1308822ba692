import { describe, expect, it } from 'vitest';
import { diffText } from './diff-text.ts';
import { afterComparison, afterFight, type Finding } from './drift-record.ts';
import { driftedCondition, notCompared } from './drifted-condition.ts';

const drifted = (...paths: readonly [path: string, manager: string][]): Finding => ({
  kind: 'drifted',
  paths: paths.map(([path, manager]) => ({ path, manager, live: '5', wanted: '3' })),
  unheld: false,
  lastWriter: '',
});
const compared = (name: string, finding: Finding) => ({
  entry: { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'shop', name },
  record: afterComparison(undefined, { renderRef: 'r', content: '' }, finding, 0),
});
const SAME: Finding = { kind: 'same' };

describe('the condition Drifted', () => {
  it('of a Release that is as rendered', () => {
    expect(driftedCondition([compared('a', SAME), compared('b', SAME)])).toEqual({
      status: 'False',
      reason: 'InSync',
      message: '2 resources are as rendered',
    });
    expect(driftedCondition([compared('a', SAME)]).message).toBe('1 resource is as rendered');
  });

  it('names objects, paths and who holds them', () => {
    const objects = [
      compared('a', drifted(['.spec.replicas', 'kubectl-edit'])),
      compared('b', { kind: 'missing' }),
      compared('c', SAME),
    ];
    expect(driftedCondition(objects)).toEqual({
      status: 'True',
      reason: 'Drifted',
      message:
        '2 of 3 resources differ: Deployment shop/a: .spec.replicas (kubectl-edit); Deployment shop/b is missing',
    });
  });

  it('names at most three of each', () => {
    const many = drifted(['.a', ''], ['.b', ''], ['.c', ''], ['.d', ''], ['.e', '']);
    const objects = ['a', 'b', 'c', 'd', 'e'].map((name) => compared(name, many));
    const each = (name: string): string => `Deployment shop/${name}: .a, .b, .c, and 2 more`;
    expect(driftedCondition(objects).message).toBe(
      `5 of 5 resources differ: ${each('a')}; ${each('b')}; ${each('c')}; and 2 more`,
    );
  });

  it('tells of a fight before anything else', () => {
    const { entry, record } = compared('a', drifted(['.spec.replicas', 'scaler']));
    const objects = [compared('b', { kind: 'missing' }), { entry, record: afterFight(record, 'scaler') }];
    expect(driftedCondition(objects)).toEqual({
      status: 'True',
      reason: 'DriftFight',
      message:
        'corrections have stopped: Deployment shop/a: scaler changed .spec.replicas after each of 5 corrections in 10 minutes',
    });
  });

  it('is not known where an object cannot be compared, unless another one differs', () => {
    const failed = compared('a', { kind: 'failed', message: 'forbidden' });
    expect(driftedCondition([failed, compared('b', SAME)])).toEqual({
      status: 'Unknown',
      reason: 'NotCompared',
      message: 'not compared: Deployment shop/a: forbidden',
    });
    expect(driftedCondition([failed, compared('b', { kind: 'missing' })]).status).toBe('True');
    expect(notCompared('ClusterUnreachable', 'no route').status).toBe('Unknown');
  });

  it('stays within its bound', () => {
    const long = drifted([`.data.${'k'.repeat(900)}`, 'x'], [`.data.${'l'.repeat(900)}`, 'x']);
    expect(driftedCondition([compared('a', long)]).message.length).toBeLessThanOrEqual(1024);
  });
});

describe('a diff', () => {
  it('goes from what is on the cluster to what is rendered', () => {
    const diff = (name: string, finding: Finding) => ({ entry: compared(name, finding).entry, finding });
    const added: Finding = {
      ...SAME,
      kind: 'drifted',
      unheld: false,
      lastWriter: '',
      paths: [{ path: '.data.x', manager: '', live: undefined, wanted: '"y"' }],
    };
    expect(
      diffText([
        diff('a', drifted(['.spec.replicas', 'kubectl-edit'])),
        diff('b', SAME),
        diff('c', { kind: 'missing' }),
        diff('d', { kind: 'failed', message: 'forbidden' }),
        diff('e', added),
      ]),
    ).toBe(
      [
        'apps/v1 Deployment shop/a',
        '  .spec.replicas: 5 → 3  (kubectl-edit)',
        'apps/v1 Deployment shop/c',
        '  is not on the cluster',
        'apps/v1 Deployment shop/d',
        '  cannot be compared: forbidden',
        'apps/v1 Deployment shop/e',
        '  .data.x: absent → "y"',
        '',
      ].join('\n'),
    );
    expect(diffText([diff('b', SAME)])).toBe('');
  });
});
