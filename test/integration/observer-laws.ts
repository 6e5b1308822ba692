import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { observer } from '../../src/controllers/observer/index.ts';
import {
  API_VERSION,
  GLOBAL_HEALTH_RULE_SETS,
  HEALTH_RULE_SETS,
  INVENTORIES,
  type InventoryEntry,
  RELEASES,
} from '../../src/core/api/index.ts';
import { lintStatus } from '../../src/core/conditions/status-lint.ts';
import { asList, asMap, asString, field } from '../../src/core/object/fields.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';
import { ownerOf } from '../../src/core/release/ownership.ts';
import type { Cluster, ResourcePath } from '../../src/ports/cluster.ts';
import { Informer } from '../../src/runtime/informer.ts';
import { INVENTORY_INDEXES } from '../../src/runtime/inventory-index.ts';
import { defineOwnKinds } from '../../src/testing/contracts/own-kinds.contract.ts';
import type { FakeClock } from '../../src/testing/fake-clock.ts';

/** An API server with the time of the observer, which the test moves; the server's own does not matter. */
export interface ObserverServer {
  readonly cluster: Cluster;
  readonly clock: FakeClock;
}

let server: ObserverServer;

const MINUTE = 60_000;
const RENDER = `sha256:${'0123456789ab'.padEnd(64, '0')}`;
const OLDER = `sha256:${'ff'.padEnd(64, '0')}`;
const WIDGETS: ResourcePath['type'] = { group: 'observed.example.test', version: 'v1', resource: 'widgets' };
const NAMESPACES: ResourcePath['type'] = { group: '', version: 'v1', resource: 'namespaces' };
const CONTROLLER = { fieldManager: 'convoy-controller' };
const SELECTED = { globalRuleSetSelector: { matchLabels: { suite: 'observer' } } };

