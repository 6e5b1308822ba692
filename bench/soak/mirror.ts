import { setTimeout as wait } from 'node:timers/promises';
import { nodeClock } from '../../src/apps/node-clock.ts';
import type { Cluster, ResourcePath } from '../../src/ports/cluster.ts';
import { ApiError } from '../../src/ports/errors.ts';
import { Controller, DONE, type Result } from '../../src/runtime/controller.ts';
import { Informer } from '../../src/runtime/informer.ts';
import { keyOf, splitKey } from '../../src/runtime/object-key.ts';
import { WorkQueue } from '../../src/runtime/work-queue.ts';
import { CONFIG_MAPS, configMap } from '../../src/testing/builders.ts';

export const SOURCES: ResourcePath = { type: CONFIG_MAPS, namespace: 'sources' };
export const COPIES: ResourcePath = { type: CONFIG_MAPS, namespace: 'copies' };

function absentIsFine(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 404) throw error;
}

/** A controller as products have them: keeps a copy of each ConfigMap of one namespace in another. It depends on every event. */
export async function mirror(cluster: Cluster, signal: AbortSignal): Promise<void> {
  const options = { cluster, clock: nodeClock };
  const [sources, copies] = [SOURCES, COPIES].map((path) => new Informer({ ...options, path }));
  if (sources === undefined || copies === undefined) throw new Error('there are two informers');
  const queue = new WorkQueue<string>({ clock: nodeClock });
  for (const informer of [sources, copies]) {
    const add = (object: Parameters<typeof keyOf>[0]): void => queue.add(splitKey(keyOf(object)).name);
    informer.addHandler({ added: add, updated: add, deleted: add });
  }
  const reconcile = async (name: string, stop: AbortSignal): Promise<Result> => {
    const source = sources.store.get(SOURCES.namespace, name);
    const copy = copies.store.get(COPIES.namespace, name);
    const path = { ...COPIES, name };
    if (source === undefined) {
      if (copy !== undefined) await cluster.delete(path, { signal: stop }).catch(absentIsFine);
      return DONE;
    }
    const { data } = source as { data?: Record<string, string> };
    if (JSON.stringify(copy?.['data']) === JSON.stringify(data)) return DONE;
    const wanted = configMap(`${COPIES.namespace}/${name}`, data);
    await cluster.apply(path, wanted, { fieldManager: 'mirror', force: true, signal: stop });
    return DONE;
  };
  const controller = new Controller<string>({
    name: 'mirror',
    clock: nodeClock,
    queue,
    reconciler: { reconcile },
    workers: 4,
    ready: async (stop) => (await sources.synced(stop)) && copies.synced(stop),
  });
  await Promise.all([sources.run(signal), copies.run(signal), controller.run(signal)]);
}

/** Writes and deletes sources at random until the signal aborts; what fails is left. */
export async function change(cluster: Cluster, random: () => number, signal: AbortSignal): Promise<number> {
  let writes = 0;
  while (!signal.aborted) {
    const name = `s-${Math.floor(random() * 60)}`;
    const text = String(Math.floor(random() * 1e6)).repeat(1 + Math.floor(random() * 60));
    const path = { ...SOURCES, name };
    const write =
      random() < 0.3
        ? cluster.delete(path, { signal })
        : cluster.apply(path, configMap(`${SOURCES.namespace}/${name}`, { text }), {
            fieldManager: 'soak',
            force: true,
          });
    await write.then(
      () => {
        writes += 1;
      },
      () => undefined,
    );
    await wait(20 + random() * 80);
  }
  return writes;
}
