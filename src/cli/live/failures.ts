import { ConvoyError } from '../../core/errors/index.ts';
import { ApiError, TransportError } from '../../ports/errors.ts';

/** `WHAT; MEND` as its two parts; clients write their messages so. */
function parts(message: string): { readonly what: string; readonly mend: string } {
  const end = message.lastIndexOf('; ');
  return end < 0
    ? { what: message, mend: 'try `convoy doctor`' }
    : { what: message.slice(0, end), mend: message.slice(end + 2) };
}

/** What a client of a cluster threw, as the line for the user and its exit code. Anything else comes back as it is. */
export function asConvoyError(error: unknown): unknown {
  if (error instanceof TransportError) {
    // That the client pauses (`open`) is no news behind the end of a command.
    const message = error.fault === 'open' ? error.message.replace(/ \([^()]*\)$/, '') : error.message;
    return new ConvoyError(error.fault === 'credentials' ? 'KubeconfigUnusable' : 'ClusterUnreachable', {
      ...parts(message),
    });
  }
  if (error instanceof ApiError) return new ConvoyError('ClusterRefused', { ...parts(error.message) });
  return error;
}

/** Does a work on a cluster, with its failures as ConvoyErrors: KubeconfigUnusable, ClusterUnreachable, ClusterRefused. */
export async function withClusterErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw asConvoyError(error);
  }
}

/** The server answered that this is not there. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === 404;
}

/** Answers that waiting does not change: who asks may not. */
export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.code === 401 || error.code === 403);
}