const WIDGET_DEFINITION: KubernetesObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.observed.example.test' },
  spec: {
    group: WIDGETS.group,
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

function ruleSet(name: string, healthy: string, labels: Readonly<Record<string, string>>): KubernetesObject {
  const apiVersion = `${WIDGETS.group}/${WIDGETS.version}`;
  const rule = { name: 'done', apiVersion, resources: ['widgets'], healthy, message: '"is " + status.phase' };
  return {
    apiVersion: API_VERSION,
    kind: 'GlobalHealthRuleSet',
    metadata: { name, labels },
    spec: { rules: [rule] },
  };
}

/** Waits for other processes; the observer's time goes on with it. */
async function until<T>(what: string, read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  let value = await read();
  for (let tries = 0; tries < 500 && !holds(value); tries += 1) {
    await sleep(10);
    await server.clock.advance(100);
    value = await read();
  }
  if (!holds(value)) throw new Error(`${what}: it is ${JSON.stringify(value)}`);
  return value;
}

/** One Release `shop` in a namespace of its own; the test plays the controller. */
class World {
  readonly namespace: string;

  constructor(namespace: string) {
    this.namespace = namespace;
  }

  static async start(namespace: string): Promise<World> {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await server.cluster.create({ type: NAMESPACES, namespace: '' }, object);
    return new World(namespace);
  }

  async release(
    healthAssessment: KubernetesObject | undefined,
    entries: readonly Partial<InventoryEntry>[],
    attempted: KubernetesObject = {},
  ): Promise<void> {
    const { cluster } = server;
    const metadata = { name: 'shop', namespace: this.namespace };
    const spec = {
      source: { inline: { manifests: 'x' } },
      ...(healthAssessment === undefined ? {} : { healthAssessment }),
    };
    const release = { apiVersion: API_VERSION, kind: 'Release', metadata };
    await cluster.create({ type: RELEASES, namespace: this.namespace }, { ...release, spec }, CONTROLLER);
    const time = '2026-03-02T10:00:00Z';
    const lastAttempted = {
      renderRef: RENDER,
      revision: 'one',
      time,
      attempt: 1,
      phase: 'Waves',
      total: entries.length,
    };
    await cluster.apply(
      { type: RELEASES, namespace: this.namespace, name: 'shop' },
      { ...release, status: { observedGeneration: 1, lastAttempted: { ...lastAttempted, ...attempted } } },
      { ...CONTROLLER, force: true, subresource: 'status' },
    );
    const page = { apiVersion: API_VERSION, kind: 'ReleaseInventory', metadata };
    await cluster.create(
      { type: INVENTORIES, namespace: this.namespace },
      { ...page, spec: { release: 'shop', page: 1, entries } },
      CONTROLLER,
    );
  }

  /** A Widget as the controller applied it, and its entry. */
  async widget(name: string, phase: string, more: Partial<InventoryEntry> = {}): Promise<Partial<InventoryEntry>> {
    const { label } = ownerOf('test', this.namespace, 'shop', (text) =>
      createHash('sha256').update(text).digest('hex'),
    );
    const path = { type: WIDGETS, namespace: this.namespace };
    const labels = { 'convoy.kumodo.io/release': label };
    const created = await server.cluster.create(path, {
      apiVersion: `${WIDGETS.group}/${WIDGETS.version}`,
      kind: 'Widget',
      metadata: { name, namespace: this.namespace, labels },
      spec: { size: 1 },
    });
    await this.phase(name, phase);
    const { uid, generation } = asMap(created['metadata']);
    return {
      group: WIDGETS.group,
      kind: 'Widget',
      namespace: this.namespace,
      name,
      version: 'v1',
      resource: 'widgets',
      wave: 0,
      renderRef: RENDER,
      uid: asString(uid),
      generation: Number(generation),
      ...more,
    };
  }

  async phase(name: string, phase: string): Promise<void> {
    const path = { type: WIDGETS, namespace: this.namespace, name };
    await server.cluster.patch(path, 'merge', { status: { phase } }, { subresource: 'status', fieldManager: 'player' });
  }

  async applied(index: number, renderRef: string): Promise<void> {
    const path = { type: INVENTORIES, namespace: this.namespace, name: 'shop' };
    const patch = [{ op: 'add', path: `/spec/entries/${index}/renderRef`, value: renderRef }];
    await server.cluster.patch(path, 'json', patch, CONTROLLER);
  }

  get(): Promise<KubernetesObject> {
    return server.cluster.get({ type: RELEASES, namespace: this.namespace, name: 'shop' });
  }

  async entries(): Promise<readonly Partial<InventoryEntry>[]> {
    const page = await server.cluster.get({ type: INVENTORIES, namespace: this.namespace, name: 'shop' });
    return (asMap(page['spec'])['entries'] ?? []) as readonly Partial<InventoryEntry>[];
  }

  /** `status reason: message` of the Healthy condition. */
  async healthy(): Promise<string> {
    const conditions = asList(asMap((await this.get())['status'])['conditions']).map(asMap);
    const found = conditions.find(({ type }) => type === 'Healthy');
    return found === undefined ? '-' : `${found['status']} ${found['reason']}: ${found['message']}`;
  }

  /** Waits for the condition to begin so. */
  becomes(start: string): Promise<string> {
    return until(
      `${this.namespace} to become ${start}`,
      () => this.healthy(),
      (healthy) => healthy.startsWith(start),
    );
  }
}

async function define(): Promise<void> {
  const { cluster } = server;
  await defineOwnKinds(cluster);
  const definitions = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
  await cluster.create({ type: definitions, namespace: '' }, WIDGET_DEFINITION);
  await until(
    'Widgets to be served',
    async () => {
      cluster.discovery.invalidate();
      return cluster.discovery.kind(WIDGETS.group, 'Widget');
    },
    (type) => type !== undefined,
  );
  const path = { type: GLOBAL_HEALTH_RULE_SETS, namespace: '' };
  await cluster.create(path, ruleSet('works', 'status.phase == "Done"', { suite: 'observer' }));
  await cluster.create(path, ruleSet('broken', 'status.phase == size(', { suite: 'broken' }));
}

function run(signal: AbortSignal): Promise<unknown> {
  const { cluster, clock } = server;
  const informer = (type: ResourcePath['type'], indexes = {}): Informer =>
    new Informer({ cluster, clock, path: { type, namespace: '' }, indexes });
  const informers = {
    releases: informer(RELEASES),
    inventories: informer(INVENTORIES, INVENTORY_INDEXES),
    globalRuleSets: informer(GLOBAL_HEALTH_RULE_SETS),
    localRuleSets: informer(HEALTH_RULE_SETS),
  };
  const running = observer({
    home: cluster,
    clock,
    informers,
    targets: { of: async () => ({ key: 'home', home: true, reader: cluster, cluster, actsAs: '' }) },
    events: { record: () => {}, flush: async () => {} },
    installation: 'test',
    requestSync: () => {},
    drift: false,
  });
  return Promise.all([...Object.values(informers).map((one) => one.run(signal)), running.run(signal)]);
}

/** What holds for the observer on every API server. */
export function observerLaws(name: string, serverOf: () => Promise<ObserverServer>): void {
  describe(`the observer on ${name}`, () => {
    const stop = new AbortController();
    let ended: Promise<unknown> = Promise.resolve();
    let world: World;

    beforeAll(async () => {
      server = await serverOf();
      await define();
      ended = run(stop.signal);
    }, 45 * MINUTE);
    afterAll(async () => {
      stop.abort();
      await ended;
    });
    afterEach(async () => {
      expect(lintStatus(await world.get())).toEqual([]);
    });

    it('health is not configured', async () => {
      world = await World.start('row-not-configured');
      await world.release(undefined, [await world.widget('a', 'Busy')]);
      expect(await world.becomes('Unknown')).toBe('Unknown NotConfigured: health assessment is not configured');
    });

    it.each([
      ['selector', { globalRuleSetSelector: { matchExpressions: [{ key: 'x', operator: 'Is' }] } }, 'InvalidSelector'],
      ['deadline', { ...SELECTED, deadline: 'soon' }, 'InvalidDeadline'],
      ['rule', { globalRuleSetSelector: { matchLabels: { suite: 'broken' } } }, 'InvalidRule'],
    ])(
      'a %s that is not valid is accepted, and told as what keeps it from being assessed',
      async (what, given, reason) => {
        world = await World.start(`row-${what}`);
        await world.release(given, [await world.widget('a', 'Done')]);
        await world.becomes(`Unknown ${reason}: `);
      },
    );

    it('a wave holds: Pending, until the next one is applied', async () => {
      world = await World.start('row-pending');
      const first = await world.widget('a', 'Busy');
      const second = await world.widget('b', 'Done', { wave: 1, renderRef: OLDER });
      await world.release(SELECTED, [first, second], { wave: 0 });
      expect(await world.becomes('Unknown Pending: waiting for render')).toBe(
        'Unknown Pending: waiting for render sha256:0123456789ab: 1 of 2 resources applied, held at wave 0',
      );
      await world.phase('a', 'Done');
      await world.applied(1, RENDER);
      expect(await world.becomes('True')).toBe('True Healthy: 2 resources healthy');
    });

    it('a failing object is Progressing, and Degraded at the deadline', async () => {
      world = await World.start('row-degraded');
      await world.release({ ...SELECTED, deadline: '5m' }, [await world.widget('a', 'Busy')]);
      const told = `1 of 1 resources Progressing: Widget row-degraded/a: is Busy`;
      expect(await world.becomes('False')).toBe(`False Progressing: ${told}`);
      await server.clock.advance(5 * MINUTE);
      expect(await world.becomes('False Degraded')).toContain(
        '1 of 1 resources Degraded: Widget row-degraded/a: is Busy',
      );
    });

    it('an object that is not there is Unknown, the others are judged', async () => {
      world = await World.start('row-unknown');
      const gone = { ...(await world.widget('a', 'Done')), name: 'gone' };
      await world.release(SELECTED, [gone, await world.widget('b', 'Done')]);
      expect(await world.becomes('Unknown Unknown')).toBe(
        'Unknown Unknown: 1 of 2 resources Unknown: Widget row-unknown/gone: not on the cluster',
      );
      expect((await world.entries()).map(({ state }) => state)).toEqual(['Unknown', 'Healthy']);
    });

    it('all is healthy, and what others wrote stays', async () => {
      world = await World.start('row-healthy');
      await world.release(SELECTED, [await world.widget('a', 'Busy')]);
      await world.becomes('False');
      const path = { type: RELEASES, namespace: world.namespace, name: 'shop' };
      await server.cluster.patch(path, 'merge', { metadata: { labels: { team: 'shop' } } });
      const lastTransitionTime = '2026-03-02T10:00:00Z';
      const ready = { type: 'Ready', status: 'True', reason: 'Succeeded', message: 'applied', lastTransitionTime };
      await server.cluster.apply(
        path,
        { apiVersion: API_VERSION, kind: 'Release', metadata: { name: 'shop' }, status: { conditions: [ready] } },
        { fieldManager: 'somebody', force: true, subresource: 'status' },
      );
      await world.phase('a', 'Done');
      expect(await world.becomes('True')).toBe('True Healthy: 1 resources healthy');
      const release = await world.get();
      expect(release).toMatchObject({
        metadata: { labels: { team: 'shop' } },
        status: {
          conditions: expect.arrayContaining([ready]),
          healthSummary: { total: 1, healthy: 1, progressing: 0, degraded: 0, unknown: 0 },
          lastAttempted: { renderRef: RENDER },
        },
      });
      const managers = asList(field(release['metadata'], 'managedFields')).map((one) =>
        asString(field(one, 'manager')),
      );
      expect(managers).toContain('convoy-observer');
      expect((await world.entries())[0]).toMatchObject({ state: 'Healthy', assessedRenderRef: RENDER, version: 'v1' });
    });
  });
}
