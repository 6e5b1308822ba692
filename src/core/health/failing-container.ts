import { asInteger, asList, asMap, asString, field } from '../object/fields.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';
import { ObjectIndex } from '../object/object-index.ts';
import { podsBelow } from './cause.ts';

/** A container whose log is worth reading. */
export interface FailingContainer {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** It waits to be started again: its log is that of the run before. */
  readonly previous: boolean;
}

interface Candidate extends FailingContainer {
  readonly weight: number;
}

/** How much the log of a container explains: one that ended badly, ended badly before, or runs and is not ready. 0: nothing. */
function weightOf(container: unknown): { readonly weight: number; readonly previous: boolean } {
  const failed = (terminated: unknown): boolean => {
    const code = asInteger(field(terminated, 'exitCode'));
    return code !== undefined && code !== 0n;
  };
  const state = field(container, 'state');
  const last = field(field(container, 'lastState'), 'terminated');
  if (failed(field(state, 'terminated'))) return { weight: 3, previous: false };
  const waits = field(state, 'waiting') !== undefined;
  // One that waits and never ran has no log.
  if (waits) return { weight: failed(last) ? 3 : 0, previous: true };
  if (field(container, 'ready') !== false || field(state, 'running') === undefined)
    return { weight: 0, previous: false };
  return { weight: failed(last) ? 2 : 1, previous: false };
}

/** The container below an object (or of it, when it is a pod) whose log explains most; `objects` are those around it. */
export function failingContainer(
  object: KubernetesObject,
  objects: readonly KubernetesObject[],
): FailingContainer | undefined {
  let worst: Candidate | undefined;
  for (const pod of podsBelow(object, new ObjectIndex(objects))) {
    const { namespace, name } = asMap(pod['metadata']);
    const status = asMap(pod['status']);
    for (const container of [...asList(status['initContainerStatuses']), ...asList(status['containerStatuses'])]) {
      const { weight, previous } = weightOf(container);
      if (weight === 0 || weight <= (worst?.weight ?? 0)) continue;
      worst = {
        namespace: asString(namespace),
        pod: asString(name),
        container: asString(field(container, 'name')),
        previous,
        weight,
      };
    }
  }
  if (worst === undefined) return undefined;
  const { weight: _weight, ...found } = worst;
  return found;
}
