import { asMap } from '../../core/object/fields.ts';

/**
 * What happens to a pod:
 * - `healthy` starts and stays ready
 * - `slow` is ready only after a while
 * - `never-ready` runs, but its probe never succeeds
 * - `crash-loop` its container exits with 1, again and again
 * - `oom` its container is killed for its memory, again and again
 * - `image-pull` its image cannot be had
 * - `unschedulable` no node takes it
 * - `flap` is ready and not ready in turns
 */
export type ScenarioKind =
  | 'healthy'
  | 'slow'
  | 'never-ready'
  | 'crash-loop'
  | 'oom'
  | 'image-pull'
  | 'unschedulable'
  | 'flap';

export interface Scenario {
  readonly kind: ScenarioKind;
  /** ms until it is ready, for `slow`. */
  readonly readyAfter: number;
}

export const SCENARIO_ANNOTATION = 'sandbox.convoy.kumodo.io/scenario';

const KINDS: readonly ScenarioKind[] = [
  'healthy',
  'slow',
  'never-ready',
  'crash-loop',
  'oom',
  'image-pull',
  'unschedulable',
  'flap',
];
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const SLOW = 30_000;

/** Tags that stand for a scenario, for manifests that cannot be annotated. */
const TAGS: Readonly<Record<string, ScenarioKind>> = {
  broken: 'crash-loop',
  missing: 'image-pull',
  'never-ready': 'never-ready',
  oom: 'oom',
  slow: 'slow',
};

/** The scenario that an annotation's value names: `crash-loop`, `slow:45s`. Undefined for what is none. */
export function parseScenario(text: string): Scenario | undefined {
  const [, name = '', amount = '', unit = ''] = /^([a-z-]+)(?::(\d+)(ms|s|m|h))?$/.exec(text.trim()) ?? [];
  const kind = KINDS.find((one) => one === name);
  if (kind === undefined) return undefined;
  return { kind, readyAfter: amount === '' ? SLOW : Number(amount) * (UNITS[unit] ?? 1) };
}

/** The scenario of a pod: what the annotations say, the nearest first; else the tag of an image. */
export function scenarioOf(annotations: readonly unknown[], images: readonly string[]): Scenario {
  for (const one of annotations) {
    const text = asMap(one)[SCENARIO_ANNOTATION];
    const scenario = typeof text === 'string' ? parseScenario(text) : undefined;
    if (scenario !== undefined) return scenario;
  }
  for (const image of images) {
    const kind = TAGS[/:([^:/]+)$/.exec(image)?.[1] ?? ''];
    if (kind !== undefined) return { kind, readyAfter: SLOW };
  }
  return { kind: 'healthy', readyAfter: 0 };
}

/** What a container is doing. */
export type ContainerState =
  | { readonly kind: 'creating' }
  | { readonly kind: 'pull-error'; readonly backingOff: boolean }
  | { readonly kind: 'running'; readonly ready: boolean }
  | { readonly kind: 'backing-off'; readonly exitCode: number; readonly reason: string; readonly seconds: number }
  | { readonly kind: 'ended'; readonly exitCode: number; readonly reason: string };

/** A part of a pod's life. */
export interface Stage {
  readonly state: ContainerState;
  readonly restarts: number;
  /** ms since the pod was placed on its node, when the stage began. */
  readonly since: number;
  /** When the next stage begins; undefined: this is the last. */
  readonly until: number | undefined;
}

export interface LifeOptions {
  /** ms from placement to running. */
  readonly start: number;
  /** ms that a container of a Job works; undefined for one that shall not end. */
  readonly work: number | undefined;
  readonly restarts: boolean;
}

/** A crashing container lives this long. */
const CRASH = 1_000;
/** The kubelet's back-off of restarts: 10 s, doubled each time, at most 5 minutes. */
const BACK_OFF = 10_000;
const LONGEST_BACK_OFF = 300_000;
const FLAP = 15_000;
/** ErrImagePull turns into ImagePullBackOff. */
const PULL = 2_000;

/** The stage that a pod is in, so many ms after it was placed on a node. */
export function stageAt(scenario: Scenario, elapsed: number, options: LifeOptions): Stage {
  const { start } = options;
  if (elapsed < start) return { state: { kind: 'creating' }, restarts: 0, since: 0, until: start };
  switch (scenario.kind) {
    case 'healthy':
    case 'unschedulable':
      return working(elapsed, options, start);
    case 'slow':
      return elapsed < start + scenario.readyAfter
        ? { state: { kind: 'running', ready: false }, restarts: 0, since: start, until: start + scenario.readyAfter }
        : working(elapsed, options, start + scenario.readyAfter);
    case 'never-ready':
      return { state: { kind: 'running', ready: false }, restarts: 0, since: start, until: undefined };
    case 'image-pull':
      return elapsed < start + PULL
        ? { state: { kind: 'pull-error', backingOff: false }, restarts: 0, since: start, until: start + PULL }
        : { state: { kind: 'pull-error', backingOff: true }, restarts: 0, since: start + PULL, until: undefined };
    case 'crash-loop':
      return crashing(elapsed, options, 1, 'Error');
    case 'oom':
      return crashing(elapsed, options, 137, 'OOMKilled');
    case 'flap': {
      const turn = Math.floor((elapsed - start) / FLAP);
      const since = start + turn * FLAP;
      return { state: { kind: 'running', ready: turn % 2 === 0 }, restarts: 0, since, until: since + FLAP };
    }
  }
}

function working(elapsed: number, { work }: LifeOptions, from: number): Stage {
  if (work === undefined)
    return { state: { kind: 'running', ready: true }, restarts: 0, since: from, until: undefined };
  return elapsed < from + work
    ? { state: { kind: 'running', ready: true }, restarts: 0, since: from, until: from + work }
    : { state: { kind: 'ended', exitCode: 0, reason: 'Completed' }, restarts: 0, since: from + work, until: undefined };
}

function crashing(elapsed: number, { start, restarts }: LifeOptions, exitCode: number, reason: string): Stage {
  let since = start;
  for (let count = 0; ; count += 1) {
    const crash = since + CRASH;
    if (elapsed < crash) return { state: { kind: 'running', ready: false }, restarts: count, since, until: crash };
    if (!restarts)
      return { state: { kind: 'ended', exitCode, reason }, restarts: count, since: crash, until: undefined };
    const wait = Math.min(BACK_OFF * 2 ** count, LONGEST_BACK_OFF);
    if (elapsed < crash + wait) {
      const state = { kind: 'backing-off', exitCode, reason, seconds: wait / 1000 } as const;
      return { state, restarts: count, since: crash, until: crash + wait };
    }
    since = crash + wait;
  }
}
