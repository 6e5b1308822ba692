import {
  type Certificate,
  makeAuthority,
  makeClientCertificate,
  type Validity,
} from '../../runtime/certificates/certificate.ts';

export type { Certificate };

const DAY = 86_400_000;

/** A day before, for clocks that are behind; a sandbox lives no year. */
function yearFrom(now: number): Validity {
  return { from: now - DAY, to: now + 365 * DAY };
}

/**
 * A self-signed certificate for localhost, 127.0.0.1 and ::1. It is its own authority: clients get it as
 * `certificate-authority-data`, since clients of Kubernetes send no token over plain HTTP. `now`: ms since 1970.
 */
export function loopbackCertificate(now: number): Certificate {
  return makeAuthority('convoy sandbox', yearFrom(now), true);
}

/** A certificate that signs others. */
export function certificateAuthority(commonName: string, now: number): Certificate {
  return makeAuthority(commonName, yearFrom(now));
}

/** A certificate that a client shows. */
export function clientCertificate(commonName: string, issuer: Certificate, now: number): Certificate {
  return makeClientCertificate(issuer, commonName, yearFrom(now));
}
