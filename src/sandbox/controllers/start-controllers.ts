import type { Clock } from '../../ports/clock.ts';
import type { ObjectApi } from '../api/object-api.ts';
import { AutoscalerController } from './autoscaler-controller.ts';
import { CronJobController } from './cron-job-controller.ts';
import { DaemonSetController } from './daemon-set-controller.ts';
import { DeploymentController } from './deployment-controller.ts';
import { DisruptionController } from './disruption-controller.ts';
import { EndpointController } from './endpoint-controller.ts';
import { GarbageCollector } from './garbage-collector.ts';
import { JobController } from './job-controller.ts';
import { type ContainerRun, Kubelet } from './kubelet.ts';
import { NamespaceController } from './namespace-controller.ts';
import { ReplicaSetController } from './replica-set-controller.ts';
import { SimulatedCluster } from './simulated-cluster.ts';
import { type OnDefect, Simulation } from './simulation.ts';
import { StatefulSetController } from './stateful-set-controller.ts';
import { VolumeController } from './volume-controller.ts';

export interface ControllerOptions {
  readonly clock: Clock;
  /** How many nodes there are. */
  readonly nodes: number;
  /** PEM: what clients in the cluster trust. */
  readonly authority?: string;
  /** Gets defects of controllers, which go on with what else there is. Without it they are thrown. */
  readonly onDefect?: OnDefect | undefined;
}

export interface RunningControllers {
  readonly readLog: (namespace: string, pod: string, container: string) => readonly ContainerRun[];
  /** Does all that can be done at this moment. */
  settle(): void;
  stop(): void;
}

/** Times of simulated pods, ms: short enough for a demo, long enough to be seen. */
const LIFE = { start: 700, work: 1_500, stop: 300 };

/** Starts the controllers of a simulated cluster on an API, and makes its nodes. */
export function startControllers(
  api: ObjectApi,
  { clock, nodes, authority = '', onDefect }: ControllerOptions,
): RunningControllers {
  const cluster = new SimulatedCluster(api);
  const kubelet = new Kubelet(cluster, LIFE);
  const simulation = new Simulation(
    cluster,
    [
      new GarbageCollector(cluster),
      new NamespaceController(cluster, authority),
      new DeploymentController(cluster),
      new ReplicaSetController(cluster),
      new StatefulSetController(cluster),
      new DaemonSetController(cluster),
      new JobController(cluster),
      new CronJobController(cluster),
      new AutoscalerController(cluster),
      new DisruptionController(cluster),
      new EndpointController(cluster),
      new VolumeController(cluster),
      kubelet,
    ],
    clock,
    onDefect,
  );
  for (let number = 1; number <= nodes; number += 1) addNode(cluster, `sandbox-${number}`);
  return {
    readLog: (namespace, pod, container) => kubelet.log(namespace, pod, container),
    settle: () => simulation.settle(),
    stop: () => simulation.stop(),
  };
}

function addNode(cluster: SimulatedCluster, name: string): void {
  const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' };
  cluster.create('Node', '', { metadata: { name, labels }, spec: {} });
  const node = cluster.get('Node', '', name);
  if (node === undefined) return;
  const capacity = { cpu: '64', memory: '256Gi', pods: '10000' };
  const time = cluster.timestamp();
  cluster.setStatus(node, {
    capacity,
    allocatable: capacity,
    conditions: [
      { type: 'Ready', status: 'True', reason: 'KubeletReady', lastHeartbeatTime: time, lastTransitionTime: time },
    ],
    nodeInfo: { kubeletVersion: 'v1.35.0', osImage: 'convoy sandbox', operatingSystem: 'linux', architecture: 'amd64' },
  });
}
