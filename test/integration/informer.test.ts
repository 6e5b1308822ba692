import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectCluster, loadClusterConfig, machineSurroundings } from '../../src/adapters/kube/index.ts';
import { nodeClock } from '../../src/apps/node-clock.ts';
import type { Cluster } from '../../src/ports/cluster.ts';
import { History, running, versionsOf } from '../../src/runtime/history.fixture.ts';
import { Informer } from '../../src/runtime/informer.ts';
import { metadataOf } from '../../src/runtime/object-key.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { CONFIG_MAPS, configMap } from '../../src/testing/builders.ts';

const folder = mkdtempSync(join(tmpdir(), 'convoy-informer-'));
const kubeconfig = join(folder, 'kubeconfig');
const HERE = { type: CONFIG_MAPS, namespace: 'default' };
let sandbox: Sandbox;
let cluster: Cluster;

beforeAll(async () => {
  sandbox = await startSandbox({ clock: nodeClock, token: 'token-of-the-test' });
  writeFileSync(kubeconfig, sandbox.kubeconfig);
  const around = machineSurroundings({ environment: {}, home: '', clock: nodeClock, interactive: false });
  cluster = connectCluster({ config: await loadClusterConfig({ kubeconfig }, around), clock: nodeClock });
});

afterAll(async () => {
  await cluster.close();
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

/** Resolves when the informer has the object: at once, or with the event that brings it. */
function arrival(informer: Informer, name: string): Promise<void> {
  return new Promise((resolve) => {
    informer.addHandler({ added: (object) => metadataOf(object)['name'] === name && resolve() });
  });
}

describe('an informer over real connections', () => {
  it('loses nothing while each of its streams is cut somewhere', async () => {
    let streams = 0;
    sandbox.setFault((request) => {
      if (request.query.get('watch') !== 'true') return undefined;
      streams += 1;
      return streams <= 5 ? { kind: 'cut', bytes: [0, 7, 900, 2500, 1][streams - 1] ?? 0 } : undefined;
    });
    const informer = new Informer({ cluster, clock: nodeClock, path: HERE });
    const history = new History();
    informer.addHandler(history);
    const { stop } = running(informer);
    for (let i = 0; i < 40; i++) await cluster.create(HERE, configMap(`c${i}`, { text: 'x'.repeat(100) }));
    for (let i = 0; i < 40; i += 2) await cluster.delete({ ...HERE, name: `c${i}` });
    await cluster.create(HERE, configMap('last'));
    await arrival(informer, 'last');
    const { items } = await cluster.list(HERE);
    expect(streams).toBeGreaterThan(1);
    expect(versionsOf(informer.store.list())).toEqual(versionsOf(items));
    expect(history.versions()).toEqual(versionsOf(items));
    expect(history.breaches).toEqual([]);
    await stop();
  });
});
