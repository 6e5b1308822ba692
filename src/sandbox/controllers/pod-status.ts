import { assertNever } from '../../core/object/assert-never.ts';
import { timestamp } from '../objects/api-object.ts';
import type { Scenario, Stage } from './pod-life.ts';
import { type Condition, type Pod, withCondition } from './workload-types.ts';

/** Where and since when a pod is. */
export interface Placement {
  /** ms since 1970 when the pod was placed. */
  readonly placed: number;
  readonly podIP: string;
  readonly hostIP: string;
}

function containerState({ state, since }: Stage, image: string, { placed }: Placement): Record<string, unknown> {
  const startedAt = timestamp(placed + since);
  switch (state.kind) {
    case 'creating':
      return { state: { waiting: { reason: 'ContainerCreating' } } };
    case 'running':
      return { state: { running: { startedAt } } };
    case 'pull-error': {
      const reason = state.backingOff ? 'ImagePullBackOff' : 'ErrImagePull';
      const message = state.backingOff
        ? `Back-off pulling image "${image}"`
        : `failed to pull and unpack image "${image}": not found`;
      return { state: { waiting: { reason, message } } };
    }
    case 'backing-off': {
      const terminated = { exitCode: state.exitCode, reason: state.reason, finishedAt: startedAt };
      const message = `back-off ${state.seconds}s restarting failed container`;
      return { state: { waiting: { reason: 'CrashLoopBackOff', message } }, lastState: { terminated } };
    }
    case 'ended':
      return { state: { terminated: { exitCode: state.exitCode, reason: state.reason, finishedAt: startedAt } } };
    default:
      return assertNever(state);
  }
}

function phaseOf({ state }: Stage): string {
  switch (state.kind) {
    case 'creating':
    case 'pull-error':
      return 'Pending';
    case 'running':
    case 'backing-off':
      return 'Running';
    case 'ended':
      return state.exitCode === 0 ? 'Succeeded' : 'Failed';
    default:
      return assertNever(state);
  }
}

function condition(
  type: string,
  value: boolean,
  reason?: string,
  message?: string,
): Omit<Condition, 'lastTransitionTime'> {
  return {
    type,
    status: value ? 'True' : 'False',
    ...(value || reason === undefined ? {} : { reason }),
    ...(value || message === undefined ? {} : { message }),
  };
}

/** The status that the kubelet would report for a stage of a pod's life. */
export function podStatus(pod: Pod, stage: Stage, placement: Placement): Record<string, unknown> {
  const { containers } = pod.spec;
  const ready = stage.state.kind === 'running' && stage.state.ready;
  const completed = stage.state.kind === 'ended' && stage.state.exitCode === 0;
  const names = containers.map(({ name }) => name).join(' ');
  const unready = completed ? 'PodCompleted' : 'ContainersNotReady';
  const why = completed ? undefined : `containers with unready status: [${names}]`;
  const conditions = [
    condition('PodScheduled', true),
    condition('Initialized', true),
    condition('ContainersReady', ready, unready, why),
    condition('Ready', ready, unready, why),
  ].reduce<readonly Condition[]>(
    (list, one) => withCondition(list, one, timestamp(placement.placed + stage.since)),
    pod.status?.conditions ?? [],
  );
  return {
    phase: phaseOf(stage),
    conditions,
    hostIP: placement.hostIP,
    podIP: placement.podIP,
    podIPs: [{ ip: placement.podIP }],
    startTime: timestamp(placement.placed),
    qosClass: 'BestEffort',
    containerStatuses: containers.map(({ name, image }) => ({
      name,
      image,
      imageID: stage.state.kind === 'creating' || stage.state.kind === 'pull-error' ? '' : image,
      ready,
      started: stage.state.kind === 'running',
      restartCount: stage.restarts,
      ...containerState(stage, image, placement),
    })),
  };
}

/** The Event that a stage begins with. */
export interface StageEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export function stageEvents({ spec }: Pod, { state }: Stage, scenario: Scenario): StageEvent[] {
  const [{ name, image } = { name: '', image: '' }] = spec.containers;
  switch (state.kind) {
    case 'creating':
      return [{ type: 'Normal', reason: 'Pulling', message: `Pulling image "${image}"` }];
    case 'pull-error':
      return state.backingOff
        ? [{ type: 'Warning', reason: 'BackOff', message: `Back-off pulling image "${image}"` }]
        : [{ type: 'Warning', reason: 'Failed', message: `Failed to pull image "${image}": not found` }];
    case 'backing-off':
      return [{ type: 'Warning', reason: 'BackOff', message: `Back-off restarting failed container ${name}` }];
    case 'running': {
      const started: StageEvent = { type: 'Normal', reason: 'Started', message: `Started container ${name}` };
      const crashes = scenario.kind === 'crash-loop' || scenario.kind === 'oom';
      if (state.ready || crashes) return [started];
      return [
        started,
        {
          type: 'Warning',
          reason: 'Unhealthy',
          message: 'Readiness probe failed: HTTP probe failed with statuscode: 503',
        },
      ];
    }
    case 'ended':
      return [];
    default:
      return assertNever(state);
  }
}
