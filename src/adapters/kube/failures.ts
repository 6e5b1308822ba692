import { asList, asMap, asString, isMap } from '../../core/object/fields.ts';
import { ApiError, type StatusCause, TransportError } from '../../ports/errors.ts';
import { ProxyError } from './proxy-tunnel.ts';

/** Reasons of metav1.Status by HTTP code, for answers that carry no Status. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

const MENDS: Readonly<Record<number, string>> = {
  401: 'log in again, or check the user of the context',
  403: 'ask for the permission, or use another context',
  409: 'read it again and repeat the change',
  410: 'start again from a new list',
  413: 'make the object smaller',
  429: 'try again later',
};

function mendOf(code: number, message: string): string | undefined {
  // An apply with a field that the schema does not have, or a value of another type: the server says it with 500.
  if (/failed to (?:create typed patch|convert new) object/.test(message)) return 'mend the object';
  return MENDS[code] ?? (code >= 500 ? 'try again, and look at the log of the API server if it stays' : undefined);
}

/** Text of others as one line of at most 500 characters. */
function oneLine(text: string): string {
  const flat = text
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '?')
    .trim();
  // The server quotes the object that it refuses, and says why behind it.
  return flat.length <= 500 ? flat : `${flat.slice(0, 199)}…${flat.slice(-300)}`;
}

/** Seconds of a Retry-After header; dates (which the API server never sends) are left alone. */
function retryAfterOf(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header.trim()) ? Number(header) : undefined;
}

function causesOf(details: unknown): StatusCause[] {
  return asList(asMap(details)['causes']).map((item) => ({
    reason: asString(asMap(item)['reason']),
    message: asString(asMap(item)['message']),
    field: asString(asMap(item)['field']),
  }));
}

/** A Status object as the error it tells. */
export function statusError(status: unknown, description: string, code = 0, retryAfter?: number): ApiError {
  const map = asMap(status);
  const given = typeof map['code'] === 'number' ? map['code'] : code;
  const reason = asString(map['reason']) || REASONS[given] || 'Unknown';
  const seconds = asMap(map['details'])['retryAfterSeconds'];
  const message = oneLine(asString(map['message'])) || `the server answered ${given} (${reason})`;
  const mend = mendOf(given, message);
  return new ApiError(
    `${description}: ${message}${mend === undefined ? '' : `; ${mend}`}`,
    given,
    reason,
    causesOf(map['details']),
    typeof seconds === 'number' && seconds > 0 ? seconds : retryAfter,
  );
}

export interface FailedAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

export function isHtml(contentType: string, text: string): boolean {
  return contentType.includes('html') || /^\s*<(?:!doctype|html)/i.test(text.slice(0, 100));
}

/** The error of an answer with a status of 300 and more. */
export function answerError(answer: FailedAnswer, description: string): ApiError | TransportError {
  const { status, text } = answer;
  if (isHtml(answer.contentType, text)) return htmlError(status, description);
  const retryAfter = retryAfterOf(answer.retryAfter);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  if (isMap(body) && body['kind'] === 'Status') return statusError(body, description, status, retryAfter);
  if (status < 400) {
    const what = `the server answered ${status}, a redirection`;
    return new TransportError(
      'protocol',
      `${description}: ${what}; check that the server URL is that of the API server`,
    );
  }
  return statusError({ message: body === undefined ? text : '' }, description, status, retryAfter);
}

export function htmlError(status: number, description: string): TransportError {
  return new TransportError(
    'protocol',
    `${description}: an HTML page (status ${status}) where a Kubernetes answer should be; check that the server URL is right and no proxy or login page stands before it`,
  );
}

export function brokenAnswer(description: string, what: string, cause?: unknown): TransportError {
  return new TransportError(
    'protocol',
    `${description}: ${what} where a Kubernetes answer should be; try again, and check what stands between you and the API server`,
    { cause },
  );
}

const TLS_FAULTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED:
    'the certificate of the server has expired; renew it on the control plane, and check the clock here',
  CERT_NOT_YET_VALID: 'the certificate of the server is not yet valid; check the clock here',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'the certificate of the server is for other names; use one of them in the server URL, or set tls-server-name',
};

/** Codes of OpenSSL for a certificate that the authorities at hand did not sign. */
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
  'INVALID_CA',
]);

function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  for (let one: unknown = error, depth = 0; one instanceof Error && depth < 5; one = one.cause, depth += 1) {
    if ('code' in one && typeof one.code === 'string') codes.push(one.code);
    // Happy eyeballs: one error for each address.
    if (one instanceof AggregateError) codes.push(...one.errors.flatMap(codesOf));
  }
  return codes;
}

function tlsFault(code: string): string | undefined {
  if (UNTRUSTED.has(code)) {
    return 'the certificate of the server is not signed by the certificate authority of the kubeconfig; get a new kubeconfig';
  }
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'EPROTO') {
    return 'the server does not speak TLS there; check scheme and port of the server URL';
  }
  if (/^ERR_SSL_.*ALERT.*/.test(code)) {
    return `the server refused the client certificate (${code}); get a new kubeconfig`;
  }
  return (
    TLS_FAULTS[code] ??
    (/^(?:ERR_SSL_|ERR_TLS_|CERT_)/.test(code) ? `TLS failed (${code}); check both certificates` : undefined)
  );
}

function networkFault(code: string | undefined, host: string): string {
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name ${host} does not resolve (${code}); check the server URL, DNS and VPN`;
    case 'ECONNREFUSED':
      return 'the connection was refused; check that the API server runs and the port is right';
    case 'ENETUNREACH':
    case 'EHOSTUNREACH':
    case 'ETIMEDOUT':
      return `there is no way to ${host} (${code}); check network and VPN`;
    case undefined:
      return 'the connection broke; try again, and check network and VPN';
    default:
      return `the connection broke (${code}); try again, and check network and VPN`;
  }
}

/** An error of socket, TLS, proxy or HTTP parser as the TransportError it means. Errors of ours pass. */
export function transportError(error: unknown, description: string, server: URL): Error {
  if (error instanceof TransportError || error instanceof ApiError) return error;
  const cause = { cause: error };
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    if (one instanceof ProxyError) {
      return new TransportError(
        'unreachable',
        `${description}: ${oneLine(one.message)}; check proxy-url and HTTPS_PROXY`,
        cause,
      );
    }
    if (one instanceof TransportError) return one;
  }
  const codes = codesOf(error);
  const tls = codes.map(tlsFault).find((text) => text !== undefined);
  if (tls !== undefined) return new TransportError('tls', `${description}: ${tls}`, cause);
  // The parser of undici gives its own name, and no code where its table has none.
  if ((error instanceof Error && error.name === 'HTTPParserError') || codes.includes('UND_ERR_HEADERS_OVERFLOW')) {
    return brokenAnswer(description, 'an answer that is not HTTP', error);
  }
  const code = codes.find((one) => !one.startsWith('UND_ERR')) ?? codes[0];
  return new TransportError('unreachable', `${description}: ${networkFault(code, server.hostname)}`, cause);
}
