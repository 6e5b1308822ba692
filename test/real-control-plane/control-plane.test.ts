import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeClock } from '../../src/apps/node-clock.ts';
import { asList, asMap } from '../../src/core/object/fields.ts';
import type { Cluster, Discovery } from '../../src/ports/cluster.ts';
import { running, versionsOf } from '../../src/runtime/history.fixture.ts';
import { Informer } from '../../src/runtime/informer.ts';
import { metadataOf } from '../../src/runtime/object-key.ts';
import { type ControlPlane, startControlPlane } from '../../src/sandbox/real/control-plane.ts';
import { playKubelets } from '../../src/sandbox/real/kubelet-player.ts';
import { CONFIG_MAPS } from '../../src/testing/builders.ts';
import { at, configMap, deployment, refusal, TYPES, until } from '../../src/testing/contracts/cluster/law.ts';
import { clusterContract } from '../../src/testing/contracts/cluster.contract.ts';
import { ask, connect } from '../integration/contract-target.ts';
import { GROUP, startAggregatedServer } from './aggregated-server.ts';
import { buildControlPlane } from './build-control-plane.ts';

const warnings: string[] = [];
let plane: ControlPlane;
let cluster: Cluster;

/** Resolves when the informer has the object: at once, or with the event that brings it. */
function arrival(informer: Informer, name: string): Promise<void> {
  return new Promise((resolve) => {
    informer.addHandler({ added: (object) => metadataOf(object)['name'] === name && resolve() });
  });
}

beforeAll(async () => {
  plane = await startControlPlane(buildControlPlane(console.log));
  cluster = await connect(plane, (text) => warnings.push(text));
}, 45 * 60_000);

afterAll(async () => {
  await cluster?.close();
  await plane?.down();
}, 60_000);

clusterContract({
  name: 'a real control plane',
  cluster: () => cluster,
  warnings,
  request: (path, accept) => ask(plane)(path, accept),
  forget: () => plane.restartApiServer(),
  differences: new Map(),
});

describe('a control plane without kubelets', () => {
  it('rolls out, scales and clears away a Deployment when the kubelet is played', async () => {
    const stop = new AbortController();
    const played = playKubelets({ cluster, clock: nodeClock, nodes: 2 }, stop.signal);
    const path = { type: { group: 'apps', version: 'v1', resource: 'deployments' }, namespace: 'default', name: 'web' };
    const world = { cluster, namespace: 'default', warnings, request: ask(plane), forget: plane.restartApiServer };
    await cluster.create(path, deployment('web', {}, { replicas: 3 }));
    await until(world, path, (object) => at(object, 'status', 'availableReplicas') === 3);
    await cluster.patch(path, 'merge', { spec: { replicas: 1 } }, { subresource: 'scale' });
    await until(world, path, (object) => at(object, 'status', 'replicas') === 1);
    await cluster.delete(path, { propagation: 'Foreground' });
    await until(world, path, (object) => object === undefined);
    stop.abort();
    await played;
  });

  it('refuses a user to whom nothing is granted, and tells who and what', async () => {
    const config = { ...plane, token: plane.plainToken };
    const { code, body } = await ask(config)('/api/v1/namespaces/default/secrets', 'application/json');
    expect([code, body['reason']]).toEqual([403, 'Forbidden']);
    expect(body['message']).toContain('User "plain" cannot list resource "secrets"');
  });
});

describe('an aggregated group', () => {
  const caller = `/apis/${GROUP}/v1/namespaces/default/callers/me`;

  /** The server takes up and gives up a group within seconds, and tells it by the condition Available of the APIService. */
  async function available(status: string): Promise<void> {
    const path = {
      type: { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' },
      namespace: '',
      name: `v1.${GROUP}`,
    };
    const world = { cluster, namespace: '', warnings, request: ask(plane), forget: plane.restartApiServer };
    await until(world, path, (object) =>
      asList(at(object, 'status', 'conditions')).some(
        (condition) => at(condition, 'type') === 'Available' && at(condition, 'status') === status,
      ),
    );
  }

  /** Discovery follows within moments, and the server gives no sign when. */
  async function discovered(fits: (discovery: Discovery) => Promise<boolean>): Promise<void> {
    const limit = AbortSignal.timeout(60_000);
    do cluster.discovery.invalidate();
    while (!(await fits(cluster.discovery)) && !limit.aborted);
    expect(await fits(cluster.discovery)).toBe(true);
  }

  it('is discovered and asked in the name of the caller; when it is gone, it alone is broken', async () => {
    const server = await startAggregatedServer(plane);
    try {
      for (const object of server.objects) {
        const kind = String(object['kind']);
        const type = await cluster.discovery.kind(kind === 'Service' ? '' : 'apiregistration.k8s.io', kind);
        if (type === undefined) throw new Error(`${kind} is not served`);
        await cluster.create({ type, namespace: type.namespaced ? 'default' : '' }, object);
      }
      await available('True');
      await discovered(async (discovery) => (await discovery.kind(GROUP, 'Caller'))?.resource === 'callers');
      const asked = asMap(await cluster.raw('GET', caller));
      expect(asked['user']).toBe('admin');
      expect(asked['groups']).toEqual(expect.arrayContaining(['system:masters', 'system:authenticated']));
      const refused = await ask({ ...plane, token: plane.plainToken })(caller, 'application/json');
      expect(refused.code).toBe(403);
    } finally {
      await server.close();
    }
    await available('False');
    const { code } = await refusal(cluster.raw('GET', caller));
    expect(code).toBe(503);
    await discovered(async (discovery) => (await discovery.broken()).map(({ group }) => group).join() === GROUP);
    expect((await cluster.discovery.kind('apps', 'Deployment'))?.resource).toBe('deployments');
  });
});

describe('a restart of the API server', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)('by %s loses no informer an object', async (signal) => {
    const namespace = `restart-${signal.toLowerCase()}`;
    const path = { type: CONFIG_MAPS, namespace };
    const metadata = { name: namespace };
    await cluster.create({ type: TYPES.namespaces, namespace: '' }, { apiVersion: 'v1', kind: 'Namespace', metadata });
    const informers = Array.from({ length: 20 }, () => new Informer({ cluster, clock: nodeClock, path }));
    const runs = informers.map(running);
    for (const name of ['a', 'b', 'gone']) await cluster.create(path, configMap(name));
    await Promise.all(informers.map((informer) => arrival(informer, 'gone')));
    await plane.restartApiServer(signal);
    await cluster.delete({ ...path, name: 'gone' });
    await cluster.create(path, configMap('last'));
    await Promise.all(informers.map((informer) => arrival(informer, 'last')));
    const wanted = versionsOf((await cluster.list(path)).items);
    for (const informer of informers) expect(versionsOf(informer.store.list())).toEqual(wanted);
    for (const { stop } of runs) await stop();
  });
});
