import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { certificates } from '../../src/testing/http-server/certificates.ts';

/** The usual client of Node. The product does not depend on it, so it has a folder of its own, out of the repository. */
const PEER = '@kubernetes/client-node';
export const PEER_VERSION = '2.0.1';
const FOLDER = join(import.meta.dirname, '..', '..', '.cache', 'bench', `client-node-${PEER_VERSION}`);
const ENTRY = join(FOLDER, 'node_modules', ...PEER.split('/'), 'dist', 'index.js');

/** What is used of it. */
interface PeerModule {
  readonly CoreV1Api: unknown;
  readonly KubeConfig: new () => {
    loadFromOptions(options: unknown): void;
    makeApiClient(api: unknown): { readNamespacedPod(path: { name: string; namespace: string }): Promise<unknown> };
  };
}

function install(): void {
  console.log(`installing ${PEER} ${PEER_VERSION} into .cache, once`);
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', '--prefix', FOLDER, ...flags, `${PEER}@${PEER_VERSION}`], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`npm install ended with ${status}; its own words are above`);
}

/** A read of one Pod by the usual client, configured as its documentation shows. */
export async function peerRead(server: string): Promise<() => Promise<unknown>> {
  if (!existsSync(ENTRY)) install();
  const peer: PeerModule = await import(ENTRY);
  const config = new peer.KubeConfig();
  const caData = Buffer.from(certificates.authority).toString('base64');
  config.loadFromOptions({
    clusters: [{ name: 'bench', server, caData }],
    users: [{ name: 'bench', token: 'abc' }],
    contexts: [{ name: 'bench', cluster: 'bench', user: 'bench' }],
    currentContext: 'bench',
  });
  const api = config.makeApiClient(peer.CoreV1Api);
  return () => api.readNamespacedPod({ name: 'web', namespace: 'shop' });
}
