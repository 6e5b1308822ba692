/**
 * Releases from nothing to all healthy, on the sandbox in a process of its own: controller and observer in this one.
 * Options: --releases N (default 1,000), --resources N of each (10, two of them Deployments of one pod).
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { connectCluster, loadClusterConfig, machineSurroundings } from '../src/adapters/kube/index.ts';
import { nodeClock } from '../src/apps/node-clock.ts';
import { observer } from '../src/controllers/observer/index.ts';
import { RELEASE_INDEXES, releaseController } from '../src/controllers/release/index.ts';
import {
  API_VERSION,
  GLOBAL_HEALTH_RULE_SETS,
  HEALTH_RULE_SETS,
  INVENTORIES,
  RELEASES,
} from '../src/core/api/index.ts';
import { asList, field } from '../src/core/object/fields.ts';
import type { Cluster, ResourcePath } from '../src/ports/cluster.ts';
import { Informer } from '../src/runtime/informer.ts';
import { INVENTORY_INDEXES } from '../src/runtime/inventory-index.ts';
import { FakeFetcher, FakeRenderer } from '../src/testing/fake-renderer.ts';
import { atMost } from './cluster/figure.ts';
import { countingRequests } from './releases/counting-requests.ts';

const { values } = parseArgs({
  options: {
    releases: { type: 'string', default: '1000' },
    resources: { type: 'string', default: '10' },
  },
});
const [releases, resources] = [Number(values.releases), Number(values.resources)];

/** As the goal has them: two Deployments of one pod, the rest ConfigMaps. */
function objectsOf(release: string): readonly object[] {
  return Array.from({ length: resources }, (_, index) => {
    const name = `${release}-${index}`;
    if (index >= 2) return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text: 'x'.repeat(500) } };
    const labels = { app: name };
    const template = {
      metadata: { labels },
      spec: { containers: [{ name: 'app', image: 'registry.example.org/app:1' }] },
    };
    return {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    };
  });
}

function count(all: Map<string, number>, name: string): void {
  all.set(name, (all.get(name) ?? 0) + 1);
}

/** ms of processor time that the sandbox has used so far. */
async function sandboxTime(): Promise<number> {
  child.send('time');
  const [{ user, system }] = await once(child, 'message');
  return (user + system) / 1000;
}

async function createAll(cluster: Cluster): Promise<void> {
  for (let index = 0; index < releases; index += 1) {
    const name = `app-${index}`;
    const spec = { source: { inline: { objects: objectsOf(name) } }, healthAssessment: { globalRuleSetSelector: {} } };
    const object = { apiVersion: API_VERSION, kind: 'Release', metadata: { name }, spec };
    await cluster.create({ type: RELEASES, namespace: 'default' }, object);
  }
}

const child = fork(join(import.meta.dirname, 'releases/empty-sandbox.ts'));
const [{ value }] = await once(child, 'message');
const machine = machineSurroundings({ environment: {}, home: '', clock: nodeClock, interactive: false });
const config = await loadClusterConfig({ kubeconfig: '/sandbox' }, { ...machine, readFile: async () => String(value) });
const requests = new Map<string, number>();
const cluster = countingRequests(connectCluster({ clock: nodeClock, config }), (name) => count(requests, name));

const stop = new AbortController();
const informer = (type: ResourcePath['type'], indexes = {}): Informer =>
  new Informer({ cluster, clock: nodeClock, path: { type, namespace: '' }, indexes });
const informers = {
  releases: informer(RELEASES, RELEASE_INDEXES),
  inventories: informer(INVENTORIES, INVENTORY_INDEXES),
  globalRuleSets: informer(GLOBAL_HEALTH_RULE_SETS),
  localRuleSets: informer(HEALTH_RULE_SETS),
};
const failures = new Map<string, number>();
const steps = new Map<string, number>();
const shared = {
  home: cluster,
  clock: nodeClock,
  targets: { of: async () => ({ key: 'home', home: true, reader: cluster, cluster, actsAs: '' }) },
  events: { record: () => {}, flush: async () => {} },
  installation: 'bench',
};
const release = releaseController({
  ...shared,
  informers: { releases: informers.releases, inventories: informers.inventories },
  fetcher: new FakeFetcher(),
  renderer: new FakeRenderer(),
  readValues: () => ({}),
  crossNamespace: true,
  mayAct: () => true,
  onStep: (_, { kind }) => void count(steps, kind),
  onOutcome: (_, outcome) => {
    if (outcome.kind === 'failed') count(failures, outcome.error.message.slice(0, 120));
  },
});
const watching = observer({ ...shared, informers, drift: false, requestSync: release.requestSync });
const running = Promise.all([
  ...Object.values(informers).map((one) => one.run(stop.signal)),
  release.controller.run(stop.signal),
  watching.run(stop.signal),
]);

function healthy(): number {
  return informers.releases.store.list().filter((object) => {
    const status = object['status'];
    const ready = asList(field(status, 'conditions')).some(
      (one) => field(one, 'type') === 'Ready' && field(one, 'status') === 'True',
    );
    const reached = field(field(status, 'lastHealthy'), 'renderRef');
    return ready && reached !== undefined && reached === field(field(status, 'lastAttempted'), 'renderRef');
  }).length;
}

const start = performance.now();
requests.clear();
const [cpu, served] = [process.cpuUsage(), await sandboxTime()];
await createAll(cluster);
while (healthy() < releases) {
  await sleep(1000);
  if (process.stderr.isTTY) process.stderr.write(`\r${healthy()} of ${releases}`);
}
const seconds = (performance.now() - start) / 1000;
const used = process.cpuUsage(cpu);
const serving = (await sandboxTime()) - served;
const goal = atMost(`${releases} Releases × ${resources} from empty to healthy`, 120, seconds, 's');
console.log(`${goal.met ? 'PASS' : 'FAIL'} ${goal.what}: ${goal.measured} (${goal.goal})`);
console.log(
  `     processor time of controller and observer: ${((used.user + used.system) / 1000 / releases).toFixed(0)} ms a Release`,
);
const all = [...steps].map(([state, times]) => `${state} ${(times / releases).toFixed(1)}`).join(', ');
console.log(`     processor time of the sandbox: ${(serving / releases).toFixed(0)} ms a Release`);
const asked = [...requests].sort(([one], [other]) => one.localeCompare(other));
const sum = asked.reduce((total, [, times]) => total + times, 0);
console.log(`     requests of a Release: ${(sum / releases).toFixed(1)}`);
for (const [name, times] of asked) console.log(`       ${(times / releases).toFixed(2).padStart(6)} ${name}`);
console.log(`     steps of a Release: ${all}`);
for (const [message, times] of failures) console.log(`     ${times} times: ${message}`);
stop.abort();
await running;
await cluster.close();
child.disconnect();
process.exitCode = goal.met ? 0 : 1;
