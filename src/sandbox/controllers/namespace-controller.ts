import type { StoreEvent } from '../store/store.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';
import type { Controller } from './simulation.ts';

/** What every namespace has, again when it was deleted. */
const ACCOUNT = 'default';
const ROOT_AUTHORITY = 'kube-root-ca.crt';

/** Empties namespaces that are being deleted, then lets them go; gives new ones what every namespace has. */
export class NamespaceController implements Controller {
  readonly #cluster: SimulatedCluster;
  /** PEM; '' where nobody needs it. */
  readonly #authority: string;

  constructor(cluster: SimulatedCluster, authority: string) {
    this.#cluster = cluster;
    this.#authority = authority;
  }

  keys({ type, object }: StoreEvent): readonly string[] {
    if (object.kind === 'Namespace') return type === 'DELETED' ? [] : [object.metadata.name];
    const { namespace } = object.metadata;
    if (type !== 'DELETED' || namespace === undefined) return [];
    const owner = this.#cluster.get('Namespace', '', namespace);
    const isOurs = object.metadata.name === (object.kind === 'ServiceAccount' ? ACCOUNT : ROOT_AUTHORITY);
    return owner?.metadata.deletionTimestamp === undefined && !isOurs ? [] : [namespace];
  }

  reconcile(name: string): void {
    const namespace = this.#cluster.get('Namespace', '', name);
    if (namespace === undefined) return;
    if (namespace.metadata.deletionTimestamp === undefined) {
      this.#fill(name);
      return;
    }
    if (this.#empty(name))
      this.#cluster.change(namespace, (draft) => Object.assign(draft, { spec: { finalizers: [] } }));
  }

  #fill(namespace: string): void {
    this.#cluster.create('ServiceAccount', namespace, { metadata: { name: ACCOUNT } });
    if (this.#authority === '') return;
    const data = { 'ca.crt': this.#authority };
    this.#cluster.create('ConfigMap', namespace, { metadata: { name: ROOT_AUTHORITY }, data });
  }

  /** Whether nothing is left. */
  #empty(namespace: string): boolean {
    const { api } = this.#cluster;
    let left = 0;
    for (const key of [...api.store.keys()]) {
      const resource = api.registry.byKey(key);
      if (resource?.namespaced !== true) continue;
      for (const { metadata } of [...api.store.all(key, namespace)]) {
        if (metadata.deletionTimestamp === undefined) api.remove(resource, namespace, metadata.name);
        if (api.store.get(key, namespace, metadata.name) !== undefined) left += 1;
      }
    }
    return left === 0;
  }
}
