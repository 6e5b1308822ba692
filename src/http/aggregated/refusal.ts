import type { JsonMap } from '../../core/object/fields.ts';

/** Reasons of metav1.Status and the codes that go with them. */
const CODES = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  InternalError: 500,
  ServiceUnavailable: 503,
} as const;

export type RefusalReason = keyof typeof CODES;

/** A request that is not done, told as Kubernetes tells it. The message is one line for a person. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly reason: RefusalReason;
  readonly code: number;
  readonly details: JsonMap;

  constructor(reason: RefusalReason, message: string, details: JsonMap = {}) {
    super(message);
    this.reason = reason;
    this.code = CODES[reason];
    this.details = details;
  }

  /** metav1.Status. */
  toStatus(): JsonMap {
    const { message, reason, code, details } = this;
    const some = Object.keys(details).length > 0 ? { details } : {};
    return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, ...some, code };
  }
}
