import { describe, expect, it } from 'vitest';
import { asMap } from '../core/object/fields.ts';
import { CONFIG_MAPS, configMap } from '../testing/builders.ts';
import { FakeClock, settled } from '../testing/fake-clock.ts';
import { MemoryCluster } from '../testing/memory-cluster/memory-cluster.ts';
import { Controller, DONE } from './controller.ts';
import { Informer } from './informer.ts';
import { LeaderElection } from './leader-election.ts';
import { LEADER_TIMES, Lease, leasesIn } from './lease.ts';
import { Manager, type ManagerOptions, type Runnable } from './manager.ts';
import { keyOf, splitKey } from './object-key.ts';
import { WorkQueue } from './work-queue.ts';

const ALL = { type: CONFIG_MAPS, namespace: '' };

class Setting {
  readonly clock = new FakeClock();
  readonly cluster = new MemoryCluster({ clock: this.clock });
  readonly events: string[] = [];
  readonly informer = new Informer({ cluster: this.cluster, clock: this.clock, path: ALL });
  readonly #stop = new AbortController();
  #ended: Promise<string> | undefined;

  /** Runs until it is stopped, and a while longer. */
  part(name: string, windDown = 0): Runnable {
    const run = async (signal: AbortSignal): Promise<void> => {
      this.events.push(`${name} begins`);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      if (windDown > 0) await this.clock.sleep(windDown);
      this.events.push(`${name} ends, ${this.cluster.openWatches} watches, lease of '${await this.holder()}'`);
    };
    return { name, run };
  }

  election(): LeaderElection {
    const { clock, cluster } = this;
    const lease = new Lease({ cluster, clock, namespace: 's', name: 'l', identity: 'me', times: LEADER_TIMES });
    return new LeaderElection({ clock, lease, times: LEADER_TIMES });
  }

  async holder(): Promise<unknown> {
    const { items } = await this.cluster.list(leasesIn('s'));
    return (items[0]?.['spec'] as { holderIdentity?: string } | undefined)?.holderIdentity;
  }

  start(options: Partial<ManagerOptions>): Manager {
    const manager = new Manager({ clock: this.clock, informers: [this.informer], ...options });
    this.#ended = manager.run(this.#stop.signal).then(
      () => 'stopped',
      (error: Error) => `${error.name}: ${error.message}`,
    );
    return manager;
  }

  async ended(): Promise<string | undefined> {
    return this.#ended;
  }

  stop(): void {
    this.#stop.abort();
  }

  expectClean(): void {
    expect([this.cluster.openWatches, this.clock.sleeping]).toEqual([0, 0]);
  }
}

describe('a manager', () => {
  it('starts when the caches have synced, and stops in the opposite order with the lease given away', async () => {
    const setting = new Setting();
    setting.cluster.down = true;
    const manager = setting.start({
      always: [setting.part('server', 10)],
      leading: [setting.part('controller', 500)],
      election: setting.election(),
    });
    await setting.clock.advance(100);
    expect([setting.events, manager.synced]).toEqual([[], false]);
    setting.cluster.down = false;
    await setting.clock.advance(5000);
    expect([setting.events, manager.synced]).toEqual([['server begins', 'controller begins'], true]);
    setting.stop();
    await setting.clock.advance(510);
    expect(setting.events.slice(2)).toEqual([
      "controller ends, 1 watches, lease of 'me'",
      "server ends, 1 watches, lease of ''",
    ]);
    expect(await setting.ended()).toBe('stopped');
    setting.expectClean();
  });

  it('carries an event from the cluster to a reconcile and on to a write', async () => {
    const setting = new Setting();
    const { clock, cluster, informer } = setting;
    const queue = new WorkQueue<string>({ clock });
    informer.addHandler({ added: (object) => queue.add(keyOf(object)), updated: (object) => queue.add(keyOf(object)) });
    const reconcile = async (key: string): Promise<typeof DONE> => {
      const { namespace, name } = splitKey(key);
      const object = informer.store.get(namespace, name);
      const seen = { ...object, status: { seen: asMap(object?.['data'])['x'] } };
      await cluster.update({ ...ALL, namespace, name }, seen, { subresource: 'status' });
      return DONE;
    };
    setting.start({ leading: [new Controller({ name: 'seer', clock, queue, reconciler: { reconcile } })] });
    await cluster.create({ ...ALL, namespace: 'default' }, configMap('a', { x: '1' }));
    await clock.advance(10);
    await cluster.patch({ ...ALL, namespace: 'default', name: 'a' }, 'merge', { data: { x: '2' } });
    await clock.advance(10);
    expect(informer.store.get('default', 'a')).toMatchObject({ data: { x: '2' }, status: { seen: '2' } });
    setting.stop();
    expect(await setting.ended()).toBe('stopped');
    setting.expectClean();
  });

  it('stops everything when one part fails, and tells its failure', async () => {
    const setting = new Setting();
    setting.start({
      always: [{ name: 'port', run: () => Promise.reject(new Error('port is taken')) }],
      leading: [setting.part('controller')],
    });
    await settled();
    expect(await setting.ended()).toBe('Error: port is taken');
    expect(setting.events.map((event) => event.split(',')[0])).toEqual(['controller begins', 'controller ends']);
    setting.expectClean();
  });

  it('takes a part that ends by itself for a failure', async () => {
    const setting = new Setting();
    setting.start({ leading: [{ name: 'short', run: async () => {} }] });
    await settled();
    expect(await setting.ended()).toBe('RunnableFailedError: short ended by itself');
  });

  it('ends when it loses the lead', async () => {
    const setting = new Setting();
    setting.start({ leading: [setting.part('controller')], election: setting.election() });
    await setting.clock.advance(1000);
    setting.cluster.fault = ({ resource, verb }) => {
      if (resource.startsWith('leases') && verb === 'update') throw new Error('no');
    };
    await setting.clock.advance(15_000);
    expect(await setting.ended()).toBe('LeadershipLostError: the lease l could not be renewed in time');
    expect(setting.events).toHaveLength(2);
    setting.expectClean();
  });

  it('does not wait for ever for a part that does not end', async () => {
    const setting = new Setting();
    setting.start({ leading: [{ name: 'stuck', run: () => new Promise(() => {}) }] });
    await settled();
    setting.stop();
    await setting.clock.advance(30_000);
    expect(await setting.ended()).toBe('Error: not everything ended 30000 ms after the stop');
    await settled();
    setting.expectClean();
  });

  it('stops while the caches have not synced', async () => {
    const setting = new Setting();
    setting.cluster.down = true;
    setting.start({ leading: [setting.part('controller')] });
    await setting.clock.advance(1000);
    setting.stop();
    expect(await setting.ended()).toBe('stopped');
    expect(setting.events).toEqual([]);
    setting.expectClean();
  });
});
