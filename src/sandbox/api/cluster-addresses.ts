import type { ApiObject } from '../objects/api-object.ts';
import type { Store } from '../store/store.ts';

interface ServiceSpec {
  type?: string;
  clusterIP?: string;
  clusterIPs?: string[];
}

/** Gives Services an address of 10.96.0.0/16, as the API server does on creation. */
export class ClusterAddresses {
  #last = 0;

  assign(object: ApiObject, store: Store): void {
    if (object.kind !== 'Service') return;
    const spec = object['spec'] as ServiceSpec;
    if (spec.type === 'ExternalName') return;
    if (spec.clusterIP === undefined || spec.clusterIP === '') spec.clusterIP = this.#next(store);
    spec.clusterIPs = [spec.clusterIP];
  }

  /** An update that leaves the address out keeps it. */
  keep(object: ApiObject, old: ApiObject): void {
    if (object.kind !== 'Service') return;
    const { clusterIP, clusterIPs } = old['spec'] as ServiceSpec;
    const spec = object['spec'] as ServiceSpec;
    if (spec.clusterIP === undefined && clusterIP !== undefined) spec.clusterIP = clusterIP;
    if (spec.clusterIPs === undefined && clusterIPs !== undefined) spec.clusterIPs = clusterIPs;
  }

  #next(store: Store): string {
    const used = new Set([...store.all('/services')].map((service) => (service['spec'] as ServiceSpec).clusterIP));
    for (;;) {
      this.#last = (this.#last % 65_534) + 1;
      const address = `10.96.${this.#last >> 8}.${this.#last & 255}`;
      if (!used.has(address)) return address;
    }
  }
}
