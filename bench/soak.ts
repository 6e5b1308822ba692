/**
 * Informers, a controller and a client in bad weather: cut streams, refusals, delays, broken and silent connections, restarts. In the end
 * every cache equals a LIST, the controller's work is done, and neither sockets nor timers nor heap have grown.
 * Options: --seconds N (default 600), --seed N (default: from the time; it is printed). Ends with 1 when a check fails.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { connectCluster, loadClusterConfig, machineSurroundings } from '../src/adapters/kube/index.ts';
import { nodeClock } from '../src/apps/node-clock.ts';
import type { Cluster, ResourcePath } from '../src/ports/cluster.ts';
import { History, versionsOf } from '../src/runtime/history.fixture.ts';
import { Informer } from '../src/runtime/informer.ts';
import { listAll } from '../src/runtime/list-all.ts';
import { CONFIG_MAPS } from '../src/testing/builders.ts';
import { FakeClock } from '../src/testing/fake-clock.ts';
import { type Census, census } from './soak/census.ts';
import { COPIES, change, mirror, SOURCES } from './soak/mirror.ts';

/** ms that everything has to become right again after the storm: the longest silence that only a bookmark's absence tells, and a back-off. */
const CALM = 240_000;
/** Bytes that the heap may grow after the first quarter: code and feedback of paths that are taken late. */
const HEAP_BAND = 4_000_000;
const PODS = { group: '', version: 'v1', resource: 'pods' };
const EVERYWHERE: readonly ResourcePath[] = [
  SOURCES,
  COPIES,
  { type: CONFIG_MAPS, namespace: '' },
  { type: PODS, namespace: '' },
  { type: { group: 'apps', version: 'v1', resource: 'deployments' }, namespace: 'default' },
  { type: { group: '', version: 'v1', resource: 'namespaces' }, namespace: '' },
];

setFlagsFromString('--expose-gc');
globalThis.gc = runInNewContext('gc');

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '600' }, seed: { type: 'string', default: String(Date.now() % 1e9) } },
});
const seconds = Number(values.seconds);
const seed = Number(values.seed);
const dice = new FakeClock(seed + 1);
const random = (): number => dice.random();

