import { isAbsolute, join } from 'node:path';
import { asMap, asString } from '../../../core/object/fields.ts';
import { readNamedFile } from './credential-sources.ts';
import { credentialsError, type KubeconfigEntry } from './parse-kubeconfig.ts';
import type { Surroundings } from './surroundings.ts';

/** Text of base64, checked: Node would skip what is none. */
function decode(value: string, subject: string, fieldName: string): string {
  const flat = value.replace(/\s/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(flat)) {
    throw credentialsError(`${subject}: ${fieldName} is not base64; copy it anew`);
  }
  return Buffer.from(flat, 'base64').toString('utf8');
}

/** Reads `NAME-data`, else the file `NAME` names; data counts first, as in kubectl. Undefined where neither is there. */
export class EntryReader {
  readonly entry: KubeconfigEntry;
  readonly subject: string;
  readonly around: Surroundings;

  constructor(entry: KubeconfigEntry, subject: string, around: Surroundings) {
    this.entry = entry;
    this.subject = subject;
    this.around = around;
  }

  text(name: string): string {
    return asString(this.entry.body[name]);
  }

  has(name: string): boolean {
    return this.text(name) !== '' || this.text(`${name}-data`) !== '';
  }

  path(name: string): string {
    const path = this.text(name);
    return isAbsolute(path) ? path : join(this.entry.folder, path);
  }

  async pem(name: string): Promise<string | undefined> {
    const data = this.text(`${name}-data`);
    if (data !== '') return decode(data, this.subject, `${name}-data`);
    if (this.text(name) === '') return undefined;
    return readNamedFile(this.around, this.path(name), this.subject, name);
  }
}

const FILE_FIELDS = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'] as const;

/** A kubeconfig out of a Secret would run its programs and read its files inside the operator: it may have neither. */
export function refuseForeignPowers(reader: EntryReader): void {
  const named = FILE_FIELDS.find((name) => reader.text(name) !== '');
  if (named) {
    throw credentialsError(
      `${reader.subject}: ${named} names a file, which a kubeconfig from a Secret may not; write the data itself`,
    );
  }
  if (reader.entry.body['exec'] !== undefined && reader.entry.body['exec'] !== null) {
    throw credentialsError(
      `${reader.subject}: exec runs a program, which a kubeconfig from a Secret may not; use a token or certificate, or allow it with --insecure-kubeconfig-exec`,
    );
  }
}

/** What replaced the auth providers that client-go once had built in. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  gcp: 'gke-gcloud-auth-plugin',
  azure: 'kubelogin',
  oidc: 'kubectl oidc-login',
};

/** What Kubernetes no longer knows is refused with what replaced it. */
export function refuseOldWays(reader: EntryReader): void {
  const provider = reader.entry.body['auth-provider'];
  if (provider !== undefined && provider !== null) {
    const name = asString(asMap(provider)['name']);
    const replacement = REPLACEMENTS[name] ?? 'the exec plugin of your provider';
    throw credentialsError(
      `${reader.subject}: auth-provider "${name}" is gone from Kubernetes; use an exec entry with ${replacement} instead`,
    );
  }
  if (reader.text('username') !== '' || reader.text('password') !== '') {
    throw credentialsError(
      `${reader.subject}: basic auth (username, password) is gone from Kubernetes; use a token, certificate or exec plugin`,
    );
  }
}
