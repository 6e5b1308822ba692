import { asMap, asString, field } from '../../src/core/object/fields.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';
import type { Cluster, ObjectPath } from '../../src/ports/cluster.ts';
import { ApiError } from '../../src/ports/errors.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const NODES = { group: '', version: 'v1', resource: 'nodes' };
const NODE = 'played';

/** What a pod's status becomes, as the kubelet would write it; undefined leaves it as it is. */
export type PlayPod = (pod: KubernetesObject) => KubernetesObject | undefined;

/** Every pod runs and is ready at once. */
export const running: PlayPod = (pod) => {
  const containers = field(pod['spec'], 'containers');
  const at = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  return {
    phase: 'Running',
    podIP: '192.0.2.1',
    podIPs: [{ ip: '192.0.2.1' }],
    startTime: at,
    conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
      type,
      status: 'True',
      lastTransitionTime: at,
    })),
    containerStatuses: (Array.isArray(containers) ? containers : []).map((container) => ({
      name: asString(field(container, 'name')),
      image: asString(field(container, 'image')),
      imageID: '',
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: at } },
    })),
  };
};

/** The object may have gone or changed since; the next event tells. */
async function unlessOvertaken(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ApiError) || ![404, 409].includes(error.code)) throw error;
  }
}

async function handle(cluster: Cluster, pod: KubernetesObject, play: PlayPod): Promise<void> {
  const metadata = asMap(pod['metadata']);
  const name = asString(metadata['name']);
  const path: ObjectPath = { type: PODS, namespace: asString(metadata['namespace']), name };
  if (metadata['deletionTimestamp'] !== undefined) {
    // A bound pod stays until its kubelet says that it is over.
    return unlessOvertaken(cluster.delete(path, { gracePeriodSeconds: 0, uid: asString(metadata['uid']) }));
  }
  if (field(pod['spec'], 'nodeName') === undefined) {
    const target = { apiVersion: 'v1', kind: 'Node', name: NODE };
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target };
    return unlessOvertaken(cluster.create(path, binding, { subresource: 'binding' }));
  }
  if (asMap(pod['status'])['phase'] !== 'Pending') return;
  const status = play(pod);
  if (status !== undefined) {
    await unlessOvertaken(cluster.patch(path, 'merge', { status }, { subresource: 'status' }));
  }
}

/** Pods that belong to no Node that exists are left out of EndpointSlices, and cleared away after a minute. */
async function addNode(cluster: Cluster): Promise<void> {
  const path = { type: NODES, namespace: '', name: NODE };
  await unlessOvertaken(cluster.create(path, { apiVersion: 'v1', kind: 'Node', metadata: { name: NODE } }));
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Played', message: 'no kubelet is there' }];
  await cluster.patch(path, 'merge', { status: { conditions } }, { subresource: 'status' });
}

/** Plays scheduler and kubelet of one Node until the signal aborts: binds pods, writes their status, lets go what is deleted. */
export async function playKubelet(cluster: Cluster, signal: AbortSignal, play: PlayPod = running): Promise<void> {
  await addNode(cluster);
  const pods = { type: PODS, namespace: '' };
  while (!signal.aborted) {
    for await (const event of cluster.watch(pods, { sendInitialEvents: true, signal })) {
      if (event.type === 'ERROR') break;
      if (event.type === 'ADDED' || event.type === 'MODIFIED') await handle(cluster, event.object, play);
    }
  }
}
