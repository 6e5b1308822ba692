export { connectCluster } from './kube-cluster.ts';
export { KubeEventRecorder } from './kube-event-recorder.ts';
export type { ClusterConfig } from './kubeconfig/cluster-config.ts';
export { clusterConfigOfSecret, type KubeconfigChoice, loadClusterConfig } from './kubeconfig/load-kubeconfig.ts';
export { machineSurroundings, type Surroundings } from './kubeconfig/surroundings.ts';
export type { TransportOptions } from './transport.ts';
