import type { ApiObject } from '../objects/api-object.ts';
import type { Store, StoreEvent } from '../store/store.ts';

/** Where an object is, and what it is. */
export interface Known {
  readonly key: string;
  readonly object: ApiObject;
}

/** Which objects name which as their owner, kept up to date with the store. */
export class OwnerIndex {
  readonly #known = new Map<string, Known>();
  readonly #dependents = new Map<string, Set<string>>();

  constructor(store: Store) {
    store.subscribe((event) => this.#take(event));
  }

  find(uid: string): Known | undefined {
    return this.#known.get(uid);
  }

  dependents(uid: string): Known[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => this.#known.get(dependent) ?? []);
  }

  #take({ type, key, object, previous }: StoreEvent): void {
    const { uid } = object.metadata;
    const owners = type === 'DELETED' ? [] : (object.metadata.ownerReferences ?? []);
    for (const owner of previous?.metadata.ownerReferences ?? []) {
      const dependents = this.#dependents.get(owner.uid);
      dependents?.delete(uid);
      if (dependents?.size === 0) this.#dependents.delete(owner.uid);
    }
    for (const owner of owners) {
      const dependents = this.#dependents.get(owner.uid) ?? new Set();
      this.#dependents.set(owner.uid, dependents.add(uid));
    }
    if (type === 'DELETED') this.#known.delete(uid);
    else this.#known.set(uid, { key, object });
  }
}
