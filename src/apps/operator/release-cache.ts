import { type Release, type ReleaseInventory, readInventory, readRelease } from '../../core/api/index.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { ReleaseReader } from '../../http/aggregated/aggregated-api.ts';
import type { Gauged } from '../../http/operations/prometheus-telemetry.ts';
import { PAGES_OF_RELEASE } from '../../runtime/inventory-index.ts';
import type { OwnInformers } from './own-informers.ts';

/** Releases and their inventories as the informers know them; what cannot be read is left out. */
export class ReleaseCache implements ReleaseReader, Omit<Gauged, 'queues'> {
  readonly #informers: Pick<OwnInformers, 'releases' | 'inventories'>;

  constructor(informers: Pick<OwnInformers, 'releases' | 'inventories'>) {
    this.#informers = informers;
  }

  get synced(): boolean {
    return this.#informers.releases.hasSynced && this.#informers.inventories.hasSynced;
  }

  release(namespace: string, name: string): Release | undefined {
    const object = this.#informers.releases.store.get(namespace, name);
    return object === undefined ? undefined : releaseOf(object)[0];
  }

  inventories(): Iterable<ReleaseInventory>;
  inventories(namespace: string, release: string): readonly ReleaseInventory[];
  inventories(namespace?: string, release?: string): readonly ReleaseInventory[] {
    const { store } = this.#informers.inventories;
    const objects = namespace === undefined ? store.list() : store.indexed(PAGES_OF_RELEASE, `${namespace}/${release}`);
    return objects.flatMap((object) => {
      const read = readInventory(object);
      return 'value' in read ? [read.value] : [];
    });
  }

  releases(): Iterable<Release> {
    return this.#informers.releases.store.list().flatMap(releaseOf);
  }
}

function releaseOf(object: KubernetesObject): readonly Release[] {
  const read = readRelease(object);
  return 'value' in read ? [read.value] : [];
}
