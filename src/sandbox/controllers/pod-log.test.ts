import { describe, expect, it } from 'vitest';
import { parseScenario } from './pod-life.ts';
import { runsOf } from './pod-log.ts';

const SERVICE = { start: 1_000, work: undefined, restarts: true };

function runs(text: string, elapsed: number, options: Parameters<typeof runsOf>[3] = SERVICE): string[] {
  const scenario = parseScenario(text);
  if (scenario === undefined) throw new Error(`${text} is no scenario`);
  return runsOf('app', scenario, elapsed, options).map(({ restarts, lines, ended }) => {
    const told = lines.map(({ since, text: line }) => `${since} ${line}`).join(', ');
    return `${restarts}: ${told}${ended ? '.' : ''}`;
  });
}

describe('the log of a container', () => {
  it.each<[string, number, readonly string[]]>([
    ['healthy', 500, []],
    ['healthy', 2_000, ['0: 1000 app starts, 1000 app is ready']],
    ['slow:5s', 9_000, ['0: 1000 app starts, 1000 app waits, 6000 app is ready']],
    ['image-pull', 60_000, []],
    ['crash-loop', 2_500, ['0: 1000 app starts, 1000 app waits, 2000 app ends: Error.']],
    [
      'crash-loop',
      12_500,
      ['0: 1000 app starts, 1000 app waits, 2000 app ends: Error.', '1: 12000 app starts, 12000 app waits'],
    ],
    [
      'oom',
      34_000,
      [
        '1: 12000 app starts, 12000 app waits, 13000 app ends: OOMKilled.',
        '2: 33000 app starts, 33000 app waits, 34000 app ends: OOMKilled.',
      ],
    ],
  ])('of a pod that is %s, after %i ms', (scenario, elapsed, expected) => {
    expect(runs(scenario, elapsed)).toEqual(expected);
  });

  it('of a Job ends with its work', () => {
    const job = { start: 1_000, work: 3_000, restarts: false };
    expect(runs('healthy', 9_000, job)).toEqual(['0: 1000 app starts, 1000 app is ready, 4000 app ends: Completed.']);
  });
});
