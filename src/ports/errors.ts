/** The reason of a Status object: NotFound, AlreadyExists, Conflict, Invalid, Forbidden, Expired, TooManyRequests, … */
export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

/** The server answered, and the answer was no. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  readonly reason: string;
  readonly causes: readonly StatusCause[];
  /** Seconds, from the Status details or the Retry-After header. */
  readonly retryAfter: number | undefined;

  constructor(message: string, code: number, reason: string, causes: readonly StatusCause[] = [], retryAfter?: number) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.causes = causes;
    this.retryAfter = retryAfter;
  }
}

/**
 * - `unreachable` no connection, name not resolved, reset
 * - `timeout` no answer in time
 * - `tls` the certificate does not fit
 * - `protocol` an answer that is no Kubernetes answer: HTML, half a JSON
 * - `credentials` kubeconfig, exec plugin or token file gave none
 * - `open` the breaker is open after repeated failures
 */
export type TransportFault = 'unreachable' | 'timeout' | 'tls' | 'protocol' | 'credentials' | 'open';

/** The server could not be asked. The message names the context, the cluster and what to do. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly fault: TransportFault;

  constructor(fault: TransportFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}
