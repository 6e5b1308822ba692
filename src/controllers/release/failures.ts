import type { ObjectRef } from '../../core/object/kubernetes-object.ts';
import type { Failure } from '../../core/release/attempt/index.ts';
import { objectName } from '../../core/release/index.ts';
import { ApiError, TransportError } from '../../ports/errors.ts';

/** What a step came to. */
export type Step =
  /** Look again at once: something has changed. */
  | { readonly kind: 'again' }
  /** Look again in so many ms, or (infinite) when something happens. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** The attempt cannot go on. */
  | { readonly kind: 'failed'; readonly outcome: Failure; readonly message: string };

export const AGAIN: Step = { kind: 'again' };

export function wait(ms: number): Extract<Step, { readonly kind: 'wait' }> {
  return { kind: 'wait', ms };
}

/** The server answered that the object, or what holds it, is not there. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === 404;
}

/** What the API server says, with 500, of an apply with a field that its schema does not have, or a value of another type
 * (of a Secret, one that is no base64). */
const UNTYPED =
  /failed to (?:create typed patch object|convert new object) \([^)]*\)(?:: (?:errors: )?(?<first>\.[^\s:]+: expected \w+))?/;

/** A read of something whose name nothing can have: 400 is said to a read for no other reason. */
export function isImpossibleName(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 400;
}

/** The same request may succeed later: nobody was reached, or the server is busy. */
export function isTransient(error: unknown): boolean {
  if (error instanceof TransportError) return true;
  if (error instanceof ApiError && UNTYPED.test(error.message)) return false;
  return error instanceof ApiError && (error.code >= 500 || error.code === 429 || error.code === 408);
}

/** Somebody wrote between our read and our write: read again and decide again. */
export function isStale(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return isContended(error) || isFailedTest(error);
}

/** 409 of a server that could not write because others wrote at the same time; no conflict of field managers, which has causes. */
export function isContended(error: unknown): boolean {
  return error instanceof ApiError && error.code === 409 && error.reason === 'Conflict' && error.causes.length === 0;
}

/** 422 for a JSON patch of which a `test` failed; it carries no causes, unlike an object that is not valid. */
function isFailedTest(error: ApiError): boolean {
  return error.code === 422 && error.causes.length === 0;
}

/** Not valid, not allowed, too large, or a name that is none: the same request is refused again until somebody mends it. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403, 405, 413, 415, 422]);

export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && REFUSED.has(error.code) && !isStale(error);
}

/** What ends an attempt at an object; rethrows what another try may mend. Values of a Secret are never told. */
export function failureAt(ref: ObjectRef, error: unknown): Extract<Step, { readonly kind: 'failed' }> {
  if (!(error instanceof ApiError) || isTransient(error)) throw error;
  const owners = error.causes.filter(({ reason }) => reason === 'FieldManagerConflict');
  if (error.code === 409 && owners.length > 0) {
    const fields = owners.slice(0, 3).map(({ message, field }) => `${message}: ${field}`);
    const more = owners.length > 3 ? `, and ${owners.length - 3} more` : '';
    const mend = 'drop the fields, or set spec.syncPolicy.conflicts to Force';
    return { kind: 'failed', outcome: 'Conflict', message: `${objectName(ref)}: ${fields.join(', ')}${more}; ${mend}` };
  }
  return { kind: 'failed', outcome: 'ApplyFailed', message: `${objectName(ref)}: ${told(ref, error)}` };
}

function told({ group, kind }: ObjectRef, error: ApiError): string {
  if (group !== '' || kind !== 'Secret' || error.code === 403 || error.code === 404) return error.message;
  // Its words go on with the value; and where a value begins, others may follow that look like its words.
  const first = UNTYPED.exec(error.message)?.groups?.['first'];
  const fields = first ?? error.causes.map(({ field }) => field).join(', ');
  return `the server refused it (${error.reason}${fields === '' ? '' : `: ${fields}`}); its message may hold values and is not shown`;
}
