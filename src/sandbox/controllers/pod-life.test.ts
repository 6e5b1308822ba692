import { describe, expect, it } from 'vitest';
import { type LifeOptions, parseScenario, type Stage, scenarioOf, stageAt } from './pod-life.ts';

const SERVICE: LifeOptions = { start: 1_000, work: undefined, restarts: true };

/** Every stage until a time, as `at: state`. */
function life(text: string, until: number, options = SERVICE): string[] {
  const scenario = parseScenario(text);
  if (scenario === undefined) throw new Error(`${text} is no scenario`);
  const told: string[] = [];
  for (let at: number | undefined = 0; at !== undefined && at <= until; ) {
    const stage: Stage = stageAt(scenario, at, options);
    const { state, restarts, since } = stage;
    const detail = state.kind === 'running' ? (state.ready ? ' ready' : ' not ready') : '';
    told.push(`${since / 1000}s ${state.kind}${detail}${restarts > 0 ? ` restarts=${restarts}` : ''}`);
    at = stage.until;
  }
  return told;
}

describe('the life of a pod', () => {
  it.each([
    ['healthy', ['0s creating', '1s running ready']],
    ['slow:30s', ['0s creating', '1s running not ready', '31s running ready']],
    ['never-ready', ['0s creating', '1s running not ready']],
    ['image-pull', ['0s creating', '1s pull-error', '3s pull-error']],
    [
      'crash-loop',
      [
        '0s creating',
        '1s running not ready',
        '2s backing-off',
        '12s running not ready restarts=1',
        '13s backing-off restarts=1',
        '33s running not ready restarts=2',
        '34s backing-off restarts=2',
      ],
    ],
    ['flap', ['0s creating', '1s running ready', '16s running not ready', '31s running ready']],
  ])('%s', (text, stages) => {
    expect(life(text, 40_000)).toEqual(stages);
  });

  it('of a Job ends', () => {
    const job = { start: 1_000, work: 2_000, restarts: false };
    expect(life('healthy', 9_000, job)).toEqual(['0s creating', '1s running ready', '3s ended']);
    expect(life('crash-loop', 9_000, job)).toEqual(['0s creating', '1s running not ready', '2s ended']);
  });

  it('backs off by at most five minutes', () => {
    const scenario = { kind: 'crash-loop', readyAfter: 0 } as const;
    const { state } = stageAt(scenario, 86_400_000 + 200_000, SERVICE);
    expect(state).toMatchObject({ kind: 'backing-off', seconds: 300 });
  });
});

describe('the scenario of a pod', () => {
  const say = (text: string): Record<string, string> => ({ 'sandbox.convoy.kumodo.io/scenario': text });

  it('is what the nearest annotation says, else what the tag of an image says', () => {
    expect(scenarioOf([say('oom'), say('flap')], ['app:broken']).kind).toBe('oom');
    expect(scenarioOf([undefined, say('flap')], ['app:broken']).kind).toBe('flap');
    expect(scenarioOf([undefined], ['proxy:1', 'host:5000/app:broken']).kind).toBe('crash-loop');
    expect(scenarioOf([say('nonsense')], ['host:5000/app']).kind).toBe('healthy');
  });
});
