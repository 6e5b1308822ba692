import type { ApiObject } from '../objects/api-object.ts';
import { sameJson } from '../objects/api-object.ts';
import { matchesSelector } from '../store/selectors.ts';
import type { StoreEvent } from '../store/store.ts';
import { ownerReference, type SimulatedCluster } from './simulated-cluster.ts';
import type { Controller } from './simulation.ts';
import { isActive, isReady, type Pod } from './workload-types.ts';

interface Service extends ApiObject {
  spec: {
    readonly selector?: Readonly<Record<string, string>>;
    readonly ports?: readonly {
      readonly name?: string;
      readonly port: number;
      readonly protocol?: string;
      readonly targetPort?: number | string;
    }[];
  };
}

/** Keeps one EndpointSlice for each Service with a selector. */
export class EndpointController implements Controller {
  readonly #cluster: SimulatedCluster;

  constructor(cluster: SimulatedCluster) {
    this.#cluster = cluster;
  }

  keys({ object }: StoreEvent): readonly string[] {
    const { namespace = '', name, labels } = object.metadata;
    if (object.kind === 'Service') return [`${namespace}/${name}`];
    if (object.kind !== 'Pod') return [];
    return this.#cluster
      .list<Service>('Service', namespace)
      .filter(({ spec }) => spec.selector !== undefined && matchesSelector({ matchLabels: spec.selector }, labels))
      .map((service) => `${namespace}/${service.metadata.name}`);
  }

  reconcile(key: string): void {
    const [namespace = '', name = ''] = key.split('/');
    const service = this.#cluster.get<Service>('Service', namespace, name);
    const { selector } = service?.spec ?? {};
    if (service === undefined || selector === undefined) return;
    const endpoints = this.#cluster
      .list<Pod>('Pod', namespace)
      .filter(
        (pod) =>
          pod.status?.podIP !== undefined &&
          isActive(pod) &&
          matchesSelector({ matchLabels: selector }, pod.metadata.labels),
      )
      .map((pod) => ({
        addresses: [pod.status?.podIP],
        conditions: { ready: isReady(pod), serving: isReady(pod), terminating: false },
        nodeName: pod.spec.nodeName,
        targetRef: { kind: 'Pod', namespace, name: pod.metadata.name, uid: pod.metadata.uid },
      }));
    const ports = (service.spec.ports ?? []).map(({ name: portName = '', port, protocol = 'TCP', targetPort }) => ({
      name: portName,
      port: typeof targetPort === 'number' ? targetPort : port,
      protocol,
    }));
    const slice = this.#cluster.get('EndpointSlice', namespace, `${name}-sandbox`);
    if (slice === undefined) {
      const labels = {
        'kubernetes.io/service-name': name,
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      };
      const metadata = { name: `${name}-sandbox`, labels, ownerReferences: [ownerReference(service)] };
      this.#cluster.create('EndpointSlice', namespace, { metadata, addressType: 'IPv4', endpoints, ports });
    } else if (!sameJson(slice['endpoints'], endpoints) || !sameJson(slice['ports'], ports)) {
      this.#cluster.change(slice, (draft) => Object.assign(draft, { endpoints, ports }));
    }
  }
}
