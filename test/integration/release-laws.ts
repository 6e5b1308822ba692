import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { NODE_PARTS } from '../../src/controllers/release/index.ts';
import { Memories } from '../../src/controllers/release/memory.ts';
import { ReleaseReconciler } from '../../src/controllers/release/release-reconciler.ts';
import {
  API_VERSION,
  INVENTORIES,
  RELEASES,
  type Release,
  readInventory,
  readRelease,
} from '../../src/core/api/index.ts';
import { lintStatus } from '../../src/core/conditions/status-lint.ts';
import { asMap, field } from '../../src/core/object/fields.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';
import type { Cluster, ObjectPath } from '../../src/ports/cluster.ts';
import { ApiError } from '../../src/ports/errors.ts';
import { Indexer } from '../../src/runtime/indexer.ts';
import { defineOwnKinds } from '../../src/testing/contracts/own-kinds.contract.ts';
import type { FakeClock } from '../../src/testing/fake-clock.ts';
import { FakeFetcher, FakeRenderer } from '../../src/testing/fake-renderer.ts';

/** An API server with the time of the controller, which the test moves; the server's own does not matter. */
export interface ReleaseServer {
  readonly cluster: Cluster;
  readonly clock: FakeClock;
}

let server: ReleaseServer;

const PATHS: Readonly<Record<string, ObjectPath['type']>> = {
  ConfigMap: { group: '', version: 'v1', resource: 'configmaps' },
  Deployment: { group: 'apps', version: 'v1', resource: 'deployments' },
  Job: { group: 'batch', version: 'v1', resource: 'jobs' },
  Namespace: { group: '', version: 'v1', resource: 'namespaces' },
  PersistentVolumeClaim: { group: '', version: 'v1', resource: 'persistentvolumeclaims' },
  Service: { group: '', version: 'v1', resource: 'services' },
};

const HEALTH = { healthAssessment: { globalRuleSetSelector: {} } };
const NOTHING = new AbortController().signal;

function annotated(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).map(([name, text]) => [`convoy.kumodo.io/${name}`, text]));
}

function config(
  name: string,
  data: Record<string, string>,
  annotations: Record<string, string> = {},
): KubernetesObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, annotations: annotated(annotations) }, data };
}

function job(name: string, image: string, annotations: Record<string, string> = {}): KubernetesObject {
  const containers = [{ name: 'run', image }];
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, annotations: annotated(annotations) },
    spec: { template: { spec: { restartPolicy: 'Never', containers } } },
  };
}

function deployment(name: string, label: string, spec: KubernetesObject = {}): KubernetesObject {
  const labels = { app: label };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'app', image: 'registry.example.org/web:1' }] },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { selector: { matchLabels: labels }, template, ...spec },
  };
}

/** One Release `web` in a namespace of its own; the test plays the observer. */
class World {
  readonly namespace: string;
  readonly #reconciler: ReleaseReconciler;
  readonly #key: string;

  private constructor(namespace: string) {
    const { cluster, clock } = server;
    this.namespace = namespace;
    this.#key = `${namespace}/web`;
    const services = {
      ...NODE_PARTS,
      clock,
      home: cluster,
      targets: { of: async () => ({ key: 'home', home: true, reader: cluster, cluster, actsAs: '' }) },
      fetcher: new FakeFetcher(),
      renderer: new FakeRenderer(),
      readValues: () => ({}),
      events: { record: () => {}, flush: async () => {} },
      installation: 'home',
      releases: new Indexer(),
      inventories: new Indexer(),
      fetches: { enter: () => () => {} },
      aside: <Value>(waiting: () => Promise<Value>) => waiting(),
      crossNamespace: true,
      mayAct: () => true,
    };
    this.#reconciler = new ReleaseReconciler({ services, memories: new Memories() });
  }

  static async start(namespace: string): Promise<World> {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await server.cluster.create({ type: pathOf('Namespace'), namespace: '' }, object);
    return new World(namespace);
  }

