import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { DriftReconciler } from '../../src/controllers/observer/drift/drift-reconciler.ts';
import { diffRelease } from '../../src/controllers/observer/drift/index.ts';
import { INVENTORIES, RELEASES, readInventory, readRelease } from '../../src/core/api/index.ts';
import { lintStatus } from '../../src/core/conditions/status-lint.ts';
import { asMap, field, refOf } from '../../src/core/object/fields.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';
import { withLiveValues } from '../../src/core/release/attempt/live-values.ts';
import { linesOf, renderRefOf } from '../../src/core/release/canonical.ts';
import { diffText } from '../../src/core/release/drift/index.ts';
import { newPage } from '../../src/core/release/inventory/index.ts';
import { ownerOf, withOwner } from '../../src/core/release/ownership.ts';
import { renderSecrets } from '../../src/core/release/render-store.ts';
import type { Cluster, ObjectPath } from '../../src/ports/cluster.ts';
import { TransportError } from '../../src/ports/errors.ts';
import type { HappenedEvent } from '../../src/ports/events.ts';
import type { Result } from '../../src/runtime/controller.ts';
import { Indexer } from '../../src/runtime/indexer.ts';
import { INVENTORY_INDEXES } from '../../src/runtime/inventory-index.ts';
import { defineOwnKinds } from '../../src/testing/contracts/own-kinds.contract.ts';
import type { FakeClock } from '../../src/testing/fake-clock.ts';

/** An API server with the time of the drift loop, which the test moves; the server's own does not matter. */
export interface DriftServer {
  readonly cluster: Cluster;
  readonly clock: FakeClock;
}

let server: DriftServer;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const RESOURCES: Readonly<Record<string, string>> = {
  ConfigMap: 'configmaps',
  Deployment: 'deployments',
  HorizontalPodAutoscaler: 'horizontalpodautoscalers',
  Secret: 'secrets',
};

function deployment(namespace: string, spec: Record<string, unknown> = {}): KubernetesObject {
  const labels = { app: 'web' };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'app', image: 'registry.example.org/web:1' }] },
  };
  const metadata = { name: 'web', namespace };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: { replicas: 3, selector: { matchLabels: labels }, template, ...spec },
  };
}

function config(namespace: string, name: string, data: Record<string, string>): KubernetesObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
}

/** A Release that was applied, a controller that corrects when it is asked to, and others who write on its objects. */
class World {
  readonly events: HappenedEvent[] = [];
  /** How often a correction was asked for. */
  asked = 0;
  /** What the controller does then. */
  onAsked = (): Promise<void> => this.correct();
  digests = new Map<string, string>();
  target: Cluster = server.cluster;
  readonly namespace: string;
  readonly #objects: readonly KubernetesObject[];
  readonly #owner: ReturnType<typeof ownerOf>;
  readonly #releases = new Indexer();
  readonly #inventories = new Indexer(INVENTORY_INDEXES);
  readonly #reconciler: DriftReconciler;
  #asking: Promise<void> = Promise.resolve();

