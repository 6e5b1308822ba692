import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SourceError } from '../../ports/renderer.ts';
import { configMap, ReleaseWorld } from './release-world.fixture.ts';

let world: ReleaseWorld;
beforeEach(() => {
  world = new ReleaseWorld();
});
afterEach(() => {
  expect(world.faults).toEqual([]);
});

describe('a source', () => {
  it('that is a ConfigMap is read key by key, and again when it changes', async () => {
    const text = (value: string) => JSON.stringify(configMap('a', { value }));
    world.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'manifests', namespace: 'shop' },
      data: { 'a.yaml': text('1'), 'notes.txt': 'not this' },
    });
    world.releaseOf({ source: { configMap: { name: 'manifests' } } });
    await world.run();
    expect(world.find('v1', 'ConfigMap', 'a')?.['data']).toEqual({ value: '1' });
    world.change('v1', 'ConfigMap', 'shop', 'manifests', (draft) => {
      draft['data'] = { 'a.yaml': text('2') };
    });
    world.sourceChanged();
    await world.run();
    expect(world.find('v1', 'ConfigMap', 'a')?.['data']).toEqual({ value: '2' });
    expect(world.status.lastApplied?.revision).toMatch(/^manifests@\d+$/);
  });

  it('that is not there is told with its mend, and tried again', async () => {
    world.releaseOf({ source: { configMap: { name: 'none' } } });
    const result = await world.run();
    expect(world.conditions).toEqual(['Ready=False SourceFailed']);
    expect(world.readyMessage).toBe('ConfigMap shop/none is not there; create it, or mend spec.source.configMap');
    expect(result).toMatchObject({ kind: 'after', ms: 30_000 });
  });

  it('far away is fetched once an interval, and rendered when it changed; its files are given back', async () => {
    world.renderer.chart = () => [configMap('a', { value: String(world.renderer.renders) })];
    world.releaseOf({ source: { git: { url: 'https://git.example/web' } } });
    await world.run();
    await world.run();
    expect([world.fetcher.fetched.length, world.renderer.renders]).toEqual([1, 1]);
    await world.clock.advance(300_000);
    await world.run();
    world.restart();
    await world.run();
    // The chart would render otherwise each time: the stored render stands.
    expect([world.fetcher.fetched.length, world.renderer.renders, world.fetcher.held]).toEqual([3, 1, 0]);
    world.fetcher.content = { digest: 'sha256:1', revision: 'main@sha1:1' };
    await world.clock.advance(300_000);
    await world.run();
    expect(world.renderer.renders).toBe(2);
    expect(world.status.lastApplied?.revision).toBe('main@sha1:1');
    expect(world.fetcher.held).toBe(0);
  });

  it('far away waits while too many others are fetched; what was read before goes on to count', async () => {
    world.renderer.chart = () => [configMap('a')];
    world.releaseOf({ source: { git: { url: 'https://git.example/web' } } });
    world.fetchesAreFull = true;
    expect(await world.run()).toEqual({ kind: 'after', ms: 30_000 });
    expect(world.readyMessage).toBe('waiting for other sources to be fetched from git.example');
    world.fetchesAreFull = false;
    await world.run();
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
    world.fetchesAreFull = true;
    await world.clock.advance(300_000);
    await world.run();
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
    world.fetchesAreFull = false;
    await world.clock.advance(30_000);
    await world.run();
    expect(world.fetcher.fetched).toHaveLength(2);
    world.fetcher.content = new SourceError('fetching did not end within 60 s', 'retry');
    await world.clock.advance(300_000);
    await world.run();
    world.fetchesAreFull = true;
    await world.clock.advance(30_000);
    expect(await world.run()).toEqual({ kind: 'after', ms: 30_000 });
    expect(world.readyMessage).toContain('did not end within 60 s');
  });

  it('that fails for good is stalled until it changes; what runs is kept', async () => {
    world.releaseOf({ source: { git: { url: 'https://git.example/web' } } });
    world.renderer.chart = () => [configMap('a')];
    await world.run();
    world.fetcher.content = new SourceError('no such tag; name one', 'terminal');
    await world.clock.advance(300_000);
    await world.run();
    expect(world.conditions).toEqual(['Ready=False SourceFailed', 'Stalled=True SourceFailed']);
    world.fetcher.content = { digest: 'sha256:0', revision: 'main@sha1:0' };
    await world.clock.advance(300_000);
    await world.run();
    expect(world.conditions).toEqual(['Ready=True Succeeded']);
  });

  it('without an object prunes nothing', async () => {
    world.release([configMap('a')]);
    await world.run();
    world.release([]);
    await world.run();
    expect(world.conditions[0]).toBe('Ready=False RenderFailed');
    expect(world.find('v1', 'ConfigMap', 'a')).toBeDefined();
    world.release([], { syncPolicy: { allowEmpty: true } });
    await world.run();
    expect(world.find('v1', 'ConfigMap', 'a')).toBeUndefined();
  });

  it('with a kind that nobody serves is told', async () => {
    world.release([{ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } }]);
    await world.run();
    expect(world.conditions[0]).toBe('Ready=False RenderFailed');
    expect(world.readyMessage).toContain('serves no Widget of example.com/v1');
  });

  it('of a chart merges valuesFrom and values, and reads Secrets without showing them', async () => {
    const secret = { password: 'correct-horse' };
    world.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'values', namespace: 'shop' },
      data: { 'values.yaml': Buffer.from(JSON.stringify({ db: secret, replicas: 1 })).toString('base64') },
    });
    let seen: unknown;
    world.renderer.chart = (request) => {
      seen = request.kind === 'chart' ? request.values : undefined;
      return [configMap('a')];
    };
    const helm = {
      chart: 'web',
      repo: { url: 'https://charts.example' },
      values: { replicas: 2 },
      valuesFrom: [
        { kind: 'Secret', name: 'values' },
        { kind: 'ConfigMap', name: 'none', optional: true },
      ],
    };
    world.releaseOf({ source: { helm } });
    await world.run();
    expect(seen).toEqual({ db: secret, replicas: 2 });
    expect(JSON.stringify([world.status, world.events])).not.toContain('correct-horse');
  });
});
