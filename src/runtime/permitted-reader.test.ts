import { describe, expect, it } from 'vitest';
import { ApiError } from '../ports/errors.ts';
import { CONFIG_MAPS, configMap } from '../testing/builders.ts';
import { FakeClock, settled } from '../testing/fake-clock.ts';
import { MemoryCluster } from '../testing/memory-cluster/memory-cluster.ts';
import { History } from './history.fixture.ts';
import { PermittedReader } from './permitted-reader.ts';

/** A cluster with the objects one/a, two/b and three/c, of which only some may be listed. */
class Setting {
  readonly clock = new FakeClock();
  readonly cluster = new MemoryCluster({ clock: this.clock });
  readonly history = new History();
  readonly calls: string[] = [];
  readonly mayList: Set<string>;
  readonly reader: PermittedReader;
  readonly #stop = new AbortController();
  #ended: Promise<void> | undefined;

  private constructor(mayList: readonly string[], mayGet: boolean) {
    this.mayList = new Set(mayList);
    this.cluster.fault = ({ verb, namespace, moment }) => {
      if (moment === 'after' || verb === 'create') return;
      if (verb !== 'watch') this.calls.push(`${verb} ${namespace}`);
      if (verb === 'get' ? !mayGet : !this.mayList.has(namespace)) {
        throw new ApiError(`configmaps in '${namespace}' is forbidden`, 403, 'Forbidden');
      }
    };
    this.reader = new PermittedReader({ cluster: this.cluster, clock: this.clock, type: CONFIG_MAPS });
    this.reader.addHandler(this.history);
  }

  static async start({ mayList, mayGet = true }: { mayList: readonly string[]; mayGet?: boolean }): Promise<Setting> {
    const setting = new Setting(mayList, mayGet);
    for (const name of ['one/a', 'two/b', 'three/c']) await setting.create(name);
    setting.reader.use('one');
    setting.reader.use('two');
    setting.#ended = setting.reader.run(setting.#stop.signal);
    await setting.clock.advance(10_000);
    return setting;
  }

  create(name: string): Promise<unknown> {
    const [namespace = ''] = name.split('/');
    return this.cluster.create({ type: CONFIG_MAPS, namespace }, configMap(name));
  }

  async stopsClean(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
    expect([this.cluster.openWatches, this.clock.sleeping]).toEqual([0, 0]);
  }
}

describe('what a reader knows without asking', () => {
  const never = new AbortController().signal;

  it('is what its cache holds, also that something is not there', async () => {
    const setting = await Setting.start({ mayList: [''] });
    expect(await setting.reader.settled('three', never)).toBe(true);
    expect(setting.reader.cached('three', 'c')?.object).toMatchObject({ metadata: { name: 'c' } });
    expect(setting.reader.cached('three', 'x')).toEqual({ object: undefined });
    await setting.stopsClean();
  });

  it('is nothing about a namespace that may not be listed, and whoever waits is told so', async () => {
    const setting = await Setting.start({ mayList: ['one'] });
    expect(await setting.reader.settled('two', never)).toBe(true);
    expect(setting.reader.cached('two', 'b')).toBeUndefined();
    expect(setting.reader.cached('one', 'a')).toBeDefined();
    await setting.stopsClean();
  });

  it('is nothing while the cluster cannot be reached: the wait ends with its signal, and the reason is there', async () => {
    const setting = await Setting.start({ mayList: [''] });
    const lost = new MemoryCluster({ clock: setting.clock });
    lost.down = true;
    const reader = new PermittedReader({ cluster: lost, clock: setting.clock, type: CONFIG_MAPS });
    const stop = new AbortController();
    const ended = reader.run(stop.signal);
    await settled();
    expect(reader.problem('one')?.message).toBe('connection refused');
    expect(await reader.settled('one', AbortSignal.abort())).toBe(false);
    expect(reader.cached('one', 'a')).toBeUndefined();
    stop.abort();
    await ended;
    await setting.stopsClean();
  });
});

