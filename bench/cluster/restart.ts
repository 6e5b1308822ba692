import { setTimeout as wait } from 'node:timers/promises';
import { nodeClock } from '../../src/apps/node-clock.ts';
import { builtControlPlane } from '../../src/apps/real-sandbox.ts';
import type { Cluster, ResourcePath } from '../../src/ports/cluster.ts';
import { History, versionsOf } from '../../src/runtime/history.fixture.ts';
import { Informer } from '../../src/runtime/informer.ts';
import { type ControlPlane, startControlPlane } from '../../src/sandbox/real/control-plane.ts';
import { CONFIG_MAPS, configMap } from '../../src/testing/builders.ts';
import type { Figure } from './figure.ts';
import { clusterAt } from './target.ts';

const NAMESPACES = 20;
const INFORMERS = 200;
const OBJECTS = 20;
const SIGNALS = ['SIGKILL', 'SIGTERM', 'SIGKILL'] as const;
const LONGEST = 5;
/** ms after which waiting is of no use. */
const GIVE_UP = 60_000;

const WHAT = `restart of a real API server under ${INFORMERS} watches, until every cache equals a LIST`;

interface Watcher {
  readonly path: ResourcePath;
  readonly informer: Informer;
  readonly history: History;
}

function pathOf(index: number): ResourcePath {
  return { type: CONFIG_MAPS, namespace: `bench-${index % NAMESPACES}` };
}

async function fill(cluster: Cluster): Promise<void> {
  const type = { group: '', version: 'v1', resource: 'namespaces' };
  const fillOne = async (index: number): Promise<void> => {
    const path = pathOf(index);
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: path.namespace } };
    await cluster.create({ type, namespace: '' }, namespace);
    for (let n = 0; n < OBJECTS; n += 1) await cluster.create(path, configMap(`${path.namespace}/c-${n}`));
  };
  await Promise.all(Array.from({ length: NAMESPACES }, (_, index) => fillOne(index)));
}

/** What nobody could see while the server was away: something goes, something changes, something comes. */
async function change(cluster: Cluster, round: number): Promise<void> {
  const changeOne = async (index: number): Promise<void> => {
    const path = pathOf(index);
    await cluster.delete({ ...path, name: `c-${round}` });
    await cluster.patch({ ...path, name: 'c-10' }, 'merge', { data: { round: String(round) } });
    await cluster.create(path, configMap(`${path.namespace}/new-${round}`));
  };
  await Promise.all(Array.from({ length: NAMESPACES }, (_, index) => changeOne(index)));
}

async function truth(cluster: Cluster): Promise<ReadonlyMap<string, string>> {
  const paths = Array.from({ length: NAMESPACES }, (_, index) => pathOf(index));
  const lists = await Promise.all(paths.map((path) => cluster.list(path)));
  return new Map(lists.map(({ items }, index) => [pathOf(index).namespace, versionsOf(items).join()]));
}

/** Seconds from the first /readyz until the last cache equals the LISTs. */
async function restartOnce(
  plane: ControlPlane,
  cluster: Cluster,
  watchers: readonly Watcher[],
  round: number,
): Promise<number> {
  await plane.restartApiServer(SIGNALS[round]);
  const ready = performance.now();
  await change(cluster, round);
  const wanted = await truth(cluster);
  let behind = watchers;
  while (behind.length > 0 && performance.now() - ready < GIVE_UP) {
    behind = behind.filter(
      ({ path, informer }) => versionsOf(informer.store.list()).join() !== wanted.get(path.namespace),
    );
    if (behind.length > 0) await wait(10);
  }
  return behind.length > 0 ? Number.POSITIVE_INFINITY : (performance.now() - ready) / 1000;
}

function watcher(cluster: Cluster, index: number): Watcher {
  const path = pathOf(index);
  const informer = new Informer({ cluster, clock: nodeClock, path });
  const history = new History();
  informer.addHandler(history);
  return { path, informer, history };
}

/** The API server of a real control plane goes and comes back under 200 informers. */
export async function measureRestart(): Promise<readonly Figure[]> {
  let executable: string;
  try {
    executable = builtControlPlane();
  } catch (error) {
    return [{ what: WHAT, goal: `≤ ${LONGEST} s`, measured: `not run: ${String(error)}`, met: undefined }];
  }
  const plane = await startControlPlane(executable);
  const cluster = clusterAt(plane.url, plane);
  const stop = new AbortController();
  const seconds: number[] = [];
  try {
    await fill(cluster);
    const watchers = Array.from({ length: INFORMERS }, (_, index) => watcher(cluster, index));
    const runs = watchers.map(({ informer }) => informer.run(stop.signal));
    await Promise.all(watchers.map(({ informer }) => informer.synced(stop.signal)));
    for (const round of SIGNALS.keys()) seconds.push(await restartOnce(plane, cluster, watchers, round));
    const breaches = watchers.flatMap(({ history }) => history.breaches);
    if (breaches.length > 0) throw new Error(`handlers were told nonsense: ${breaches.slice(0, 3).join('; ')}`);
    stop.abort();
    await Promise.all(runs);
  } finally {
    stop.abort();
    await cluster.close();
    await plane.down();
  }
  const worst = Math.max(...seconds);
  const measured = `${worst.toFixed(1)} s after the first /readyz in the worst of ${seconds.length} restarts, ${NAMESPACES * 3} writes included`;
  return [{ what: WHAT, goal: `≤ ${LONGEST} s`, measured, met: worst <= LONGEST }];
}
