import { connect } from '../integration/contract-target.ts';
import { buildControlPlane } from './build-control-plane.ts';
import { startControlPlane } from './control-plane.ts';
import { playKubelet } from './play-kubelet.ts';

// A real control plane for trying things by hand, with a played kubelet, until Ctrl-C.
const plane = await startControlPlane(buildControlPlane(console.log));
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
const cluster = await connect(plane);
console.log(`control plane ready: KUBECONFIG=${plane.kubeconfig}`);
try {
  await playKubelet(cluster, stop.signal);
} finally {
  await cluster.close();
  await plane.down();
}
