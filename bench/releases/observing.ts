import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectCluster, loadClusterConfig, machineSurroundings } from '../../src/adapters/kube/index.ts';
import { nodeClock } from '../../src/apps/node-clock.ts';
import { observer } from '../../src/controllers/observer/index.ts';
import { GLOBAL_HEALTH_RULE_SETS, HEALTH_RULE_SETS, INVENTORIES, RELEASES } from '../../src/core/api/index.ts';
import type { Cluster, ResourcePath } from '../../src/ports/cluster.ts';
import { Informer } from '../../src/runtime/informer.ts';
import { INVENTORY_INDEXES } from '../../src/runtime/inventory-index.ts';
import type { Question } from './sandbox-process.ts';
import { INSTALLATION } from './world.ts';

/** The sandbox of the other process. */
export class BenchSandbox {
  readonly #child: ChildProcess;
  readonly cluster: Cluster;

  private constructor(child: ChildProcess, cluster: Cluster) {
    this.#child = child;
    this.cluster = cluster;
  }

  static async start(): Promise<BenchSandbox> {
    const child = fork(join(import.meta.dirname, 'sandbox-process.ts'));
    const [{ value }] = await once(child, 'message');
    const machine = machineSurroundings({ environment: {}, home: '', clock: nodeClock, interactive: false });
    const around = { ...machine, readFile: async () => String(value) };
    const config = await loadClusterConfig({ kubeconfig: '/sandbox' }, around);
    return new BenchSandbox(child, connectCluster({ clock: nodeClock, config }));
  }

  async ask<Answer>(question: Question): Promise<Answer> {
    this.#child.send(question);
    const [{ value, error }] = await once(this.#child, 'message');
    if (error !== undefined) throw new Error(error);
    // Each question has its own sort of answer.
    return value as Answer;
  }

  async close(): Promise<void> {
    await this.cluster.close();
    this.#child.disconnect();
    await once(this.#child, 'exit');
  }
}

/** A running observer. */
export interface Observing {
  /** Releases that a pass has been made over. */
  readonly seen: ReadonlySet<string>;
  stop(): Promise<void>;
}

export function startObserver(cluster: Cluster, drift: boolean): Observing {
  const stop = new AbortController();
  const informer = (type: ResourcePath['type'], indexes = {}): Informer =>
    new Informer({ cluster, clock: nodeClock, path: { type, namespace: '' }, indexes });
  const informers = {
    releases: informer(RELEASES),
    inventories: informer(INVENTORIES, INVENTORY_INDEXES),
    globalRuleSets: informer(GLOBAL_HEALTH_RULE_SETS),
    localRuleSets: informer(HEALTH_RULE_SETS),
  };
  const seen = new Set<string>();
  const running = observer({
    home: cluster,
    clock: nodeClock,
    informers,
    targets: { of: async () => ({ key: 'home', home: true, reader: cluster, cluster, actsAs: '' }) },
    events: { record: () => {}, flush: async () => {} },
    installation: INSTALLATION,
    requestSync: () => {},
    drift,
    onOutcome: (controller, key, outcome) => {
      if (controller === 'observer' && outcome.kind !== 'failed') seen.add(key);
      else if (outcome.kind === 'failed') console.error(`${controller} ${key}: ${outcome.error.message}`);
    },
  });
  const ended = Promise.all([...Object.values(informers).map((one) => one.run(stop.signal)), running.run(stop.signal)]);
  return {
    seen,
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}

/** Asks until something holds; gives the ms that it took. */
export async function timeUntil(holds: () => boolean | Promise<boolean>, every = 20): Promise<number> {
  const start = performance.now();
  while (!(await holds())) await sleep(every);
  return performance.now() - start;
}
