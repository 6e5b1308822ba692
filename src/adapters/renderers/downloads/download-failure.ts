import { SourceError } from '../../../ports/renderer.ts';

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** What went wrong below HTTP, in one line. */
function reasonOf(error: unknown): string {
  const code = codeOf(error) || codeOf(error instanceof Error ? error.cause : undefined);
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the name of the host is not known; check the address';
    case 'ECONNREFUSED':
      return 'nobody listens there; check the address and the port';
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'the host cannot be reached; check the address and the network';
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return 'the answer stopped on its way';
    case 'CERT_HAS_EXPIRED':
      return 'its certificate has expired';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'its certificate is for another name; check the address';
  }
  if (/CERT|SIGNATURE|ISSUER/.test(code)) {
    return 'its certificate is not trusted; put its authority into the Secret as ca.crt';
  }
  if (/^HPE_|EPROTO|ERR_SSL/.test(code)) return 'it does not speak HTTP as it should; check the port';
  return `the connection broke (${code || 'no reason given'})`;
}

/** The error of an exchange that failed. All of these may be over the next time. */
export function downloadFailure(shown: string, error: unknown): SourceError {
  return new SourceError(`${shown}: ${reasonOf(error)}`, 'retry', { cause: error });
}