  get #path(): ObjectPath {
    return { type: RELEASES, namespace: this.namespace, name: 'web' };
  }

  async release(objects: readonly KubernetesObject[], spec: KubernetesObject = {}): Promise<void> {
    const object = {
      apiVersion: API_VERSION,
      kind: 'Release',
      metadata: { name: 'web', namespace: this.namespace },
      spec: { source: { inline: { objects } }, ...spec },
    };
    await server.cluster.apply(this.#path, object, { fieldManager: 'kubectl', force: true });
  }

  async annotate(annotations: Readonly<Record<string, string>>): Promise<void> {
    await server.cluster.patch(this.#path, 'merge', { metadata: { annotations: annotated(annotations) } });
  }

  async delete(): Promise<void> {
    await server.cluster.delete(this.#path);
  }

  /** Until there is nothing to do for a second. What others have to bring about takes them their own time. */
  async run(): Promise<void> {
    for (let rounds = 0; rounds < 200; rounds += 1) {
      const result = await this.#reconciler.reconcile(this.#key, NOTHING);
      if (result.kind === 'done' || (result.kind === 'after' && result.ms > 1000)) return;
      await sleep(20);
      if (result.kind === 'after') await server.clock.advance(result.ms);
    }
    throw new Error('it does not come to rest');
  }

  /** Every entry that was applied is healthy for its render. */
  async observe(): Promise<void> {
    const path = { ...this.#path, type: INVENTORIES };
    const read = readInventory(await server.cluster.get(path));
    if ('problem' in read) throw new Error(read.problem);
    const entries = read.value.spec.entries.map((entry) => {
      if (entry.renderRef === undefined) return entry;
      const hook = entry.hook === undefined ? {} : { assessedUid: entry.uid };
      return { ...entry, state: 'Healthy', assessedRenderRef: entry.renderRef, ...hook };
    });
    await server.cluster.patch(path, 'merge', { spec: { entries } }, { fieldManager: 'convoy-observer' });
  }

  async settle(): Promise<void> {
    for (let rounds = 0; rounds < 10; rounds += 1) {
      await this.run();
      const { lastAttempted, lastHealthy } = (await this.stored()).status;
      if (lastAttempted?.outcome !== undefined && lastHealthy?.renderRef === lastAttempted.renderRef) return;
      await this.observe();
    }
  }

  async stored(): Promise<Release> {
    const object = await server.cluster.get(this.#path);
    expect(lintStatus(object)).toEqual([]);
    const read = readRelease(object);
    if ('problem' in read) throw new Error(read.problem);
    return read.value;
  }

  /** `True Succeeded` */
  async ready(): Promise<string> {
    const ready = (await this.stored()).status.conditions?.find(({ type }) => type === 'Ready');
    return ready === undefined ? '' : `${ready.status} ${ready.reason}`;
  }

  async message(): Promise<string> {
    return (await this.stored()).status.conditions?.find(({ type }) => type === 'Ready')?.message ?? '';
  }

  /** Undefined: not there. */
  async find(kind: string, name: string): Promise<KubernetesObject | undefined> {
    const namespace = kind === 'Namespace' ? '' : this.namespace;
    return gone(server.cluster.get({ type: pathOf(kind), namespace, name }));
  }

  async data(name: string): Promise<unknown> {
    return (await this.find('ConfigMap', name))?.['data'];
  }

  async isGone(): Promise<boolean> {
    return (await gone(server.cluster.get(this.#path))) === undefined;
  }
}

function pathOf(kind: string): ObjectPath['type'] {
  const type = PATHS[kind];
  if (type === undefined) throw new Error(`no path of ${kind}`);
  return type;
}

async function gone(read: Promise<KubernetesObject>): Promise<KubernetesObject | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined;
    throw error;
  }
}

/** What holds for the release controller on any API server. */
export function releaseLaws(name: string, start: () => Promise<ReleaseServer>): void {
  describe(`the release controller on ${name}`, () => {
    beforeAll(async () => {
      server = await start();
      await defineOwnKinds(server.cluster);
    }, 45 * 60_000);

    it('a wave follows when the one before it is healthy; without health at once', async () => {
      const world = await World.start('waves');
      const waves = [config('a', { x: '1' }), config('b', { x: '1' }, { 'sync-wave': '1' })];
      await world.release(waves, HEALTH);
      await world.run();
      expect([await world.ready(), await world.data('b')]).toEqual(['Unknown Progressing', undefined]);
      await world.settle();
      expect([await world.ready(), await world.data('b')]).toEqual(['True Succeeded', { x: '1' }]);
      const { status } = await world.stored();
      expect(status.lastHealthy?.renderRef).toBe(status.lastAttempted?.renderRef);
      const bare = await World.start('waves-bare');
      await bare.release(waves);
      await bare.run();
      expect(await bare.ready()).toBe('True Succeeded');
    });

    it('hooks run before and behind the waves, anew for each attempt', async () => {
      const world = await World.start('hooks');
      const hooks = [
        job('before', 'run:1', { hook: 'preSync' }),
        job('after', 'run:1', { hook: 'postSync', 'hook-run-after': 'Healthy' }),
      ];
      await world.release([...hooks, config('a', { x: '1' })], HEALTH);
      await world.run();
      expect(await world.data('a')).toBeUndefined();
      await world.settle();
      const first = field((await world.find('Job', 'before'))?.['metadata'], 'uid');
      await world.release([...hooks, config('a', { x: '2' })], HEALTH);
      await world.settle();
      expect(await world.ready()).toBe('True Succeeded');
      expect(field((await world.find('Job', 'before'))?.['metadata'], 'uid')).not.toBe(first);
      expect((await world.stored()).status.hooks?.map(({ state }) => state)).toEqual(['Succeeded', 'Succeeded']);
    });

    it('what the render has no more goes, unless it says that it stays, or is a claim', async () => {
      const world = await World.start('pruned');
      const claim = {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      };
      await world.release([config('a', {}), config('kept', {}, { prune: 'false' }), claim, config('b', {})]);
      await world.run();
      await world.release([config('a', {})]);
      await world.run();
      expect(await world.ready()).toBe('True Succeeded');
      expect(await world.find('ConfigMap', 'b')).toBeUndefined();
      for (const [kind, left] of [
        ['ConfigMap', 'kept'],
        ['PersistentVolumeClaim', 'data'],
      ] as const) {
        const { labels, annotations } = asMap((await world.find(kind, left))?.['metadata']);
        expect([field(labels, 'convoy.kumodo.io/release'), field(annotations, 'convoy.kumodo.io/release-id')]).toEqual([
          undefined,
          undefined,
        ]);
      }
    });

    it('an object of kubectl apply is taken over: what the render drops goes, what others wrote stays', async () => {
      const world = await World.start('adopted');
      const path = { type: pathOf('ConfigMap'), namespace: 'adopted' };
      const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { old: '1', shared: '1' } };
      await server.cluster.create(path, theirs, { fieldManager: 'kubectl-client-side-apply' });
      const edit = { data: { other: '1' } };
      await server.cluster.patch({ ...path, name: 'a' }, 'merge', edit, { fieldManager: 'kubectl-edit' });
      await world.release([config('a', { shared: '2' })]);
      await world.run();
      expect(await world.data('a')).toEqual({ shared: '2', other: '1' });
    });

    it('an object of another Release is a conflict, and so is a field where conflicts abort', async () => {
      const world = await World.start('conflict');
      const path = { type: pathOf('ConfigMap'), namespace: 'conflict', name: 'a' };
      const theirs = (annotations: object) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', namespace: 'conflict', annotations },
        data: { x: 'theirs' },
      });
      await server.cluster.apply(path, theirs(annotated({ 'release-id': 'home/conflict/other' })), {
        fieldManager: 'other',
      });
      await world.release([config('a', { x: 'ours' })]);
      await world.run();
      expect(await world.message()).toContain('v1 ConfigMap conflict/a belongs to the Release home/conflict/other');
      await server.cluster.apply(path, theirs({}), { fieldManager: 'other' });
      await world.release([config('a', { x: 'new' })], { syncPolicy: { conflicts: 'Abort' } });
      await world.run();
      expect(await world.ready()).toBe('False Conflict');
      expect(await world.message()).toContain('conflict with "other": .data.x');
      expect(await world.data('a')).toEqual({ x: 'theirs' });
    });

    it('one object that the server refuses keeps the others of its stage from being applied', async () => {
      const world = await World.start('refused');
      await world.release([config('a', {}), deployment('bad', 'bad', { selector: { matchLabels: { app: 'other' } } })]);
      await world.run();
      expect([await world.ready(), await world.find('ConfigMap', 'a')]).toEqual(['False ApplyFailed', undefined]);
      expect(await world.message()).toContain('apps/v1 Deployment refused/bad');
    });

    it('a field that cannot change fails the attempt, or makes the object anew where that is asked for', async () => {
      const world = await World.start('immutable');
      const service = (ip: string) => ({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 's' },
        spec: { clusterIP: ip, ports: [{ port: 80 }] },
      });
      const objects = (v: string) => [job('j', `run:${v}`), deployment('d', v), service(v === '1' ? 'None' : '')];
      await world.release(objects('1'));
      await world.run();
      expect(await world.ready()).toBe('True Succeeded');
      const uid = field((await world.find('Deployment', 'd'))?.['metadata'], 'uid');
      await world.release([deployment('d', '2')], { syncPolicy: { prune: false } });
      await world.run();
      expect(await world.ready()).toBe('False ApplyFailed');
      await world.release([job('j', 'run:2'), deployment('d', '2')], { syncPolicy: { force: true, prune: false } });
      await world.run();
      expect(await world.ready()).toBe('True Succeeded');
      expect(field((await world.find('Deployment', 'd'))?.['metadata'], 'uid')).not.toBe(uid);
    });

    it('a namespace and a definition come before what needs them', async () => {
      const world = await World.start('rooms');
      const definition = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'gadgets.releases.example.org' },
        spec: {
          group: 'releases.example.org',
          scope: 'Namespaced',
          names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        },
      };
      const gadget = {
        apiVersion: 'releases.example.org/v1',
        kind: 'Gadget',
        metadata: { name: 'g', namespace: 'rooms-new' },
      };
      const more = { ...gadget, metadata: { name: 'h', namespace: 'rooms-new' } };
      await world.release([
        gadget,
        more,
        definition,
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'rooms-new' } },
      ]);
      await world.run();
      expect([await world.ready(), await world.message()]).toEqual(['True Succeeded', 'applied inline@1']);
    });

    it('a rollback applies the stored render, holds it, and ends with another one', async () => {
      const world = await World.start('rolled');
      await world.release([config('a', { v: '1' })], HEALTH);
      await world.settle();
      const first = (await world.stored()).status.lastHealthy?.renderRef ?? '';
      await world.release([config('a', { v: '2' })], HEALTH);
      await world.settle();
      await world.annotate({ 'rollback-to': first });
      await world.settle();
      expect([await world.ready(), await world.data('a')]).toEqual(['False RolledBack', { v: '1' }]);
      await world.release([config('a', { v: '3' })], HEALTH);
      await world.settle();
      const { metadata, status } = await world.stored();
      expect([await world.ready(), await world.data('a')]).toEqual(['True Succeeded', { v: '3' }]);
      expect([status.held, metadata.annotations['convoy.kumodo.io/rollback-to']]).toEqual([undefined, undefined]);
    });

    it('a deletion takes the objects with it, in reverse, and lets the Release go last', async () => {
      const world = await World.start('deleted');
      await world.release([config('a', {}), deployment('d', 'd'), job('bye', 'run:1', { hook: 'preDelete' })]);
      await world.run();
      await world.delete();
      await world.run();
      expect(await world.isGone()).toBe(false);
      expect(await world.find('Deployment', 'd')).toBeDefined();
      await world.observe();
      await world.run();
      expect(await world.isGone()).toBe(true);
      expect(await world.find('Deployment', 'd')).toBeUndefined();
    });

    it('what other clients wrote on a Release survives', async () => {
      const world = await World.start('others');
      await world.release([config('a', {})]);
      await world.run();
      const path = { type: RELEASES, namespace: 'others', name: 'web' };
      await server.cluster.patch(path, 'merge', { metadata: { labels: { team: 'payments' } } });
      const healthSummary = { total: 1, healthy: 1, progressing: 0, degraded: 0, unknown: 0 };
      const theirs = {
        apiVersion: API_VERSION,
        kind: 'Release',
        metadata: { name: 'web', namespace: 'others' },
        status: { healthSummary },
      };
      await server.cluster.apply(path, theirs, { fieldManager: 'convoy-observer', subresource: 'status', force: true });
      await world.release([config('a', { x: '1' })]);
      await world.run();
      const object = await server.cluster.get(path);
      expect(field(object['metadata'], 'labels')).toEqual({ team: 'payments' });
      expect(field(object['status'], 'healthSummary')).toEqual(healthSummary);
      expect(await world.ready()).toBe('True Succeeded');
    });
  });
}
