import { asMap, asString } from '../object/fields.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';
import { ObjectIndex } from '../object/object-index.ts';
import { judge } from './assess.ts';
import { findCause } from './cause.ts';
import type { CompiledRules } from './compile.ts';
import { objectClock } from './deadline.ts';
import type { RelatedLookup } from './evaluate-rule.ts';
import { fitMessage } from './message.ts';
import type { Verdict } from './verdict.ts';

export interface AssessObjectsOptions {
  /** ms since 1970. */
  readonly now: number;
  /** ms. Unset: time alone never makes an object Degraded. Set: an object's clock starts at `objectClock`. */
  readonly deadline?: number;
  readonly failFast: boolean;
  /** Objects that are not judged but known: what those of the input own, want to see or are told about by Events. */
  readonly context?: readonly KubernetesObject[];
}

/** What is known of one object of an input. */
export interface Assessment {
  /** Position in the input. */
  readonly index: number;
  readonly object: KubernetesObject;
  readonly verdict: Verdict;
  /** Why an unhealthy object is so, from the objects beside it: `pod web-x2 ImagePullBackOff: …`. At most 200 bytes. */
  readonly cause?: string;
}

/** Judges the objects of one input with each other, and those of `context`, around them; same order, one walk each (linear). Never throws. */
export function assessObjects(
  objects: readonly KubernetesObject[],
  rules: CompiledRules,
  options: AssessObjectsOptions,
): readonly Assessment[] {
  const { context = [] } = options;
  const index = new ObjectIndex(context.length === 0 ? objects : [...context, ...objects]);
  return objects.map((object, position) => {
    const firstUnhealthy = options.deadline === undefined ? undefined : objectClock(object);
    const { verdict } = judge({ ...options, object, rules, firstUnhealthy, related: relatedAmong(index, object) });
    const cause = wantsCause(verdict) ? causeBeside(object, verdict, index) : undefined;
    return { index: position, object, verdict, ...(cause === undefined ? {} : { cause }) };
  });
}

/** Finds related objects among those of the input: cluster-scoped or of the object's own namespace, never a Secret. */
export function relatedAmong(index: ObjectIndex, object: KubernetesObject): RelatedLookup {
  return (reference, name) =>
    reference.resource === 'secrets'
      ? null
      : (index.find(reference.apiVersion, reference.resource, asString(asMap(object['metadata'])['namespace']), name) ??
        null);
}

/** The message with its cause behind, as an inventory entry and a table row show it. */
export function withCause(message: string, cause: string | undefined): string {
  if (cause === undefined || cause === '') return message;
  return fitMessage(message === '' ? cause : `${message}: ${cause}`);
}

/** Whether a cause helps: what waits because somebody asked it to, and what is on its way out, explains itself. */
export function wantsCause({ state, reason }: { readonly state: Verdict['state']; readonly reason: string }): boolean {
  if (state !== 'Progressing' && state !== 'Degraded') return false;
  return reason !== 'Terminating' && reason !== 'Suspended';
}

function causeBeside(object: KubernetesObject, verdict: Verdict, index: ObjectIndex): string | undefined {
  const cause = findCause(object, index);
  return cause === undefined || tellsAlready(verdict.message, cause) ? undefined : cause;
}

/** Whether a message tells a cause already, in whole or by its second half (`FailedScheduling: 0/3 nodes …`). */
export function tellsAlready(message: string, cause: string): boolean {
  const detail = cause.slice(cause.indexOf(': ') + 1).trim();
  return detail !== '' && message.includes(detail);
}
