import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectByKubeconfig } from '../../src/apps/connect-cluster.ts';
import { definitionOf, OWN_KINDS } from '../../src/core/api/index.ts';
import { field, type JsonMap, refOf } from '../../src/core/object/fields.ts';
import { linesOf, renderRefOf } from '../../src/core/release/canonical.ts';
import { ownerOf, withOwner } from '../../src/core/release/ownership.ts';
import { renderSecrets } from '../../src/core/release/render-store.ts';
import { type LiveWorld, liveWorld } from './live-world.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const owner = ownerOf('home', 'default', 'podinfo', sha256);
const settings = config('settings', { mode: 'fast' });
const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'key', namespace: 'default' },
  data: { token: 'aHVudGVyMg==' },
};

let world: LiveWorld;
beforeEach(async () => {
  world = await liveWorld();
  for (const own of OWN_KINDS) world.create({ ...definitionOf(own) });
});
afterEach(() => world.close());

function config(name: string, data: Record<string, string>): JsonMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data };
}

/** A Release that was applied whole. */
function applied(spec: JsonMap = {}): void {
  const objects = [settings, secret];
  const renderRef = renderRefOf(objects, sha256);
  const { api } = world.sandbox;
  for (const object of objects) {
    const { name, kind } = refOf(object);
    const resource = api.registry.byKind('v1', kind);
    if (resource === undefined) throw new Error(`${kind} is not served`);
    api.apply(resource, 'default', name, withOwner(object, owner), { manager: 'convoy-controller', force: true });
  }
  world.create({
    apiVersion: 'convoy.kumodo.io/v1alpha1',
    kind: 'Release',
    metadata: { name: 'podinfo' },
    spec: { source: { inline: { manifests: 'x' } }, ...spec },
  });
  const time = new Date(world.clock.now()).toISOString();
  const lastAttempted = { renderRef, revision: '1', time, attempt: 1, total: 2, phase: 'Done', outcome: 'Succeeded' };
  world.setStatus('Release', 'podinfo', { lastAttempted });
  const resource = api.registry.byKind('convoy.kumodo.io/v1alpha1', 'Release');
  if (resource === undefined) throw new Error('Releases are not served');
  const { uid } = api.get(resource, 'default', 'podinfo').metadata;
  const release = { namespace: 'default', name: 'podinfo', uid };
  for (const stored of renderSecrets(release, owner, renderRef, gzipSync(linesOf(objects))))
    world.create({ ...stored });
  const entries = objects.map((object) => {
    const { kind, namespace, name } = refOf(object);
    return { kind, namespace, name, version: 'v1', resource: `${kind.toLowerCase()}s`, renderRef };
  });
  world.create({
    apiVersion: 'convoy.kumodo.io/v1alpha1',
    kind: 'ReleaseInventory',
    metadata: { name: 'podinfo' },
    spec: { release: 'podinfo', page: 1, entries },
  });
}

describe('convoy release diff', () => {
  it('of a Release that nobody touched says so', async () => {
    applied();
    expect(await world.run(['release', 'diff', 'podinfo'])).toEqual({
      code: 0,
      out: '',
      err: 'release podinfo: 2 objects are as rendered\n',
    });
  });

  it('shows what differs and who did it, and no value of a Secret', async () => {
    applied();
    world.change('ConfigMap', 'settings', (draft) => Object.assign(draft, { data: { mode: 'slow' } }));
    world.change('Secret', 'key', (draft) => Object.assign(draft, { data: { token: 'bGVha2Vk' } }));
    expect(await world.run(['release', 'diff', 'podinfo'])).toEqual({
      code: 1,
      out: [
        'v1 ConfigMap default/settings',
        '  .data.mode: "slow" → "fast"  (test)',
        'v1 Secret default/key',
        '  .data.token: "***" → "***"  (test)',
        '',
      ].join('\n'),
      err: '',
    });
  });

  it('writes nothing', async () => {
    applied();
    world.change('ConfigMap', 'settings', (draft) => Object.assign(draft, { data: { mode: 'slow' } }));
    await world.pass(1000);
    const before = world.sandbox.api.store.revision;
    await world.run(['release', 'diff', 'podinfo']);
    expect(world.sandbox.api.store.revision).toBe(before);
  });

  it('as JSON tells each object', async () => {
    applied();
    world.remove('ConfigMap', 'settings');
    const { code, out } = await world.run(['release', 'diff', 'podinfo', '-o', 'json', '--exit-zero']);
    const object = { group: '', version: 'v1', namespace: 'default' };
    expect([code, JSON.parse(out)]).toEqual([
      0,
      [
        { ...object, kind: 'ConfigMap', name: 'settings', state: 'missing' },
        { ...object, kind: 'Secret', name: 'key', state: 'same' },
      ],
    ]);
  });

  it('of a Release on another cluster asks for a context of it', async () => {
    applied({ target: { kubeConfig: { secretRef: { name: 'east' } } } });
    const { code, err } = await world.run(['release', 'diff', 'podinfo']);
    expect([code, err]).toEqual([
      2,
      'convoy: release podinfo cannot be compared: its objects are on the cluster of the Secret east; name a context of that cluster with --target-context\n',
    ]);
    const contexts: unknown[] = [];
    const compared = await world.run(['release', 'diff', 'podinfo', '--target-context', 'convoy-sandbox'], {
      connectCluster: (choice) => {
        contexts.push(field({ ...choice }, 'context'));
        return connectByKubeconfig(choice);
      },
    });
    expect([compared.code, contexts]).toEqual([0, [undefined, 'convoy-sandbox']]);
  });

  it('of a Release that was never attempted, or whose render is gone, says why', async () => {
    applied();
    world.setStatus('Release', 'podinfo', {});
    expect((await world.run(['release', 'diff', 'podinfo'])).err).toBe(
      'convoy: release podinfo cannot be compared: nothing has been applied yet; see `convoy release get podinfo`\n',
    );
  });
});
