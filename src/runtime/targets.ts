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
  /** A client of the home cluster that acts as somebody else. */
  connectHome(actsAs: string): Promise<Cluster>;
  /**
   * A client of the cluster that a kubeconfig names; `where` is what messages call it.
   * Throws a TransportError (`credentials`) when it cannot be used.
   */
  connect(kubeconfig: string, where: string, actsAs: string): Promise<Cluster>;
}

/** Clients of one kubeconfig, by whom they act as. */
interface Connection {
  /** uid, version and key of the Secret: a change makes new clients. */
  readonly version: string;
  readonly clients: Map<string, Promise<Cluster>>;
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
 * The targets of Releases: one client for each kubeconfig and each account that is acted as, shared by all Releases that name them.
 * The Secret is read each time, so that a rotated one counts at once.
 */
export class ClusterTargets implements Targets {
  readonly #options: TargetOptions;
  readonly #home = new Map<string, Promise<Cluster>>();
  readonly #connections = new Map<string, Connection>();

  constructor(options: TargetOptions) {
    this.#options = options;
  }

  async of(release: Parameters<Targets['of']>[0], signal?: AbortSignal): Promise<Target> {
    const { metadata, spec } = release;
    const account = spec.serviceAccountName ?? this.#options.defaultServiceAccount ?? '';
    const actsAs = account === '' ? '' : `system:serviceaccount:${metadata.namespace}:${account}`;
    const reference = spec.target?.kubeConfig?.secretRef;
    if (reference === undefined) return this.#homeTarget(actsAs);
    return this.#remoteTarget(metadata.namespace, reference, actsAs, signal);
  }

  /** Ends all clients but that of the home cluster itself. */
  async close(): Promise<void> {
    const all = [
      ...this.#home.values(),
      ...[...this.#connections.values()].flatMap(({ clients }) => [...clients.values()]),
    ];
    this.#home.clear();
    this.#connections.clear();
    await Promise.all(all.map(closed));
  }

  async #homeTarget(actsAs: string): Promise<Target> {
    const { home } = this.#options;
    const cluster = actsAs === '' ? home : await once(this.#home, actsAs, () => this.#options.connectHome(actsAs));
    return { key: 'home', home: true, reader: home, cluster, actsAs };
  }

  async #remoteTarget(
    namespace: string,
    { name, key }: { readonly name: string; readonly key?: string },
    actsAs: string,
    signal: AbortSignal | undefined,
  ): Promise<Target> {
    const where = `Secret ${namespace}/${name}`;
    const secret = await this.#secret(namespace, name, where, signal);
    const chosen = textOf(secret, key === undefined ? USUAL_KEYS : [key]);
    if (chosen === undefined) {
      const keys = key === undefined ? USUAL_KEYS.join(' nor ') : key;
      throw new TargetError('KubeConfigMissing', `${where} has no key ${keys}; write the kubeconfig there`);
    }
    const { uid, resourceVersion } = metadataOf(secret);
    const version = `${asString(uid)}/${asString(resourceVersion)}/${chosen.key}`;
    const connection = this.#connection(`${namespace}/${name}/${chosen.key}`, version);
    const client = (as: string): Promise<Cluster> =>
      once(connection.clients, as, () => this.#connect(chosen.text, where, as));
    const reader = await client('');
    const cluster = actsAs === '' ? reader : await client(actsAs);
    return { key: `${namespace}/${name}/${version}`, home: false, reader, cluster, actsAs };
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

  async #connect(text: string, where: string, actsAs: string): Promise<Cluster> {
    try {
      return await this.#options.connect(text, where, actsAs);
    } catch (error) {
      if (!(error instanceof TransportError) || error.fault !== 'credentials') throw error;
      throw new TargetError('KubeConfigInvalid', error.message, { cause: error });
    }
  }

  #connection(name: string, version: string): Connection {
    const now = this.#options.clock.now();
    for (const [other, { lastUsed }] of this.#connections) {
      if (now - lastUsed > IDLE) this.#retire(other);
    }
    const known = this.#connections.get(name);
    if (known?.version === version) {
      known.lastUsed = now;
      return known;
    }
    if (known) this.#retire(name);
    const fresh: Connection = { version, clients: new Map(), lastUsed: now };
    this.#connections.set(name, fresh);
    return fresh;
  }

  #retire(name: string): void {
    const clients = [...(this.#connections.get(name)?.clients.values() ?? [])];
    this.#connections.delete(name);
    void this.#options.clock.sleep(LAST_REQUESTS).then(() => Promise.all(clients.map(closed)));
  }
}

/** The promise under a key, made at the first call; one that fails is made anew by the next. */
function once(all: Map<string, Promise<Cluster>>, key: string, make: () => Promise<Cluster>): Promise<Cluster> {
  const known = all.get(key);
  if (known) return known;
  const made = make();
  all.set(key, made);
  made.catch(() => {
    if (all.get(key) === made) all.delete(key);
  });
  return made;
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
