import { request } from 'node:https';
import { connectCluster, loadClusterConfig, machineSurroundings } from '../../src/adapters/kube/index.ts';
import { nodeClock } from '../../src/apps/node-clock.ts';
import { asMap } from '../../src/core/object/fields.ts';
import type { Cluster } from '../../src/ports/cluster.ts';
import type { ContractTarget } from '../../src/testing/contracts/cluster.contract.ts';

/** How to reach an API server of a test. */
export interface Reach {
  readonly url: string;
  readonly token: string;
  /** PEM. */
  readonly authority: string;
}

/** A client by the kubeconfig at a path. */
export function connect(
  { kubeconfig }: { readonly kubeconfig: string },
  onWarning = (_: string) => {},
): Promise<Cluster> {
  const around = machineSurroundings({ environment: {}, home: '', clock: nodeClock, interactive: false });
  return loadClusterConfig({ kubeconfig }, around).then((config) =>
    connectCluster({ config, clock: nodeClock, onWarning }),
  );
}

/** A GET with an Accept header of its own. */
export function ask({ url, token, authority }: Reach): ContractTarget['request'] {
  return (path, accept) =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, accept };
      const sent = request(`${url}${path}`, { ca: authority, agent: false, headers }, async (response) => {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        resolve({ code: response.statusCode ?? 0, body: asMap(JSON.parse(text)) });
      });
      sent.on('error', reject).end();
    });
}
