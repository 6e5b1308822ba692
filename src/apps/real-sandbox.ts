import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { connectCluster, KubeEventRecorder } from '../adapters/kube/index.ts';
import { ConvoyError } from '../core/errors/index.ts';
import { ComponentError } from '../sandbox/real/component.ts';
import { startControlPlane } from '../sandbox/real/control-plane.ts';
import { playKubelets } from '../sandbox/real/kubelet-player.ts';
import { nodeClock } from './node-clock.ts';

/** Where the build leaves it; from src/apps and from dist the checkout is at a different height. */
const PLACES = ['..', '../..'].map((up) => join(import.meta.dirname, up, '.cache/control-plane/current/control-plane'));

/** A real control plane with played kubelets. */
export interface RealSandbox {
  /** Text of the kubeconfig. */
  readonly kubeconfig: string;
  /** Ends all its processes. */
  close(): Promise<void>;
}

/** @throws ConvoyError (`ControlPlaneMissing`) */
export function builtControlPlane(places: readonly string[] = PLACES): string {
  const path = places.find((place) => existsSync(place));
  if (path === undefined) throw new ConvoyError('ControlPlaneMissing');
  return path;
}

function startError(error: unknown): unknown {
  if (error instanceof ComponentError) {
    const last = error.log.split('\n').at(-1)?.slice(0, 300) ?? '';
    return new ConvoyError('ControlPlaneFailed', { reason: last === '' ? error.message : `${error.message}: ${last}` });
  }
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
    return new ConvoyError('ControlPlaneFailed', { reason: 'openssl, which makes its certificates, is not installed' });
  }
  return error;
}

/**
 * Starts it, with as many nodes. A signal that aborts meanwhile ends what has been started.
 *
 * @throws ConvoyError (`ControlPlaneFailed`), an error with the code EADDRINUSE, or the reason of the signal
 */
export async function startRealSandbox(
  executable: string,
  port: number,
  nodes: number,
  signal?: AbortSignal,
): Promise<RealSandbox> {
  const plane = await startControlPlane(executable, port, signal).catch((error: unknown) => {
    throw startError(error);
  });
  const cluster = connectCluster({
    clock: nodeClock,
    userAgent: 'convoy-sandbox',
    config: {
      description: 'the sandbox',
      server: new URL(plane.url),
      namespace: 'default',
      authority: plane.authority,
      serverName: undefined,
      insecure: false,
      proxy: undefined,
      impersonation: {},
      credentials: {
        current: async () => ({ token: plane.token, certificate: undefined }),
        refused: () => false,
      },
    },
  });
  const stop = new AbortController();
  const recorder = new KubeEventRecorder({
    cluster,
    clock: nodeClock,
    controller: 'convoy-sandbox',
    instance: 'played',
  });
  const played = playKubelets({ cluster, clock: nodeClock, recorder, nodes }, stop.signal);
  // It is waited for at the end; until then a failure is no unhandled one.
  played.catch(() => undefined);
  return {
    kubeconfig: plane.kubeconfigText,
    close: async () => {
      stop.abort();
      await played.catch(() => undefined);
      await cluster.close();
      await plane.down();
    },
  };
}
