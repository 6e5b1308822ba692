import { asInteger, asMap } from '../object/fields.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';
import type { VerdictReason } from './verdict.ts';

/** A failure that is found before a rule runs. */
export interface PreambleFailure {
  readonly reason: Extract<VerdictReason, 'Terminating' | 'StaleStatus'>;
  readonly message: string;
}

/**
 * The Standard preamble: an object on its way out, and a status that speaks of an older generation
 * (observedGeneration < generation; "the spec has moved on", Kubernetes API conventions). Undefined: neither.
 */
export function preambleFailure(object: KubernetesObject): PreambleFailure | undefined {
  const metadata = asMap(object['metadata']);
  const deletion = metadata['deletionTimestamp'];
  if (deletion !== undefined && deletion !== null) {
    return { reason: 'Terminating', message: terminatingMessage(deletion, metadata['finalizers']) };
  }
  const observed = asInteger(asMap(object['status'])['observedGeneration']);
  const generation = asInteger(metadata['generation']);
  if (observed !== undefined && generation !== undefined && observed < generation) {
    return { reason: 'StaleStatus', message: `status is of generation ${observed}, the object is at ${generation}` };
  }
  return undefined;
}

function terminatingMessage(deletion: unknown, finalizers: unknown): string {
  const since = typeof deletion === 'string' ? ` since ${deletion}` : '';
  const names = Array.isArray(finalizers) ? finalizers.filter((name) => typeof name === 'string') : [];
  const waiting = names.length > 0 ? `, waits for finalizer ${names.slice(0, 3).join(', ')}` : '';
  return `being deleted${since}${waiting}`;
}
