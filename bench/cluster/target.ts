import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { connectCluster } from '../../src/adapters/kube/index.ts';
import { nodeClock } from '../../src/apps/node-clock.ts';
import type { Cluster } from '../../src/ports/cluster.ts';
import { certificates } from '../../src/testing/http-server/certificates.ts';

/** A server in another process, and a client of it. */
export interface Target {
  readonly url: string;
  readonly cluster: Cluster;
  /** Connections opened to the server so far. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

async function answerOf(child: ChildProcess): Promise<number> {
  const [answer] = await once(child, 'message');
  return Number(answer);
}

/** @param access default: the server of `startTarget` */
export function clusterAt(
  url: string,
  { token, authority }: { readonly token: string; readonly authority: string } = {
    token: 'abc',
    authority: certificates.authority,
  },
): Cluster {
  return connectCluster({
    clock: nodeClock,
    config: {
      description: 'bench',
      server: new URL(url),
      namespace: 'default',
      authority,
      serverName: undefined,
      insecure: false,
      proxy: undefined,
      impersonation: {},
      credentials: { current: async () => ({ token, certificate: undefined }), refused: () => false },
    },
  });
}

export async function startTarget(serves: 'all' | 'reads' = 'all'): Promise<Target> {
  const child = fork(join(import.meta.dirname, 'server-process.ts'), [serves]);
  const url = `https://127.0.0.1:${await answerOf(child)}`;
  const cluster = clusterAt(url);
  return {
    url,
    cluster,
    connections: async () => {
      child.send('connections');
      return answerOf(child);
    },
    close: async () => {
      await cluster.close();
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
