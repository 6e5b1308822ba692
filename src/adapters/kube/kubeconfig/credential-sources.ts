import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { ClientCertificate, Credential, CredentialSource } from './credential.ts';
import { type ExecAnswer, type ExecPlugin, runExecPlugin } from './exec-plugin.ts';
import { credentialsError } from './parse-kubeconfig.ts';
import type { Surroundings } from './surroundings.ts';

/** ms after which a file is read again; client-go reads token files once a minute. */
const REREAD = 60_000;
/** A credential of a plugin is renewed in the last tenth of its life, at most this many ms before it ends. */
const EARLIEST_RENEWAL = 60_000;

/** Reads a file that a kubeconfig names. @throws TransportError (`credentials`) that names field and path */
export async function readNamedFile(
  around: Surroundings,
  path: string,
  subject: string,
  fieldName: string,
): Promise<string> {
  try {
    return await around.readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const reason = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
    throw credentialsError(`${subject}: ${fieldName} ${path} ${reason}; check the path in the kubeconfig`);
  }
}

/** A token as it may stand in a header. @throws TransportError (`credentials`); the token is not in it */
export function cleanToken(text: string, subject: string, from: string): string {
  const token = text.trim();
  if (token === '') throw credentialsError(`${subject}: ${from} is empty; get a new token`);
  // A line break in a header would start another header.
  if (/[^\x21-\x7e]/.test(token)) {
    throw credentialsError(`${subject}: ${from} holds characters that no token has; write the token alone there`);
  }
  return token;
}

/** Refuses a client certificate that the server would refuse, with words that are clearer than an alert of TLS. */
export function checkClientCertificate(pair: ClientCertificate, now: number, subject: string): void {
  let certificate: X509Certificate;
  let fits: boolean;
  try {
    certificate = new X509Certificate(pair.certificate);
  } catch {
    throw credentialsError(`${subject}: the client certificate is no PEM certificate; get a new kubeconfig`);
  }
  try {
    fits = certificate.checkPrivateKey(createPrivateKey(pair.key));
  } catch {
    throw credentialsError(`${subject}: the client key is no PEM key; get a new kubeconfig`);
  }
  if (!fits) throw credentialsError(`${subject}: the client key is not that of the certificate; get a new kubeconfig`);
  const expired = certificate.validToDate;
  if (expired.getTime() <= now) {
    throw credentialsError(
      `${subject}: the client certificate expired at ${expired.toISOString()}; renew it or get a new kubeconfig`,
    );
  }
}

/** What never changes. */
export function fixedSource(credential: Credential, check: () => void): CredentialSource {
  return {
    async current() {
      check();
      return credential;
    },
    refused: () => false,
  };
}

/** What stands in files, which somebody else renews: read again each minute, and when it was refused. */
export function fileSource(read: () => Promise<Credential>, around: Surroundings): CredentialSource {
  let known: Promise<Credential> | undefined;
  let readAt = 0;
  return {
    async current() {
      if (known === undefined || around.clock.now() - readAt >= REREAD) {
        readAt = around.clock.now();
        const reading = read();
        known = reading;
        reading.catch(() => {
          if (known === reading) known = undefined;
        });
      }
      return known;
    },
    refused() {
      known = undefined;
      return true;
    },
  };
}

/**
 * What an exec plugin gives. However many ask, one plugin runs at a time; it runs again shortly before its credential expires,
 * and when the server refused that credential.
 */
export function execSource(
  plugin: ExecPlugin,
  around: Surroundings,
  base: Credential = { token: undefined, certificate: undefined },
): CredentialSource {
  let running: Promise<Credential> | undefined;
  let known: Credential | undefined;
  let renewAt = Number.POSITIVE_INFINITY;

  const take = ({ credential, expires }: ExecAnswer): Credential => {
    const now = around.clock.now();
    const certificate = credential.certificate ?? base.certificate;
    if (credential.certificate) checkClientCertificate(credential.certificate, now, plugin.subject);
    const token =
      credential.token === undefined
        ? undefined
        : cleanToken(credential.token, plugin.subject, `the token of ${plugin.command}`);
    renewAt =
      expires === undefined
        ? Number.POSITIVE_INFINITY
        : expires - Math.min(EARLIEST_RENEWAL, Math.max(0, expires - now) / 10);
    known = { token, certificate };
    return known;
  };

  return {
    async current() {
      if (running !== undefined) return running;
      if (known && around.clock.now() < renewAt) return known;
      running = runExecPlugin(plugin, around)
        .then(take)
        .finally(() => {
          running = undefined;
        });
      return running;
    },
    refused(credential) {
      // Another request may have renewed it meanwhile: then that one is worth a try, and the plugin is left alone.
      if (credential === known) known = undefined;
      return true;
    },
  };
}
