import { describe, expect, it } from 'vitest';
import { ApiError, TransportError } from '../ports/errors.ts';
import { CONFIG_MAPS, configMap } from '../testing/builders.ts';
import { FakeClock, settled } from '../testing/fake-clock.ts';
import { type Call, MemoryCluster } from '../testing/memory-cluster/memory-cluster.ts';
import { History, running, versionsOf } from './history.fixture.ts';
import { Informer, type InformerOptions } from './informer.ts';
import { metadataOf } from './object-key.ts';

const ALL = { type: CONFIG_MAPS, namespace: '' };
const HERE = { type: CONFIG_MAPS, namespace: 'default' };
const named = (name: string) => ({ ...HERE, name });

class Setting {
  readonly clock = new FakeClock();
  readonly cluster = new MemoryCluster({ clock: this.clock });
  readonly errors: string[] = [];
  /** Calls that reached the server, as `verb`. */
  readonly calls: string[] = [];
  readonly history = new History();
  readonly informer: Informer;
  readonly stop: () => Promise<void>;

  constructor(options: Partial<InformerOptions> = {}, prepare: (setting: Setting) => void = () => {}) {
    this.cluster.fault = (call) => this.fault(call);
    this.informer = new Informer({
      cluster: this.cluster,
      clock: this.clock,
      path: ALL,
      onError: (error) => this.errors.push(error.message),
      ...options,
    });
    this.informer.addHandler(this.history);
    prepare(this);
    this.stop = running(this.informer).stop;
  }

  refuse: (call: Call) => Error | undefined = () => undefined;

  fault(call: Call): void {
    if (call.moment === 'after') return;
    if (call.verb === 'list' || call.verb === 'watch') this.calls.push(call.verb);
    const error = this.refuse(call);
    if (error) throw error;
  }

  create(name: string, metadata = {}): Promise<unknown> {
    return this.cluster.create(HERE, configMap(name, {}, metadata));
  }

  async equalsServer(): Promise<void> {
    const { items } = await this.cluster.list(ALL);
    expect(versionsOf(this.informer.store.list())).toEqual(versionsOf(items));
    expect(this.history.versions()).toEqual(versionsOf(items));
    expect(this.history.breaches).toEqual([]);
  }

  async endsClean(): Promise<void> {
    await this.stop();
    await settled();
    expect([this.cluster.openWatches, this.clock.sleeping]).toEqual([0, 0]);
  }
}