describe('a reader', () => {
  it('that may list everything follows the cluster by one stream', async () => {
    const setting = await Setting.start({ mayList: [''] });
    expect(await setting.reader.get('three', 'c')).toMatchObject({ metadata: { name: 'c' } });
    expect(await setting.reader.get('three', 'x')).toBeUndefined();
    expect([setting.reader.reach, setting.cluster.openWatches, setting.calls]).toEqual(['cluster', 1, []]);
    await setting.stopsClean();
  });

  it('that may not list the cluster follows the namespaces in use, and those that come into use', async () => {
    const setting = await Setting.start({ mayList: ['one', 'two', 'three'] });
    expect([setting.reader.reach, setting.cluster.openWatches]).toEqual(['namespaces', 2]);
    setting.reader.use('three');
    await settled();
    await setting.create('three/d');
    expect(await setting.reader.get('one', 'a')).toBeDefined();
    expect(await setting.reader.get('three', 'c')).toBeDefined();
    expect(setting.history.lines).toEqual([
      'one/a added initially',
      'two/b added initially',
      'three/c added initially',
      'three/d added',
    ]);
    expect(setting.calls.filter((call) => call.startsWith('get'))).toEqual([]);
    await setting.stopsClean();
  });

  it('leaves a namespace that is not in use any more', async () => {
    const setting = await Setting.start({ mayList: ['one', 'two'] });
    setting.reader.leave('two');
    await settled();
    expect(setting.cluster.openWatches).toBe(1);
    expect(await setting.reader.get('two', 'b')).toBeDefined();
    expect(setting.calls.at(-1)).toBe('get two');
    await setting.stopsClean();
  });

  it('asks for single objects where it may not list either', async () => {
    const setting = await Setting.start({ mayList: ['one'] });
    expect(await setting.reader.get('two', 'b')).toBeDefined();
    expect(await setting.reader.get('two', 'x')).toBeUndefined();
    expect(setting.calls).toEqual([...Array(3).fill('list '), ...Array(3).fill('list two'), 'get two', 'get two']);
    await setting.stopsClean();
  });

  it('follows a namespace that it may list later', async () => {
    const setting = await Setting.start({ mayList: ['one'] });
    setting.mayList.add('two');
    await setting.clock.advance(600_000);
    expect(setting.cluster.openWatches).toBe(2);
    expect(await setting.reader.get('two', 'b')).toBeDefined();
    expect(setting.history.lines).toContain('two/b added initially');
    expect(setting.calls.filter((call) => call.startsWith('get'))).toEqual([]);
    await setting.stopsClean();
  });

  it('does not take the 403 of a server that is starting for a no', async () => {
    const clock = new FakeClock();
    const cluster = new MemoryCluster({ clock });
    let refusals = 2;
    cluster.fault = ({ verb }) => {
      if (verb === 'list' && refusals-- > 0) throw new ApiError('forbidden', 403, 'Forbidden');
      if (verb === 'watch' && refusals > 0) throw new ApiError('forbidden', 403, 'Forbidden');
    };
    const reader = new PermittedReader({ cluster, clock, type: CONFIG_MAPS });
    const stop = new AbortController();
    const ended = reader.run(stop.signal);
    await clock.advance(5000);
    expect(reader.reach).toBe('cluster');
    stop.abort();
    await ended;
  });

  it('that may not even do that says so: it is no absence', async () => {
    const setting = await Setting.start({ mayList: [], mayGet: false });
    await expect(setting.reader.get('two', 'b')).rejects.toMatchObject({ code: 403 });
    await setting.stopsClean();
  });

  it('stops while its first list is under way', async () => {
    const clock = new FakeClock();
    const cluster = new MemoryCluster({ clock });
    cluster.down = true;
    const reader = new PermittedReader({ cluster, clock, type: CONFIG_MAPS });
    const stop = new AbortController();
    const ended = reader.run(stop.signal);
    await clock.advance(5000);
    stop.abort();
    await ended;
    expect(clock.sleeping).toBe(0);
  });

  it('waits with its answer for the first list', async () => {
    const setting = await Setting.start({ mayList: [''] });
    const clock = new FakeClock();
    setting.cluster.down = true;
    const reader = new PermittedReader({ cluster: setting.cluster, clock, type: CONFIG_MAPS });
    const stop = new AbortController();
    const ended = reader.run(stop.signal);
    const got = reader.get('one', 'a');
    await clock.advance(5000);
    expect(reader.reach).toBe('asking');
    setting.cluster.down = false;
    await clock.advance(5000);
    expect(await got).toBeDefined();
    stop.abort();
    await ended;
    expect(clock.sleeping).toBe(0);
  });
});
