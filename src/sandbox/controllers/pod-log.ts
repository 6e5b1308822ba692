import { type LifeOptions, type Scenario, type Stage, stageAt } from './pod-life.ts';

export interface LogLine {
  /** ms since the pod was placed on its node. */
  readonly since: number;
  readonly text: string;
}

/** What one run of a container wrote. */
export interface RunLog {
  /** How many runs there were before. */
  readonly restarts: number;
  readonly lines: readonly LogLine[];
  /** Whether it has ended: nothing more will come. */
  readonly ended: boolean;
}

function line(container: string, { state }: Stage): string | undefined {
  switch (state.kind) {
    case 'running':
      return state.ready ? `${container} is ready` : `${container} waits`;
    case 'ended':
    case 'backing-off':
      return `${container} ends: ${state.reason}`;
    case 'creating':
    case 'pull-error':
      return undefined;
  }
}

/** The runs of a container in so many ms since its pod was placed, made up from its scenario: the last two of them. */
export function runsOf(
  container: string,
  scenario: Scenario,
  elapsed: number,
  options: LifeOptions,
): readonly RunLog[] {
  let runs: readonly { restarts: number; lines: LogLine[]; ended: boolean }[] = [];
  for (let at: number | undefined = 0; at !== undefined && at <= elapsed; ) {
    const stage: Stage = stageAt(scenario, at, options);
    const text = line(container, stage);
    if (text !== undefined) {
      let run = runs.at(-1);
      if (run === undefined || run.restarts !== stage.restarts) {
        run = { restarts: stage.restarts, lines: [{ since: stage.since, text: `${container} starts` }], ended: false };
        runs = [...runs.slice(-1), run];
      }
      run.lines.push({ since: stage.since, text });
      run.ended = stage.state.kind !== 'running';
    }
    at = stage.until;
  }
  return runs;
}