  private constructor(namespace: string, objects: readonly KubernetesObject[]) {
    this.namespace = namespace;
    this.#objects = objects;
    this.#owner = ownerOf('home', namespace, 'web', sha256);
    this.#reconciler = new DriftReconciler({
      clock: server.clock,
      home: server.cluster,
      targets: {
        of: async () => ({ key: 'home', home: true, reader: this.target, cluster: this.target, actsAs: '' }),
      },
      releases: this.#releases,
      inventories: this.#inventories,
      contents: { of: async () => this.digests, leave: () => {} },
      events: { record: (event) => this.events.push(event), flush: async () => {} },
      requestSync: () => {
        this.asked += 1;
        this.#asking = this.onAsked();
      },
      sha256,
      installation: 'home',
    });
  }

  static async start(namespace: string, objects: readonly KubernetesObject[], drift: object = {}): Promise<World> {
    const world = new World(namespace, objects);
    const { cluster } = server;
    await cluster.create(
      { type: { group: '', version: 'v1', resource: 'namespaces' }, namespace: '' },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    );
    const release = await cluster.create(
      { type: RELEASES, namespace },
      {
        apiVersion: 'convoy.kumodo.io/v1alpha1',
        kind: 'Release',
        metadata: { name: 'web' },
        spec: { source: { inline: { manifests: 'kind: X' } }, syncPolicy: { drift } },
      },
    );
    await world.#record(String(field(release['metadata'], 'uid')));
    await world.correct();
    return world;
  }

  /** What the controller leaves behind it: the stored render, the inventory, the status. */
  async #record(uid: string): Promise<void> {
    const { cluster, clock } = server;
    const { namespace } = this;
    const owner = { namespace, name: 'web', uid };
    const renderRef = renderRefOf(this.#objects, sha256);
    for (const secret of renderSecrets(owner, this.#owner, renderRef, gzipSync(linesOf(this.#objects)))) {
      await cluster.create({ type: { group: '', version: 'v1', resource: 'secrets' }, namespace }, secret);
    }
    const entries = this.#objects.map((object) => {
      const { group, version, kind, name } = refOf(object);
      return { group, version, kind, namespace, name, resource: RESOURCES[kind] ?? '', wave: 0, renderRef };
    });
    await cluster.create({ type: INVENTORIES, namespace }, newPage(owner, 1, entries));
    const time = new Date(clock.now()).toISOString();
    const lastAttempted = {
      renderRef,
      revision: '1',
      time,
      attempt: 1,
      total: entries.length,
      phase: 'Done',
      outcome: 'Succeeded',
    };
    const history = [{ renderRef, revision: '1', appliedAt: time, outcome: 'Succeeded' }];
    await this.patchRelease({ status: { observedGeneration: 1, lastAttempted, history } }, 'status');
  }

  async patchRelease(patch: object, subresource = ''): Promise<void> {
    const path = { type: RELEASES, namespace: this.namespace, name: 'web' };
    const options = { fieldManager: 'convoy-controller', ...(subresource === '' ? {} : { subresource }) };
    await server.cluster.patch(path, 'merge', patch, options);
  }

  /** What the controller does when it is asked for a correction. */
  async correct(): Promise<void> {
    for (const object of this.#objects) {
      const path = this.pathOf(object);
      const live = await server.cluster.get(path).catch(() => undefined);
      const wanted = withOwner(withLiveValues(object, live, []), this.#owner);
      await server.cluster.apply(path, wanted, { fieldManager: 'convoy-controller', force: true });
    }
  }

  async pass(): Promise<Result> {
    await this.#read();
    const result = await this.#reconciler.reconcile(`${this.namespace}/web`, new AbortController().signal);
    await this.#asking;
    return result;
  }

  /** A pass when its time has come. */
  async passAfter(ms: number): Promise<Result> {
    await server.clock.advance(ms);
    return this.pass();
  }

  async #read(): Promise<void> {
    const { cluster } = server;
    const { namespace } = this;
    this.#releases.set(await cluster.get({ type: RELEASES, namespace, name: 'web' }));
    this.#inventories.set(await cluster.get({ type: INVENTORIES, namespace, name: 'web' }));
  }

  /** The condition Drifted as the Release has it: status, reason, message. */
  async condition(): Promise<readonly string[] | undefined> {
    const object = await server.cluster.get({ type: RELEASES, namespace: this.namespace, name: 'web' });
    const read = readRelease(object);
    if ('problem' in read) throw new Error(read.problem);
    expect(lintStatus(object)).toEqual([]);
    const drifted = read.value.status.conditions?.find(({ type }) => type === 'Drifted');
    return drifted === undefined ? undefined : [drifted.status, drifted.reason, drifted.message];
  }

  /** Status and reason alone. */
  async said(): Promise<string> {
    return ((await this.condition()) ?? []).slice(0, 2).join(' ');
  }

  async version(): Promise<unknown> {
    const release = await server.cluster.get({ type: RELEASES, namespace: this.namespace, name: 'web' });
    return field(release['metadata'], 'resourceVersion');
  }

  /** Somebody writes on an object; caches tell of it, and the rest between two comparisons passes. */
  async edit(object: KubernetesObject, patch: object, fieldManager = 'kubectl-edit'): Promise<void> {
    await server.cluster.patch(this.pathOf(object), 'merge', patch, { fieldManager });
    await this.#tellChange(object);
  }

  async remove(object: KubernetesObject): Promise<void> {
    await server.cluster.delete(this.pathOf(object));
    await this.#tellChange(object);
  }

  async #tellChange(object: KubernetesObject): Promise<void> {
    const { group, kind, namespace, name } = refOf(object);
    const key = `${group}|${kind}|${namespace}|${name}`;
    this.digests = new Map([...this.digests, [key, `${this.digests.get(key) ?? ''}+`]]);
    await server.clock.advance(5 * SECOND);
  }

  live(object: KubernetesObject): Promise<KubernetesObject> {
    return server.cluster.get(this.pathOf(object));
  }

  pathOf(object: KubernetesObject): ObjectPath {
    const { group, version, kind, namespace, name } = refOf(object);
    return { type: { group, version, resource: RESOURCES[kind] ?? '' }, namespace, name };
  }

  /** What `convoy release diff` shows, to whom the installation is not known. */
  async diff(): Promise<string> {
    await this.#read();
    const release = readRelease(this.#releases.get(this.namespace, 'web') ?? {});
    if ('problem' in release) throw new Error(release.problem);
    const { signal } = new AbortController();
    const pages = this.#inventories.list().map((page) => {
      const read = readInventory(page);
      if ('problem' in read) throw new Error(read.problem);
      return read.value;
    });
    const diff = await diffRelease({
      home: server.cluster,
      target: this.target,
      release: release.value,
      pages,
      signal,
    });
    if ('problem' in diff) throw new Error(diff.problem);
    return diffText(diff.objects);
  }
}

