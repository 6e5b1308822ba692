import { readFileSync } from 'node:fs';
import { join } from 'node:path';

function pem(file: string): string {
  return readFileSync(join(import.meta.dirname, 'testdata', file), 'utf8');
}

export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

function pair(name: string): KeyPair {
  return { certificate: pem(`${name}.crt`), key: pem(`${name}.key`) };
}

/** Certificates for tests, made by testdata/make.sh; good until 2125 but for the one that is expired. */
export const certificates = {
  authority: pem('ca.crt'),
  /** Signed nothing. */
  otherAuthority: pem('other-ca.crt'),
  /** For localhost, 127.0.0.1 and api.example.test. */
  server: pair('server'),
  serverExpired: pair('server-expired'),
  /** alice. */
  client: pair('client'),
  /** bob. */
  clientRenewed: pair('client-renewed'),
};
