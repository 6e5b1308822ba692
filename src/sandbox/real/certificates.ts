import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names that the API server is called by, the first address of the Service range among them. */
const SERVER_NAMES = [
  'DNS:localhost',
  'DNS:kubernetes',
  'DNS:kubernetes.default',
  'DNS:kubernetes.default.svc',
  'DNS:kubernetes.default.svc.cluster.local',
  'IP:127.0.0.1',
  'IP:10.96.0.1',
];

/** Makes keys and certificates in a folder by openssl; `name` becomes `name.key` and `name.crt` there. */
export class CertificateFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  authority(name: string): void {
    this.key(name);
    this.#openssl(
      'req',
      '-x509',
      '-new',
      '-key',
      `${name}.key`,
      '-subj',
      `/CN=${name}`,
      '-days',
      '2',
      '-out',
      `${name}.crt`,
    );
  }

  /** A certificate of an authority; `names` as openssl writes them: `DNS:…`, `IP:…`. */
  leaf(authority: string, name: string, usage: 'serverAuth' | 'clientAuth', names: readonly string[] = []): void {
    this.key(name);
    this.#openssl('req', '-new', '-key', `${name}.key`, '-subj', `/CN=${name}`, '-out', `${name}.csr`);
    const extensions = [
      `extendedKeyUsage=${usage}`,
      ...(names.length > 0 ? [`subjectAltName=${names.join(',')}`] : []),
    ];
    writeFileSync(join(this.#folder, `${name}.extensions`), `${extensions.join('\n')}\n`);
    this.#openssl(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', `${authority}.crt`, '-CAkey', `${authority}.key`],
      ...['-CAcreateserial', '-days', '2', '-extfile', `${name}.extensions`, '-out', `${name}.crt`],
    );
  }

  key(name: string): void {
    this.#openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', `${name}.key`);
  }

  /** The public half of a key as `name.pub`. */
  publicKey(name: string): void {
    this.#openssl('pkey', '-in', `${name}.key`, '-pubout', '-out', `${name}.pub`);
  }

  /** All that a control plane needs: two authorities, the server, the front proxy, and the key of ServiceAccount tokens. */
  makeAll(): void {
    this.authority('ca');
    this.leaf('ca', 'apiserver', 'serverAuth', SERVER_NAMES);
    this.authority('front-proxy-ca');
    this.leaf('front-proxy-ca', 'front-proxy-client', 'clientAuth');
    this.key('sa');
    this.publicKey('sa');
  }

  #openssl(...parameters: readonly string[]): void {
    execFileSync('openssl', parameters, { cwd: this.#folder, stdio: ['ignore', 'ignore', 'pipe'] });
  }
}
