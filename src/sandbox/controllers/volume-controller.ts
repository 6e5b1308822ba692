import { asMap } from '../../core/object/fields.ts';
import type { ApiObject } from '../objects/api-object.ts';
import type { StoreEvent } from '../store/store.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';
import type { Controller } from './simulation.ts';

/** Gives every claim of a storage class that exists a volume of the size it asks for. */
export class VolumeController implements Controller {
  readonly #cluster: SimulatedCluster;

  constructor(cluster: SimulatedCluster) {
    this.#cluster = cluster;
  }

  keys({ type, object }: StoreEvent): readonly string[] {
    const { namespace, name } = object.metadata;
    if (object.kind === 'PersistentVolumeClaim') return [`${namespace}/${name}`];
    if (object.kind !== 'StorageClass' || type === 'DELETED') return [];
    return this.#cluster.list('PersistentVolumeClaim').map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  }

  reconcile(key: string): void {
    const [namespace = '', name = ''] = key.split('/');
    const claim = this.#cluster.get('PersistentVolumeClaim', namespace, name);
    if (claim === undefined) this.#release(namespace, name);
    else this.#bind(claim);
  }

  #bind(claim: ApiObject): void {
    const { namespace = '', name } = claim.metadata;
    const { accessModes, resources, storageClassName = '', volumeName } = asMap(claim['spec']);
    if (this.#cluster.get('StorageClass', '', String(storageClassName)) === undefined) {
      if (claim['status'] === undefined) {
        const message = `storageclass.storage.k8s.io "${storageClassName}" not found`;
        this.#cluster.tell(claim, 'Warning', 'ProvisioningFailed', message, 'persistentvolume-controller');
      }
      this.#cluster.setStatus(claim, { phase: 'Pending' });
      return;
    }
    const capacity = asMap(asMap(resources)['requests']);
    const volume = typeof volumeName === 'string' ? volumeName : `pvc-${claim.metadata.uid}`;
    if (this.#cluster.get('PersistentVolume', '', volume) === undefined) {
      const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid: claim.metadata.uid };
      const spec = { accessModes, capacity, storageClassName, claimRef, persistentVolumeReclaimPolicy: 'Delete' };
      this.#cluster.create('PersistentVolume', '', { metadata: { name: volume }, spec });
      const made = this.#cluster.get('PersistentVolume', '', volume);
      if (made !== undefined) this.#cluster.setStatus(made, { phase: 'Bound' });
    }
    if (volumeName === undefined) {
      this.#cluster.change(claim, (draft) => Object.assign(draft['spec'] as object, { volumeName: volume }));
    }
    const bound = this.#cluster.get('PersistentVolumeClaim', namespace, name);
    if (bound !== undefined) this.#cluster.setStatus(bound, { phase: 'Bound', accessModes, capacity });
  }

  #release(namespace: string, name: string): void {
    for (const volume of this.#cluster.list('PersistentVolume')) {
      const { namespace: its, name: claim } = asMap(asMap(volume['spec'])['claimRef']);
      if (its === namespace && claim === name) this.#cluster.remove(volume);
    }
  }
}
