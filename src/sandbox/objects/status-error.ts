import type { StatusCause } from '../../ports/errors.ts';

/** Reasons of metav1.Status that the sandbox answers with, and their HTTP codes. */
const CODES = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
} as const;

export type StatusReason = keyof typeof CODES;

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly causes?: readonly StatusCause[];
  /** Seconds. */
  readonly retryAfterSeconds?: number;
}

/** A refusal that the client gets as a Status object. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly reason: StatusReason;
  readonly code: number;
  readonly details: StatusDetails;

  constructor(reason: StatusReason, message: string, details: StatusDetails = {}) {
    // An answer and no defect: nobody reads where it was made, and a stack costs as much as the rest of a small request.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.reason = reason;
    this.code = CODES[reason];
    this.details = details;
  }

  toStatus(): Record<string, unknown> {
    const { causes, ...details } = this.details;
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      reason: this.reason,
      details: { ...details, ...(causes === undefined ? {} : { causes }) },
      code: this.code,
    };
  }
}

/** 422 with one cause for each field. */
export function invalid(
  kind: string,
  group: string,
  name: string,
  faults: readonly { readonly field: string; readonly message: string; readonly reason?: string }[],
): StatusError {
  const lines = faults.map(({ field, message }) => `${field}: ${message}`);
  const text = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
  const label = group === '' ? kind : `${kind}.${group}`;
  return new StatusError('Invalid', `${label} "${name}" is invalid: ${text}`, {
    name,
    group,
    kind,
    causes: faults.map(({ field, message, reason }) => ({ reason: reason ?? 'FieldValueInvalid', message, field })),
  });
}
