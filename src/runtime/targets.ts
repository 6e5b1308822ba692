import { asMap, asString, field } from '../core/object/fields.ts';
import type { KubernetesObject } from '../core/object/kubernetes-object.ts';
import type { Clock } from '../ports/clock.ts';
import type { Cluster } from '../ports/cluster.ts';
import { ApiError, TransportError } from '../ports/errors.ts';
import { type Target, TargetError, type Targets } from '../ports/targets.ts';
import { metadataOf } from './object-key.ts';

export interface TargetOptions {
  readonly clock: Clock;
  /** The cluster that the operator's own objects are in. */
  readonly home: Cluster;
  /** Used where a Release names none: `--default-service-account`. */
  readonly defaultServiceAccount?: string;
  /**
   * A client of the cluster that a kubeconfig names; `where` is what messages call it.
   * Throws a TransportError (`credentials`) when it cannot be used.
   */
  connect(kubeconfig: string, where: string): Promise<Cluster>;
}

/** The client of one kubeconfig. */
interface Connection {
  /** uid, version and key of the Secret: a change makes a new client. */
  readonly version: string;
  readonly client: Promise<Cluster>;
  lastUsed: number;
}

const SECRETS = { group: '', version: 'v1', resource: 'secrets' } as const;
/** The keys under which other tools keep a kubeconfig: Cluster API, Flux. */
const USUAL_KEYS = ['value', 'value.yaml'];
/** ms that a client of a kubeconfig that was replaced may still serve what runs on it: longer than any request. */
const LAST_REQUESTS = 120_000;
/** ms without use after which the clients of a kubeconfig are closed. */
const IDLE = 3_600_000;

/**
 * The targets of Releases: one client for each kubeconfig, shared by all Releases that name it, whoever it acts as.
 * The Secret is read each time, so that a rotated one counts at once.
 */
export class ClusterTargets implements Targets {
  readonly #options: TargetOptions;
  readonly #connections = new Map<string, Connection>();

  constructor(options: TargetOptions) {
    this.#options = options;
  }

  async of(release: Parameters<Targets['of']>[0], signal?: AbortSignal): Promise<Target> {
    const { metadata, spec } = release;
    const account = spec.serviceAccountName ?? this.#options.defaultServiceAccount ?? '';
    const actsAs = account === '' ? '' : `system:serviceaccount:${metadata.namespace}:${account}`;
    const reference = spec.target?.kubeConfig?.secretRef;
    const found =
      reference === undefined
        ? { key: 'home', home: true, reader: this.#options.home }
        : await this.#remote(metadata.namespace, reference, signal);
    const cluster = actsAs === '' ? found.reader : found.reader.as({ user: actsAs });
    return { ...found, cluster, actsAs };
  }

  /** Ends all clients but that of the home cluster itself. */
  async close(): Promise<void> {
    const all = [...this.#connections.values()];
    this.#connections.clear();
    await Promise.all(all.map(({ client }) => closed(client)));
  }

  async #remote(
    namespace: string,
    { name, key }: { readonly name: string; readonly key?: string },
    signal: AbortSignal | undefined,
  ): Promise<Pick<Target, 'key' | 'home' | 'reader'>> {
    const where = `Secret ${namespace}/${name}`;
    const secret = await this.#secret(namespace, name, where, signal);
    const chosen = textOf(secret, key === undefined ? USUAL_KEYS : [key]);
    if (chosen === undefined) {
      const keys = key === undefined ? USUAL_KEYS.join(' nor ') : key;
      throw new TargetError('KubeConfigMissing', `${where} has no key ${keys}; write the kubeconfig there`);
    }
    const { uid, resourceVersion } = metadataOf(secret);
    const version = `${asString(uid)}/${asString(resourceVersion)}/${chosen.key}`;
    const connection = `${namespace}/${name}/${chosen.key}`;
    const reader = await this.#client(connection, version, () => this.#connect(chosen.text, where));
    return { key: `${namespace}/${name}/${version}`, home: false, reader };
  }

  async #secret(
    namespace: string,
    name: string,
    where: string,
    signal: AbortSignal | undefined,
  ): Promise<KubernetesObject> {
    try {
      return await this.#options.home.get({ type: SECRETS, namespace, name }, signal === undefined ? {} : { signal });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 404) throw error;
      throw new TargetError('KubeConfigMissing', `${where} is not there; create it, or mend spec.target.kubeConfig`, {
        cause: error,
      });
    }
  }

  async #connect(text: string, where: string): Promise<Cluster> {
    try {
      return await this.#options.connect(text, where);
    } catch (error) {
      if (!(error instanceof TransportError) || error.fault !== 'credentials') throw error;
      throw new TargetError('KubeConfigInvalid', error.message, { cause: error });
    }
  }

  /** The client of a kubeconfig in one version, made at its first use; one that could not be made is tried anew. */
  #client(name: string, version: string, connect: () => Promise<Cluster>): Promise<Cluster> {
    const now = this.#options.clock.now();
    for (const [other, { lastUsed }] of this.#connections) {
      if (now - lastUsed > IDLE) this.#retire(other);
    }
    const known = this.#connections.get(name);
    if (known?.version === version) {
      known.lastUsed = now;
      return known.client;
    }
    if (known) this.#retire(name);
    const fresh: Connection = { version, client: connect(), lastUsed: now };
    this.#connections.set(name, fresh);
    fresh.client.catch(() => {
      if (this.#connections.get(name) === fresh) this.#connections.delete(name);
    });
    return fresh.client;
  }

  #retire(name: string): void {
    const client = this.#connections.get(name)?.client;
    this.#connections.delete(name);
    if (client !== undefined) void this.#options.clock.sleep(LAST_REQUESTS).then(() => closed(client));
  }
}

async function closed(client: Promise<Cluster>): Promise<void> {
  // A client that never came to be has nothing to close.
  const cluster = await client.catch(() => undefined);
  await cluster?.close();
}

function textOf(secret: KubernetesObject, keys: readonly string[]): { key: string; text: string } | undefined {
  const data = asMap(secret['data']);
  const key = keys.find((name) => typeof field(data, name) === 'string');
  return key === undefined ? undefined : { key, text: Buffer.from(asString(data[key]), 'base64').toString('utf8') };
}
