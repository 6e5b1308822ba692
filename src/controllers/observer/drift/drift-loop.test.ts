import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asMap, field, refOf } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import { linesOf } from '../../../core/release/canonical.ts';
import { ownerOf, withOwner } from '../../../core/release/ownership.ts';
import { sha256 } from '../../../core/release/render.fixture.ts';
import { renderSecrets } from '../../../core/release/render-store.ts';
import type { ObjectPath } from '../../../ports/cluster.ts';
import { ObserverWorld, RENDER } from '../observer.fixture.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const owner = ownerOf('test', 'default', 'shop', sha256);

let world: ObserverWorld;
beforeEach(() => {
  world = new ObserverWorld();
});
afterEach(() => world.stop());

function config(name: string, data: Record<string, string> = { mode: 'fast' }): KubernetesObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data };
}

function widget(name: string): KubernetesObject {
  const metadata = { name, namespace: 'default' };
  return { apiVersion: 'example.test/v1', kind: 'Widget', metadata, spec: { size: 3 } };
}

function resourceOf(object: KubernetesObject): string {
  return `${String(object['kind']).toLowerCase()}s`;
}

function pathOf(object: KubernetesObject): ObjectPath {
  const { group, version, namespace, name } = refOf(object);
  return { type: { group, version, resource: resourceOf(object) }, namespace, name };
}

/** A Release whose attempt succeeded: objects on the target, render stored, inventory written. */
async function applied(objects: readonly KubernetesObject[], drift: object = {}): Promise<void> {
  for (const object of objects) {
    await world.target.apply(pathOf(object), withOwner(object, owner), {
      fieldManager: 'convoy-controller',
      force: true,
    });
  }
  const release = { namespace: 'default', name: 'shop', uid: 'of-the-release' };
  for (const secret of renderSecrets(release, owner, RENDER, gzipSync(linesOf(objects)))) {
    await world.home.create({ type: { group: '', version: 'v1', resource: 'secrets' }, namespace: 'default' }, secret);
  }
  const entries = objects.map((object) => {
    const { group, version, kind, namespace, name } = refOf(object);
    return { group, version, kind, namespace, name, resource: resourceOf(object), wave: 0, renderRef: RENDER };
  });
  world.release(null, entries, { spec: { syncPolicy: { drift } }, attempted: { phase: 'Done', outcome: 'Succeeded' } });
  requests();
  await world.start();
}

/** Renders are decompressed beside the event loop: lets the loop turn until it says so. */
async function until(condition: () => boolean): Promise<void> {
  // An object is compared again after a short rest.
  await world.pass(6 * SECOND);
  while (!condition()) await world.settle();
}

const inSync = (): boolean => drifted().startsWith('False');
const outOfSync = (): boolean => drifted().startsWith('True');

/** The condition Drifted: status and message. */
function drifted(): string {
  const conditions = (field(world.stored()['status'], 'conditions') ?? []) as readonly Record<string, string>[];
  const found = conditions.find(({ type }) => type === 'Drifted');
  return found === undefined ? '-' : `${found['status']}: ${found['message']}`;
}

/** Requests to the target since the last time; informers' watches apart. */
function requests(): readonly string[] {
  const seen = world.target.calls
    .filter(({ verb }) => verb !== 'watch')
    .map(({ verb, resource }) => `${verb} ${resource}`);
  world.target.calls.length = 0;
  return seen;
}

async function edit(object: KubernetesObject, patch: object): Promise<void> {
  await world.target.patch(pathOf(object), 'merge', patch, { fieldManager: 'kubectl-edit' });
}

describe('objects without any health rule', () => {
  it('are compared once, then rest for an hour', async () => {
    await applied([config('a'), widget('w')]);
    await until(inSync);
    expect(drifted()).toBe('False: 2 resources are as rendered');
    requests();
    const version = asMap(world.stored()['metadata'])['resourceVersion'];
    await world.pass(HOUR - 10 * SECOND);
    expect(requests()).toEqual([]);
    await world.pass(20 * SECOND);
    const applies = (): readonly string[] =>
      world.target.calls.filter(({ verb }) => verb === 'apply').map((call) => call.resource);
    await until(() => applies().length === 2);
    expect(applies()).toEqual(['configmaps', 'widgets']);
    expect(asMap(world.stored()['metadata'])['resourceVersion']).toBe(version);
  });

  it('are compared again when their content changes, and a correction is asked for', async () => {
    const a = config('a');
    await applied([a, config('b')]);
    await until(inSync);
    await edit(a, { data: { mode: 'slow' } });
    requests();
    await until(outOfSync);
    expect(drifted()).toBe('True: 1 of 2 resources differs: ConfigMap default/a: .data.mode (kubectl-edit)');
    expect(world.syncs).toEqual(['default/shop Drift']);
    // One without force, one for the values; the other object is not asked for.
    expect(requests()).toEqual(['get configmaps', 'apply configmaps', 'apply configmaps']);
  });

  it('are in order again once they were corrected', async () => {
    const a = config('a');
    await applied([a]);
    await edit(a, { data: { mode: 'slow' } });
    await until(outOfSync);
    await world.target.apply(pathOf(a), withOwner(a, owner), { fieldManager: 'convoy-controller', force: true });
    await until(inSync);
    expect(drifted()).toBe('False: 1 resource is as rendered');
    await world.pass(HOUR / 2);
    expect(world.syncs).toEqual(['default/shop Drift']);
  });

  it('are missing as soon as they are deleted', async () => {
    await applied([config('a')]);
    await until(inSync);
    world.remove('ConfigMap', '', 'a');
    await until(outOfSync);
    expect(drifted()).toBe('True: 1 of 1 resources differs: ConfigMap default/a is missing');
  });

  it('are not taken for missing when the cluster does not serve their kind any more', async () => {
    await applied([widget('w'), config('a')]);
    await until(inSync);
    const definitions = world.targetApi.registry.byKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
    if (definitions === undefined) throw new Error('definitions are not served');
    world.targetApi.remove(definitions, '', 'widgets.example.test', {});
    await until(() => drifted().startsWith('Unknown'));
    expect(drifted()).toBe('Unknown: not compared: Widget default/w: the cluster serves no widgets of example.test/v1');
    expect(world.syncs).toEqual([]);
  });

  it('do not matter when only their status changes', async () => {
    await applied([widget('w')]);
    await until(inSync);
    requests();
    world.phase('w', 'Busy');
    await world.pass(60 * SECOND);
    expect(requests()).toEqual([]);
  });

  it('are not looked at where drift is off', async () => {
    await applied([config('a')], { mode: 'Off' });
    await world.pass(2 * HOUR);
    expect([drifted(), requests()]).toEqual(['-', []]);
  });
});

describe('a restart', () => {
  it('compares everything anew and writes nothing that is written already', async () => {
    await applied([config('a')]);
    await until(inSync);
    const version = asMap(world.stored()['metadata'])['resourceVersion'];
    await world.stop();
    requests();
    await world.start();
    // Spread over five minutes.
    await world.pass(300 * SECOND);
    await until(() => world.target.calls.some(({ verb }) => verb === 'apply'));
    await world.settle();
    expect(requests()).toContain('apply configmaps');
    expect(asMap(world.stored()['metadata'])['resourceVersion']).toBe(version);
  });
});
