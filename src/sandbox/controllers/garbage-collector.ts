import { FOREGROUND, ORPHAN } from '../api/object-removal.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { storageKey } from '../resources/resource.ts';
import type { StoreEvent } from '../store/store.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';
import type { Controller } from './simulation.ts';

const WRITER = { manager: 'convoy-sandbox' };

/** Deletes what has lost its owners, and keeps the order that a deletion asks for. Its keys are uids. */
export class GarbageCollector implements Controller {
  readonly #cluster: SimulatedCluster;

  constructor(cluster: SimulatedCluster) {
    this.#cluster = cluster;
  }

  keys({ type, object }: StoreEvent): readonly string[] {
    const { uid, ownerReferences = [], deletionTimestamp } = object.metadata;
    const owners = ownerReferences.map((owner) => owner.uid);
    if (type !== 'DELETED')
      return deletionTimestamp === undefined && owners.length === 0
        ? []
        : [uid, ...owners.filter((owner) => this.#isDeleting(owner))];
    // Dependents may have lost their last owner; owners that wait for this one may go on.
    return [...this.#cluster.index.dependents(uid).map((one) => one.object.metadata.uid), ...owners];
  }

  reconcile(uid: string): void {
    const known = this.#cluster.index.find(uid);
    if (known === undefined) return;
    const { object, key } = known;
    const { finalizers = [], deletionTimestamp, ownerReferences = [] } = object.metadata;
    if (deletionTimestamp !== undefined && finalizers.includes(ORPHAN)) {
      this.#orphan(key, object);
      return;
    }
    if (deletionTimestamp !== undefined && finalizers.includes(FOREGROUND)) {
      this.#dependentsFirst(key, object);
      return;
    }
    const isAlone =
      ownerReferences.length > 0 && ownerReferences.every((owner) => this.#cluster.index.find(owner.uid) === undefined);
    if (isAlone && deletionTimestamp === undefined) this.#remove(key, object, 'Background');
  }

  #isDeleting(uid: string): boolean {
    return this.#cluster.index.find(uid)?.object.metadata.deletionTimestamp !== undefined;
  }

  #orphan(key: string, owner: ApiObject): void {
    for (const { key: its, object } of this.#cluster.index.dependents(owner.metadata.uid)) {
      this.#change(its, object, ({ metadata }) => {
        metadata.ownerReferences = (metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid);
      });
    }
    this.#change(key, owner, ({ metadata }) => {
      metadata.finalizers = (metadata.finalizers ?? []).filter((one) => one !== ORPHAN);
    });
  }

  #dependentsFirst(key: string, owner: ApiObject): void {
    const dependents = this.#cluster.index.dependents(owner.metadata.uid);
    for (const { key: its, object } of dependents) {
      if (object.metadata.deletionTimestamp === undefined) this.#remove(its, object, 'Foreground');
    }
    const blocked = this.#cluster.index
      .dependents(owner.metadata.uid)
      .some(({ object }) =>
        object.metadata.ownerReferences?.some(
          ({ uid, blockOwnerDeletion }) => uid === owner.metadata.uid && blockOwnerDeletion === true,
        ),
      );
    if (blocked) return;
    this.#change(key, owner, ({ metadata }) => {
      metadata.finalizers = (metadata.finalizers ?? []).filter((one) => one !== FOREGROUND);
    });
  }

  #change(key: string, { metadata }: ApiObject, change: (draft: ApiObject) => void): void {
    const { api } = this.#cluster;
    const resource = api.registry.byKey(key);
    if (resource !== undefined) api.change(resource, metadata.namespace ?? '', metadata.name, change, WRITER);
  }

  #remove(key: string, { metadata }: ApiObject, propagation: 'Background' | 'Foreground'): void {
    const { api } = this.#cluster;
    const resource = api.registry.byKey(key);
    if (
      resource === undefined ||
      api.store.get(storageKey(resource), metadata.namespace ?? '', metadata.name) === undefined
    )
      return;
    api.remove(resource, metadata.namespace ?? '', metadata.name, { propagation });
  }
}