describe('an informer', () => {
  it('lists by one stream, then follows', async () => {
    const setting = new Setting({}, ({ cluster }) => {
      void cluster.create(HERE, configMap('a'));
    });
    await settled();
    expect(setting.informer.hasSynced).toBe(true);
    await setting.create('b');
    await setting.cluster.update(named('a'), configMap('a', { x: '1' }));
    await setting.cluster.delete(named('b'));
    await settled();
    expect(setting.history.lines).toEqual([
      'default/a added initially',
      'default/b added',
      'default/a updated',
      'default/b deleted',
    ]);
    expect(setting.calls).toEqual(['watch']);
    await setting.equalsServer();
    await setting.endsClean();
  });

  it.each([400, 403, 422])('lists in pages when the stream is refused with %i', async (code) => {
    const setting = new Setting({}, (self) => {
      let first = true;
      self.refuse = ({ verb }) => {
        const refused = verb === 'watch' && first;
        first = false;
        return refused ? new ApiError('no sendInitialEvents', code, 'Invalid') : undefined;
      };
    });
    for (let i = 0; i < 3; i++) await setting.create(`c${i}`);
    await settled();
    expect(setting.calls).toEqual(['watch', 'list', 'watch']);
    expect(setting.errors).toEqual([]);
    await setting.equalsServer();
  });

  it('lists when an old server passes the wish for a stream over', async () => {
    const setting = new Setting({}, ({ cluster }) => {
      cluster.streams.streamingLists = false;
    });
    await setting.create('a');
    expect(await setting.clock.advanceUntil(() => setting.informer.hasSynced, 11_000)).toBe(true);
    expect(setting.calls).toEqual(['watch', 'list', 'watch']);
    await setting.equalsServer();
  });

  it('lists also when that old server is never silent', async () => {
    const setting = new Setting({}, ({ cluster }) => {
      cluster.streams.streamingLists = false;
    });
    for (let i = 0; i < 61; i++) {
      await setting.create(`c${i}`);
      await setting.clock.advance(1000);
    }
    expect(setting.informer.hasSynced).toBe(true);
    await setting.equalsServer();
  });

  it('reads 1,200 objects in pages, and again in one when a page is forgotten', async () => {
    const setting = new Setting({}, (self) => {
      self.cluster.streams.streamingLists = false;
      let pages = 0;
      self.refuse = ({ verb }) => {
        if (verb === 'list' && ++pages === 3) self.cluster.compact();
        return undefined;
      };
    });
    for (let i = 0; i < 1200; i++) await setting.create(`c${i}`);
    await setting.clock.advanceUntil(() => setting.informer.hasSynced, 80_000);
    expect(setting.calls).toEqual(['watch', 'list', 'list', 'list', 'list', 'watch']);
    expect(setting.informer.store.size).toBe(1200);
    await setting.equalsServer();
  });

  it('lets others have a turn while a long list goes into the cache, and can be stopped meanwhile', async () => {
    const setting = new Setting({}, (self) => {
      self.refuse = ({ verb }) =>
        verb === 'watch' && self.calls.length === 1 ? new TransportError('unreachable', 'no route') : undefined;
    });
    for (let i = 0; i < 1200; i++) await setting.create(`c${i}`);
    await setting.clock.advanceUntil(() => setting.informer.store.size > 0, 10_000);
    const seen = [setting.informer.store.size, setting.informer.hasSynced];
    await setting.endsClean();
    expect(seen).toEqual([500, false]);
    expect(setting.informer.store.size).toBe(500);
    expect(setting.history.breaches).toEqual([]);
  });

  it('goes on from where a stream ended, without a list', async () => {
    const setting = new Setting();
    await setting.create('a');
    await setting.clock.advance(5000);
    setting.cluster.cutWatches();
    await setting.create('b');
    await settled();
    setting.cluster.cutWatches(new TransportError('unreachable', 'reset'));
    await setting.create('c');
    await setting.clock.advance(2000);
    expect(setting.calls).toEqual(['watch', 'watch', 'watch']);
    expect(setting.errors).toEqual(['reset']);
    expect(setting.informer.problem).toBeUndefined();
    await setting.equalsServer();
  });

  it('has no problem any more once a stream holds, also if nothing happens in it', async () => {
    const setting = new Setting();
    await setting.clock.advance(5000);
    setting.cluster.cutWatches(new TransportError('unreachable', 'reset'));
    await settled();
    expect(setting.informer.problem).toMatchObject({ fault: 'unreachable' });
    await setting.clock.advance(3000);
    expect(setting.calls).toEqual(['watch', 'watch']);
    expect(setting.informer.problem).toBeUndefined();
  });

  it('goes on from a bookmark, so that a forgotten history does not hurt', async () => {
    const setting = new Setting();
    await setting.clock.advance(1000);
    await setting.cluster.create(
      { type: { ...CONFIG_MAPS, resource: 'others' }, namespace: 'default' },
      configMap('x'),
    );
    await setting.clock.advance(60_000);
    setting.cluster.compact();
    setting.cluster.cutWatches();
    await settled();
    expect(setting.errors).toEqual([]);
    expect(setting.calls).toEqual(['watch', 'watch']);
  });

  it('lists again after 410, and says of what vanished that its end was missed', async () => {
    const setting = new Setting();
    for (const name of ['a', 'b', 'c']) await setting.create(name);
    await settled();
    void setting.cluster.restart(100);
    await setting.clock.advance(100);
    await setting.cluster.delete(named('a'));
    await setting.cluster.update(named('b'), configMap('b', { x: '1' }));
    await setting.create('d');
    setting.cluster.compact();
    setting.history.lines.length = 0;
    await setting.clock.advance(10_000);
    expect(setting.history.lines).toEqual([
      'default/a deleted, final state unknown',
      'default/b updated',
      'default/d added',
    ]);
    await setting.equalsServer();
  });

  it('replaces a stream that has fallen silent', async () => {
    const setting = new Setting();
    await setting.create('a');
    await settled();
    setting.cluster.silenceWatches();
    await setting.create('b');
    await setting.clock.advance(149_000);
    expect(setting.informer.store.size).toBe(1);
    await setting.clock.advance(1_000);
    expect(setting.calls).toEqual(['watch', 'watch']);
    await setting.equalsServer();
    await setting.endsClean();
  });

  it('is whole again within 5 s of the return of a server that was long away', async () => {
    const setting = new Setting();
    await setting.create('a');
    await settled();
    void setting.cluster.restart(600_000);
    await setting.clock.advance(600_000);
    expect(setting.informer.problem).toMatchObject({ fault: 'unreachable' });
    expect(setting.informer.store.size).toBe(1);
    await setting.create('b');
    expect(await setting.clock.advanceUntil(() => setting.informer.store.size === 2, 5000)).toBe(true);
  });

  it('waits as long as the server asks', async () => {
    const setting = new Setting({}, (self) => {
      self.refuse = () =>
        self.calls.length === 1 ? new ApiError('slow down', 429, 'TooManyRequests', [], 40) : undefined;
    });
    await setting.clock.advance(39_999);
    expect(setting.calls).toHaveLength(1);
    await setting.clock.advance(1);
    expect(setting.informer.hasSynced).toBe(true);
  });

  it('goes on trying while it may not read, and says why', async () => {
    let forbidden = true;
    const setting = new Setting({}, (self) => {
      self.refuse = () => (forbidden ? new ApiError('configmaps is forbidden', 403, 'Forbidden') : undefined);
    });
    await setting.clock.advance(120_000);
    expect(setting.informer.hasSynced).toBe(false);
    expect(setting.informer.problem).toMatchObject({ code: 403 });
    expect(setting.calls.length).toBeLessThan(20);
    forbidden = false;
    expect(await setting.clock.advanceUntil(() => setting.informer.hasSynced, 30_000)).toBe(true);
    expect(setting.informer.problem).toBeUndefined();
  });

  it('lists anew when the server was set back to a backup', async () => {
    const setting = new Setting();
    await settled();
    const ahead = new ApiError('too large', 504, 'Timeout', [
      { reason: 'ResourceVersionTooLarge', message: '', field: '' },
    ]);
    setting.refuse = () => (setting.calls.length === 2 ? ahead : undefined);
    await setting.clock.advance(5000);
    setting.cluster.cutWatches();
    await setting.clock.advance(5000);
    await setting.create('a');
    await settled();
    expect(setting.calls).toEqual(['watch', 'watch', 'watch']);
    await setting.equalsServer();
  });

  it('does not hammer a server that ends each stream at once', async () => {
    const setting = new Setting();
    await settled();
    setting.refuse = () => {
      void Promise.resolve().then(() => setting.cluster.cutWatches());
      return undefined;
    };
    setting.cluster.cutWatches();
    await setting.clock.advance(60_000);
    expect(setting.calls.length).toBeLessThan(12);
  });
});