let [passed, failed] = [0, 0];
function check(what: string, holds: boolean, more = ''): void {
  if (holds) passed += 1;
  else failed += 1;
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}${more === '' ? '' : `: ${more}`}`);
}

interface Followed {
  readonly name: string;
  readonly path: ResourcePath;
  readonly labelSelector?: string;
  readonly informer: Informer;
  readonly history: History;
}

/** Two informers for each path, one of them with pages; and one with a selector. */
function follow(cluster: Cluster): readonly Followed[] {
  const one = (path: ResourcePath, pageSize: number, labelSelector?: string): Followed => {
    const selector = labelSelector === undefined ? {} : { labelSelector };
    const informer = new Informer({ cluster, clock: nodeClock, path, pageSize, ...selector });
    const history = new History();
    informer.addHandler(history);
    const where = path.namespace === '' ? 'all namespaces' : path.namespace;
    return { name: `${path.type.resource} of ${where}, pages of ${pageSize}`, path, informer, history, ...selector };
  };
  const all = EVERYWHERE.flatMap((path) => [one(path, 500), one(path, 7)]);
  return [...all, one({ type: PODS, namespace: 'default' }, 500, 'app=web')];
}

async function equalsList(cluster: Cluster, { path, labelSelector, informer }: Followed): Promise<boolean> {
  const { items } = await listAll(cluster, path, labelSelector === undefined ? {} : { labelSelector });
  return JSON.stringify(versionsOf(items)) === JSON.stringify(versionsOf(informer.store.list()));
}

async function copiesEqualSources(cluster: Cluster): Promise<boolean> {
  const [sources, copies] = await Promise.all([SOURCES, COPIES].map((path) => listAll(cluster, path, {})));
  const text = (list: typeof sources): string =>
    JSON.stringify((list?.items ?? []).map(({ metadata, data }) => [(metadata as { name: string }).name, data]).sort());
  return text(sources) === text(copies);
}

/** Asks again until it is so, or the time for calm is over. Returns the seconds that it took; undefined: it never was. */
async function eventually(fits: () => Promise<boolean>): Promise<number | undefined> {
  const start = nodeClock.now();
  for (;;) {
    if (await fits().catch(() => false)) return (nodeClock.now() - start) / 1000;
    if (nodeClock.now() - start > CALM) return undefined;
    await wait(200);
  }
}

/** A Deployment whose pods come and go. */
async function roll(cluster: Cluster, signal: AbortSignal): Promise<void> {
  const type = { group: 'apps', version: 'v1', resource: 'deployments' };
  const path = { type, namespace: 'default', name: 'web' };
  while (!signal.aborted) {
    const replicas = 1 + Math.floor(random() * 12);
    const labels = { app: 'web' };
    const spec = { containers: [{ name: 'app', image: `app:${Math.floor(random() * 5)}` }] };
    const object = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    };
    await cluster.apply(path, object, { fieldManager: 'soak', force: true }).catch(() => undefined);
    await wait(1_500);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'convoy-soak-'));
const server = fork(join(import.meta.dirname, 'soak', 'server-process.ts'), [String(seed)]);
const gone = once(server, 'exit').then((): never => {
  throw new Error('the server of the soak ended');
});
gone.catch(() => undefined);
const told = async (): Promise<{ kubeconfig?: string; tally?: Record<string, number> }> =>
  (await Promise.race([once(server, 'message'), gone]))[0];
console.log(`soak of ${seconds} s, seed ${seed}`);
try {
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, (await told()).kubeconfig ?? '', { mode: 0o600 });
  const around = machineSurroundings({ environment: {}, home: '', clock: nodeClock, interactive: false });
  const config = await loadClusterConfig({ kubeconfig }, around);
  // What the server is asked by for the truth: no fault may stand between.
  const cluster = connectCluster({ config, clock: nodeClock });
  const empty = census();
  for (const name of [SOURCES.namespace, COPIES.namespace]) {
    const type = { group: '', version: 'v1', resource: 'namespaces' };
    await cluster.create({ type, namespace: '' }, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  const [reading, writing] = [new AbortController(), new AbortController()];
  const followed = follow(cluster);
  const parts = [...followed.map(({ informer }) => informer.run(reading.signal)), mirror(cluster, reading.signal)];
  await Promise.all(followed.map(({ informer }) => informer.synced(reading.signal)));
  const writers = Promise.all([change(cluster, random, writing.signal), roll(cluster, writing.signal)]);
  await wait(Math.min(5_000, seconds * 100));
  const before = census();
  server.send('storm');
  await wait((seconds * 1000) / 4);
  const quarter = census();
  await wait((seconds * 1000 * 3) / 4);
  writing.abort();
  const [writes] = await writers;
  server.send('calm');
  const { tally = {} } = await told();
  console.log(
    `${writes} writes; ${Object.entries(tally)
      .map(([name, times]) => `${times} × ${name}`)
      .join(', ')}`,
  );

  for (const one of followed) {
    const after = await eventually(() => equalsList(cluster, one));
    check(`the cache equals a LIST: ${one.name}`, after !== undefined, `${one.informer.store.size} objects`);
  }
  const mirrored = await eventually(() => copiesEqualSources(cluster));
  check('the controller has done its work', mirrored !== undefined);
  const breaches = followed.flatMap(({ history }) => history.breaches);
  check('every handler was told a consistent history', breaches.length === 0, breaches.slice(0, 3).join('; '));
  const problems = (): Followed[] => followed.filter(({ informer }) => informer.problem !== undefined);
  await eventually(async () => problems().length === 0);
  const names = problems().map(({ name }) => name);
  check('no informer has a problem left', names.length === 0, names.join('; '));

  for (const { history } of followed) history.lines.length = 0;
  const late = census();
  const grew = (what: keyof Census, from: Census, to: Census, band: number): void => {
    const figure = what === 'heap' ? (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB` : String;
    check(`no growth of ${what}`, to[what] <= from[what] + band, `${figure(from[what])}, then ${figure(to[what])}`);
  };
  // The pool keeps up to eight connections, and what broke may have been replaced before it is gone.
  grew('sockets', before, late, 8);
  grew('timers', before, late, 8);
  grew('heap', quarter, late, HEAP_BAND);
  reading.abort();
  await Promise.all(parts);
  await cluster.close();
  await wait(500);
  grew('sockets', empty, census(), 0);
  grew('timers', empty, census(), 0);
} finally {
  server.disconnect();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
