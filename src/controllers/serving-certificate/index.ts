import { asMap, asString } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster, ObjectPath } from '../../ports/cluster.ts';
import { ApiError } from '../../ports/errors.ts';
import type { Certificate } from '../../runtime/certificates/certificate.ts';
import { Controller, type Reconciler, type Result } from '../../runtime/controller.ts';
import { Informer } from '../../runtime/informer.ts';
import type { Runnable } from '../../runtime/manager.ts';
import { WorkQueue } from '../../runtime/work-queue.ts';
import { type KeptCertificates, nextCertificateStep } from './next-certificate.ts';

const FIELD_MANAGER = 'convoy-certificates';
const SECRETS = { group: '', version: 'v1', resource: 'secrets' };
const API_SERVICES = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' };
/** Steps in one reconcile; more would be a circle. */
const MOST_STEPS = 5;
/** ms after which everything is looked at again, in case an event was about something else. */
const AT_LEAST_EVERY = 3_600_000;

export interface ServingCertificateOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** Where the Secret is. */
  readonly namespace: string;
  readonly secretName: string;
  /** The APIService whose caBundle is kept up to date, if it is there. */
  readonly apiServiceName: string;
  /** DNS names that clients know the server by: `SERVICE.NAMESPACE.svc`. */
  readonly names: readonly [string, ...string[]];
  /** Called with each certificate that is to be shown from now on, however it came into the Secret. */
  readonly onCertificate: (certificate: Certificate) => void;
  readonly onError?: (error: Error) => void;
}

/**
 * Keeps the certificate that the aggregated API shows in a Secret, and the authority that clients check it by in the APIService.
 * Several replicas may run it: each write is bound to the version it was decided on.
 */
export function servingCertificate(options: ServingCertificateOptions): Runnable {
  const { cluster, clock, namespace, secretName, apiServiceName, onError } = options;
  return {
    name: 'serving certificate',
    run: async (signal) => {
      const follow = (path: Omit<ObjectPath, 'name'>, name: string): Informer =>
        new Informer({ cluster, clock, path, fieldSelector: `metadata.name=${name}`, ...(onError && { onError }) });
      const secrets = follow({ type: SECRETS, namespace }, secretName);
      const services = follow({ type: API_SERVICES, namespace: '' }, apiServiceName);
      const queue = new WorkQueue<string>({ clock });
      const add = (): void => queue.add(secretName);
      for (const informer of [secrets, services]) informer.addHandler({ added: add, updated: add, deleted: add });
      add();
      const reconciler = new CertificateReconciler(options);
      const controller = new Controller<string>({
        name: 'serving certificate',
        clock,
        queue,
        reconciler,
        ready: (ending) => secrets.synced(ending),
        onOutcome: (_, outcome) => {
          if ('error' in outcome) onError?.(outcome.error);
        },
      });
      await Promise.all([secrets.run(signal), services.run(signal), controller.run(signal)]);
    },
  };
}

class CertificateReconciler implements Reconciler<string> {
  readonly #options: ServingCertificateOptions;
  #shown: string | undefined;

  constructor(options: ServingCertificateOptions) {
    this.#options = options;
  }

  /** Reads both objects from the server: they change a few times a year, and a decision on old ones makes a key for nothing. */
  async reconcile(_: string, signal: AbortSignal): Promise<Result> {
    const { clock, names } = this.#options;
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      const [secret, apiService] = [await this.#secret(signal), await this.#apiService(signal)];
      const kept = secret === undefined ? undefined : keptIn(secret);
      const trusted = apiService === undefined ? undefined : bundleOf(apiService);
      const now = clock.now();
      const step = nextCertificateStep({ kept, trusted, names, now });
      if (kept !== undefined && step.kind !== 'store') this.#show(kept);
      switch (step.kind) {
        case 'wait':
          return { kind: 'after', ms: Math.min(AT_LEAST_EVERY, Math.max(1_000, step.until - now)) };
        case 'store':
          await this.#store(secret, step.kept, signal);
          break;
        case 'publish':
          await this.#publish(step.authorities, signal);
          break;
      }
    }
    return { kind: 'again' };
  }

  #show({ certificate, key }: KeptCertificates): void {
    if (this.#shown === certificate) return;
    this.#shown = certificate;
    this.#options.onCertificate({ certificate, key });
  }

  #secret(signal: AbortSignal): Promise<KubernetesObject | undefined> {
    return this.#read(this.#secretPath(), signal);
  }

  #apiService(signal: AbortSignal): Promise<KubernetesObject | undefined> {
    return this.#read({ type: API_SERVICES, namespace: '', name: this.#options.apiServiceName }, signal);
  }

  #secretPath(): ObjectPath {
    return { type: SECRETS, namespace: this.#options.namespace, name: this.#options.secretName };
  }

  async #read(path: ObjectPath, signal: AbortSignal): Promise<KubernetesObject | undefined> {
    try {
      return await this.#options.cluster.get(path, { signal });
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return undefined;
      throw error;
    }
  }

  async #store(secret: KubernetesObject | undefined, kept: KeptCertificates, signal: AbortSignal): Promise<void> {
    const { cluster, namespace, secretName } = this.#options;
    const options = { fieldManager: FIELD_MANAGER, signal };
    const object = { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', data: dataOf(kept) };
    try {
      if (secret === undefined) {
        const labels = { 'app.kubernetes.io/managed-by': 'convoy' };
        const metadata = { name: secretName, namespace, labels };
        await cluster.create({ type: SECRETS, namespace }, { ...object, metadata }, options);
      } else {
        await cluster.update(this.#secretPath(), { ...secret, data: dataOf(kept) }, options);
      }
    } catch (error) {
      // Another replica was first: what it wrote is read in the next step.
      if (!(error instanceof ApiError && error.code === 409)) throw error;
    }
  }

  async #publish(authorities: string, signal: AbortSignal): Promise<void> {
    const path = { type: API_SERVICES, namespace: '', name: this.#options.apiServiceName };
    const patch = { spec: { caBundle: Buffer.from(authorities).toString('base64') } };
    await this.#options.cluster.patch(path, 'merge', patch, { fieldManager: FIELD_MANAGER, signal });
  }
}

function keptIn(secret: KubernetesObject): KeptCertificates {
  const data = asMap(secret['data']);
  const text = (name: string): string => Buffer.from(asString(data[name]), 'base64').toString();
  return {
    authorities: text('ca.crt'),
    authorityKey: text('ca.key'),
    certificate: text('tls.crt'),
    key: text('tls.key'),
  };
}

function dataOf({ authorities, authorityKey, certificate, key }: KeptCertificates): Record<string, string> {
  const texts = { 'ca.crt': authorities, 'ca.key': authorityKey, 'tls.crt': certificate, 'tls.key': key };
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString('base64')]));
}

/** '' for an APIService that trusts nothing yet. */
function bundleOf(apiService: KubernetesObject): string {
  return Buffer.from(asString(asMap(apiService['spec'])['caBundle']), 'base64').toString();
}