describe('the cache of an informer', () => {
  it('holds objects without managed fields, as the transform made them', async () => {
    const setting = new Setting({
      transform: (object) => ({ ...object, data: {} }),
      indexes: { label: (object) => Object.keys((metadataOf(object)['labels'] as object | undefined) ?? {}) },
    });
    await setting.cluster.create(HERE, configMap('a', { big: 'x' }, { managedFields: [{}], labels: { app: 'web' } }));
    await settled();
    const [object] = setting.informer.store.indexed('label', 'app');
    expect(object).toMatchObject({ metadata: { name: 'a' }, data: {} });
    expect(object?.['metadata']).not.toHaveProperty('managedFields');
  });

  it('takes an object whole when the transform throws', async () => {
    const setting = new Setting({
      transform: () => {
        throw new Error('bad transform');
      },
    });
    await setting.create('a');
    await settled();
    expect(setting.errors).toContain('bad transform');
    await setting.equalsServer();
  });

  it('holds what the selector lets through', async () => {
    const setting = new Setting({ labelSelector: 'app' });
    await setting.create('a', { labels: { app: 'web' } });
    await setting.create('b');
    await setting.cluster.update(named('a'), configMap('a'));
    await settled();
    expect(setting.history.lines).toEqual(['default/a added', 'default/a deleted']);
  });
});

describe('a handler', () => {
  it('that comes late hears of all that is there, then of changes; one that left hears nothing', async () => {
    const setting = new Setting();
    await setting.create('a');
    await settled();
    const late = new History();
    const leave = setting.informer.addHandler(late);
    await setting.create('b');
    await settled();
    leave();
    await setting.create('c');
    await settled();
    expect(late.lines).toEqual(['default/a added initially', 'default/b added']);
  });

  it('that throws disturbs nobody', async () => {
    const setting = new Setting();
    setting.informer.addHandler({
      added: () => {
        throw new Error('bad handler');
      },
    });
    const behind = new History();
    setting.informer.addHandler(behind);
    await setting.create('a');
    await settled();
    expect(behind.lines).toEqual(['default/a added']);
    expect(setting.errors).toEqual(['bad handler']);
  });
});

describe('waiting for the first list', () => {
  it('ends with it, or with the signal', async () => {
    const setting = new Setting({}, (self) => {
      self.cluster.down = true;
    });
    const stop = new AbortController();
    const given = setting.informer.synced(stop.signal);
    const patient = setting.informer.synced(new AbortController().signal);
    stop.abort();
    expect(await given).toBe(false);
    setting.cluster.down = false;
    await setting.clock.advance(5000);
    expect(await patient).toBe(true);
  });

  it('never ends for an informer that is stopped, and the informer starts only once', async () => {
    const setting = new Setting();
    await setting.endsClean();
    await expect(setting.informer.run(new AbortController().signal)).rejects.toThrow('started before');
  });
});