/** What holds for the drift loop on any API server. */
export function driftLaws(name: string, start: () => Promise<DriftServer>): void {
  describe(`the drift loop on ${name}`, () => {
    beforeAll(async () => {
      server = await start();
      await defineOwnKinds(server.cluster);
    }, 45 * 60_000);

    describe('a Release whose objects nobody touches', () => {
      it('is compared once and then every hour, and nothing is written again', async () => {
        const web = deployment('quiet');
        const world = await World.start('quiet', [web, config('quiet', 'settings', { mode: 'fast' })]);
        expect(await world.pass()).toEqual({ kind: 'after', ms: 60 * MINUTE });
        expect(await world.condition()).toEqual(['False', 'InSync', '2 resources are as rendered']);
        const version = await world.version();
        for (let count = 0; count < 3; count += 1) await world.passAfter(60 * MINUTE);
        expect(await world.version()).toBe(version);
        expect([world.asked, world.events]).toEqual([0, []]);
      });
    });

    describe('a change by kubectl', () => {
      it('is told with field and manager, corrected once', async () => {
        const web = deployment('edited');
        const world = await World.start('edited', [web]);
        await world.pass();
        await world.edit(web, { spec: { replicas: 9 } });
        await world.pass();
        expect(await world.condition()).toEqual([
          'True',
          'Drifted',
          '1 of 1 resources differs: Deployment edited/web: .spec.replicas (kubectl-edit)',
        ]);
        expect(world.asked).toBe(1);
        expect(asMap((await world.live(web))['spec'])['replicas']).toBe(3);
        await world.passAfter(30 * SECOND);
        await world.passAfter(60 * MINUTE);
        expect(await world.condition()).toEqual(['False', 'InSync', '1 resource is as rendered']);
        expect(world.asked).toBe(1);
        expect(world.events.map(({ reason }) => reason)).toEqual(['Drifted']);
      });

      it('is corrected at most once in 30 seconds', async () => {
        const web = deployment('hasty');
        const world = await World.start('hasty', [web]);
        await world.pass();
        for (let count = 0; count < 3; count += 1) {
          await world.edit(web, { spec: { replicas: 9 } });
          await world.passAfter(SECOND);
        }
        expect(world.asked).toBe(1);
        await world.passAfter(30 * SECOND);
        expect(world.asked).toBe(2);
      });

      it('is only told where the mode is Warn, while the Release is suspended, and where its attempt failed', async () => {
        const web = deployment('warned');
        const world = await World.start('warned', [web], { mode: 'Warn' });
        await world.edit(web, { spec: { replicas: 9 } });
        await world.pass();
        await world.patchRelease({ spec: { suspend: true, syncPolicy: { drift: { mode: 'Correct' } } } });
        await world.pass();
        await world.patchRelease({ spec: { suspend: false } });
        await world.patchRelease({ status: { lastAttempted: { outcome: 'WaveTimedOut' } } }, 'status');
        await world.pass();
        expect(await world.said()).toBe('True Drifted');
        expect(world.asked).toBe(0);
        await world.patchRelease({ status: { lastAttempted: { outcome: 'Succeeded' } } }, 'status');
        await world.pass();
        expect(world.asked).toBe(1);
      });

      it('is not looked at while an attempt runs, nor where the mode is Off, which takes the condition away', async () => {
        const web = deployment('off');
        const world = await World.start('off', [web]);
        await world.patchRelease({ status: { lastAttempted: { phase: 'Waves', outcome: null } } }, 'status');
        await world.edit(web, { spec: { replicas: 9 } });
        expect(await world.pass()).toEqual({ kind: 'done' });
        expect(await world.condition()).toBeUndefined();
        await world.patchRelease({ status: { lastAttempted: { phase: 'Done', outcome: 'Succeeded' } } }, 'status');
        await world.pass();
        expect(await world.said()).toBe('True Drifted');
        await world.patchRelease({ spec: { syncPolicy: { drift: { mode: 'Off' } } } });
        await world.pass();
        expect(await world.condition()).toBeUndefined();
      });
    });

    describe('a field that is somebody else’s', () => {
      it('by a rule of the Release is no drift', async () => {
        const web = deployment('ignored');
        const ignore = [{ kind: 'Deployment', paths: ['/spec/replicas'] }];
        const world = await World.start('ignored', [web], { ignore });
        await world.edit(web, { spec: { replicas: 9 } });
        await world.pass();
        expect(await world.said()).toBe('False InSync');
      });

      it('because an autoscaler sets it is no drift, what else differs is', async () => {
        const web = deployment('scaled');
        const world = await World.start('scaled', [web]);
        await server.cluster.create(
          { type: { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers' }, namespace: 'scaled' },
          {
            apiVersion: 'autoscaling/v2',
            kind: 'HorizontalPodAutoscaler',
            metadata: { name: 'web' },
            spec: { maxReplicas: 9, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
          },
        );
        await world.edit(web, { spec: { replicas: 7 } }, 'kube-controller-manager');
        await world.pass();
        expect(await world.said()).toBe('False InSync');
        await world.edit(web, { metadata: { labels: { 'convoy.kumodo.io/release': null } } });
        await world.pass();
        expect(await world.condition()).toEqual([
          'True',
          'Drifted',
          '1 of 1 resources differs: Deployment scaled/web: .metadata.labels.convoy.kumodo.io/release',
        ]);
      });
    });

    describe('a webhook that makes something else of every apply', () => {
      it('is told once, as what it is, and never corrected', async () => {
        const web = deployment('mutated');
        const world = await World.start('mutated', [web]);
        const apply: Cluster['apply'] = (path, object, options) => {
          const spec = { ...asMap(object['spec']), replicas: 4 };
          return server.cluster.apply(path, { ...object, spec }, options);
        };
        world.target = { ...server.cluster, get: (...call) => server.cluster.get(...call), apply };
        expect(await world.pass()).toEqual({ kind: 'after', ms: 2 * SECOND });
        for (const ms of [2 * SECOND, 60 * MINUTE, 60 * MINUTE]) await world.passAfter(ms);
        expect(await world.condition()).toEqual([
          'True',
          'Drifted',
          '1 of 1 resources differs: Deployment mutated/web: .spec.replicas (changed by the cluster as it is applied, e.g. by an admission webhook)',
        ]);
        expect([world.asked, world.events.length]).toEqual([0, 1]);
      });
    });

    describe('an object that was deleted', () => {
      it('is drift, and is brought back', async () => {
        const settings = config('deleted', 'settings', { mode: 'fast' });
        const world = await World.start('deleted', [settings]);
        await world.remove(settings);
        await world.pass();
        expect(await world.condition()).toEqual([
          'True',
          'Drifted',
          '1 of 1 resources differs: ConfigMap deleted/settings is missing',
        ]);
        await world.passAfter(30 * SECOND);
        expect(await world.said()).toBe('False InSync');
      });
    });

    describe('a controller that fights', () => {
      it('is named after five corrections, which then end; they begin anew once it has given way for ten minutes', async () => {
        const web = deployment('fight');
        const world = await World.start('fight', [web]);
        await world.pass();
        const fight = (): Promise<void> => world.edit(web, { spec: { replicas: 1 } }, 'rival-operator');
        await fight();
        for (let count = 0; count < 9; count += 1) {
          await world.passAfter(31 * SECOND);
          await fight();
        }
        await world.passAfter(31 * SECOND);
        expect(world.asked).toBe(5);
        expect(await world.condition()).toEqual([
          'True',
          'DriftFight',
          'corrections have stopped: Deployment fight/web: rival-operator changed .spec.replicas after each of 5 corrections in 10 minutes',
        ]);
        await world.passAfter(60 * MINUTE);
        expect(world.asked).toBe(5);
        expect(world.events.filter(({ reason }) => reason === 'DriftFight')).toHaveLength(1);
        await world.edit(web, { spec: { replicas: 3 } }, 'rival-operator');
        await world.pass();
        expect(await world.said()).toBe('False InSync');
        await server.clock.advance(10 * MINUTE);
        await fight();
        await world.pass();
        expect(world.asked).toBe(6);
      });
    });

    describe('a diff', () => {
      it('shows what differs, and no value of a Secret', async () => {
        const web = deployment('diffed');
        const secret = {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'key', namespace: 'diffed' },
          data: { token: 'aHVudGVyMg==' },
        };
        const world = await World.start('diffed', [secret, web], { mode: 'Warn' });
        expect(await world.diff()).toBe('');
        await world.edit(web, { spec: { replicas: 4 } });
        await world.edit(secret, { data: { token: 'bGVha2Vk' } });
        expect(await world.diff()).toBe(
          [
            'v1 Secret diffed/key',
            '  .data.token: "***" → "***"  (kubectl-edit)',
            'apps/v1 Deployment diffed/web',
            '  .spec.replicas: 4 → 3  (kubectl-edit)',
            '',
          ].join('\n'),
        );
        await world.pass();
        const told = JSON.stringify([await world.condition(), world.events]);
        expect(told).not.toMatch(/aHVudGVyMg|bGVha2Vk/);
      });
    });

    describe('what cannot be compared', () => {
      it('is told, and tried again later each time', async () => {
        const web = deployment('lost');
        const world = await World.start('lost', [web]);
        const refuse = (): Promise<never> =>
          Promise.reject(new TransportError('unreachable', 'no route to the cluster'));
        world.target = { ...server.cluster, get: refuse, apply: refuse };
        const waits: Result[] = [];
        for (let count = 0; count < 5; count += 1) {
          const last = waits.at(-1);
          waits.push(await world.passAfter(last?.kind === 'after' ? last.ms : 0));
        }
        expect(await world.passAfter(SECOND)).toEqual({ kind: 'after', ms: 299 * SECOND });
        expect(waits).toEqual([30, 60, 120, 240, 300].map((seconds) => ({ kind: 'after', ms: seconds * SECOND })));
        expect(await world.condition()).toEqual(['Unknown', 'ClusterUnreachable', 'no route to the cluster']);
        world.target = server.cluster;
        await world.passAfter(299 * SECOND);
        expect(await world.said()).toBe('False InSync');
      });

      it('because its render is stored no more is told', async () => {
        const web = deployment('unstored');
        const world = await World.start('unstored', [web]);
        const renderRef = renderRefOf([web], sha256);
        const name = `convoy-render-web-${renderRef.slice(7, 19)}`;
        await server.cluster.delete({
          type: { group: '', version: 'v1', resource: 'secrets' },
          namespace: 'unstored',
          name,
        });
        await world.pass();
        expect(await world.condition()).toEqual([
          'Unknown',
          'RenderMissing',
          `the render ${renderRef.slice(7, 19)} is not stored`,
        ]);
      });
    });

    describe('the other loops', () => {
      it('keep their conditions when Drifted is written', async () => {
        const world = await World.start('others', [deployment('others')]);
        const path = { type: RELEASES, namespace: 'others', name: 'web' };
        const healthy = {
          type: 'Healthy',
          status: 'True',
          reason: 'Healthy',
          message: '',
          lastTransitionTime: '2026-03-02T10:00:00Z',
        };
        await server.cluster.apply(
          path,
          {
            apiVersion: 'convoy.kumodo.io/v1alpha1',
            kind: 'Release',
            metadata: { name: 'web', namespace: 'others' },
            status: { conditions: [healthy] },
          },
          { fieldManager: 'convoy-observer', force: true, subresource: 'status' },
        );
        await world.pass();
        const release = await server.cluster.get(path);
        expect(field(release['status'], 'conditions')).toEqual([healthy, expect.objectContaining({ type: 'Drifted' })]);
      });
    });
  });
}
