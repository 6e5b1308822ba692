import { CelObject } from './value/cel-object.ts';

/** Every way an evaluation can end without a value. The last four abort: no operator absorbs them. */
export type CelErrorCode =
  | 'no_such_key'
  | 'index_out_of_bounds'
  | 'bad_index'
  | 'no_such_overload'
  | 'overflow'
  | 'timestamp_overflow'
  | 'divide_by_zero'
  | 'modulus_by_zero'
  | 'nan_order'
  | 'optional_none'
  | 'bad_conversion'
  | 'bad_utf8'
  | 'bad_timezone'
  | 'invalid_regex'
  | 'bad_url'
  | 'bad_ip'
  | 'bad_cidr'
  | 'bad_quantity'
  | 'not_an_integer'
  | 'bad_semver'
  | 'not_iterable'
  | 'duplicate_key'
  | 'empty_list'
  | 'bad_argument'
  | 'nesting_too_deep'
  | 'invalid_binding'
  | 'unbound_variable'
  | 'function_threw'
  | 'not_supported'
  | 'internal'
  | 'cost_limit'
  | 'work_limit'
  | 'interrupted';

/**
 * The error value of CEL. Returned by evaluation, never thrown out of it, and no JavaScript `Error`: it carries no stack,
 * so that an error result costs no more than a value. `start` and `end` are UTF-16 offsets of the failing node in the
 * source, −1 while unknown (a library function does not know where it stands; the planner's node adds it).
 */
export class CelError extends CelObject {
  readonly code: CelErrorCode;
  readonly message: string;
  readonly start: number;
  readonly end: number;
  /** The path that was missing or wrong, as far as it is known: `obj.status.readyReplicas`. */
  readonly path: string | undefined;

  constructor(code: CelErrorCode, message: string, start = -1, end = -1, path?: string) {
    super();
    this.code = code;
    this.message = message;
    this.start = start;
    this.end = end;
    this.path = path;
  }

  /** The same error placed at a node, unless it already has a place. */
  at(start: number, end: number): CelError {
    return this.start >= 0 ? this : new CelError(this.code, this.message, start, end, this.path);
  }
}

export function isCelError(value: unknown): value is CelError {
  return value instanceof CelError;
}

/** What a caller's code threw, as text: it may throw anything, also what has no text. */
export function thrownText(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : String(thrown);
  } catch {
    return 'something without a text was thrown';
  }
}

/** Crosses the evaluator by `throw` because nothing may absorb it; `evaluate` turns it into its error. */
export class Abort {
  readonly error: CelError;
  constructor(error: CelError) {
    this.error = error;
  }
}
