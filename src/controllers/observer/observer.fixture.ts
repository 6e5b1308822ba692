import { createHash } from 'node:crypto';
import {
  API_VERSION,
  definitionOf,
  GLOBAL_HEALTH_RULE_SETS,
  HEALTH_RULE_SETS,
  INVENTORIES,
  type InventoryEntry,
  OWN_KINDS,
  RELEASES,
} from '../../core/api/index.ts';
import { lintStatus, lintStatusChange } from '../../core/conditions/status-lint.ts';
import { asMap, asString, field } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import { ownerOf } from '../../core/release/ownership.ts';
import type { HappenedEvent } from '../../ports/events.ts';
import type { Targets } from '../../ports/targets.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import { Informer } from '../../runtime/informer.ts';
import { INVENTORY_INDEXES } from '../../runtime/inventory-index.ts';
import { emptyApi } from '../../sandbox/api/object-api.fixture.ts';
import { serveDefinitions } from '../../sandbox/crd/serve-definitions.ts';
import { DirectCluster } from '../../sandbox/direct-cluster.fixture.ts';
import type { ApiObject } from '../../sandbox/objects/api-object.ts';
import { FakeClock, settled } from '../../testing/fake-clock.ts';
import { observer } from './index.ts';

export const RENDER = `sha256:${'0123456789ab'.padEnd(64, '0')}`;
export const OLDER = `sha256:${'ff'.padEnd(64, '0')}`;
const INSTALLATION = 'test';

type Json = Readonly<Record<string, unknown>>;
type Condition = { status: string; reason: string; message: string; lastTransitionTime: string };

/** A definition of Widgets: what rules of tests judge. */
const WIDGETS: Json = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.test' },
  spec: {
    group: 'example.test',
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

/** Rules about Widgets: done, busy, broken. */
export const WIDGET_RULE: Json = {
  name: 'done',
  apiVersion: 'example.test/v1',
  resources: ['widgets'],
  healthy: 'has(status.phase) && status.phase == "Done"',
  failed: 'has(status.phase) && status.phase == "Broken"',
  message: '"is " + (has(status.phase) ? status.phase : "new")',
};

/** An entry as the controller writes it after it applied a Widget. */
export function widgetEntry(name: string, more: Partial<InventoryEntry> = {}): Partial<InventoryEntry> {
  return {
    group: 'example.test',
    kind: 'Widget',
    namespace: 'default',
    name,
    version: 'v1',
    resource: 'widgets',
    renderRef: RENDER,
    ...more,
  };
}

/**
 * A home cluster with convoy's kinds and a target cluster, both in the memory, with an observer between them on a clock that stands.
 * The test plays the release controller.
 */
export class ObserverWorld {
  readonly clock = new FakeClock(1);
  readonly homeApi = emptyApi(undefined, () => this.clock.now()).api;
  readonly targetApi = emptyApi(undefined, () => this.clock.now()).api;
  readonly home = new DirectCluster(this.homeApi, this.clock);
  readonly target = new DirectCluster(this.targetApi, this.clock);
  readonly events: HappenedEvent[] = [];
  readonly syncs: string[] = [];
  readonly counted: string[] = [];
  /** Passes that failed, and are tried again. */
  readonly failures: string[] = [];
  passes = 0;
  /** What the status lint found in any stored Release. */
  readonly faults: string[] = [];
  targets: Targets = {
    of: async () => ({ key: 'target', home: false, reader: this.target, cluster: this.target, actsAs: '' }),
  };
  /** Whether the observer answers for what is there. */
  owned = true;
  readonly #gained = new Set<() => void>();
  #stop = new AbortController();
  #ended: Promise<unknown> = Promise.resolve();

  constructor() {
    serveDefinitions(this.homeApi);
    serveDefinitions(this.targetApi);
    for (const own of OWN_KINDS) this.#create(this.homeApi, definitionOf(own));
    this.#create(this.targetApi, WIDGETS);
    this.homeApi.store.subscribe(({ object, previous }) => this.#lint(object, previous));
  }

  /** Starts an observer; what ran before has to be stopped. */
  async start(): Promise<void> {
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    const informer = (type: typeof RELEASES | typeof INVENTORIES | Json, indexes = {}): Informer =>
      new Informer({
        cluster: this.home,
        clock: this.clock,
        // Each is one of convoy's kinds.
        path: { type: type as typeof RELEASES, namespace: '' },
        indexes,
      });
    const informers = {
      releases: informer(RELEASES),
      inventories: informer(INVENTORIES, INVENTORY_INDEXES),
      globalRuleSets: informer(GLOBAL_HEALTH_RULE_SETS),
      localRuleSets: informer(HEALTH_RULE_SETS),
    };
    const telemetry: Telemetry = {
      count: (name, labels) => this.counted.push(`${name} ${Object.values(labels).join(' ')}`),
      observe: (name) => {
        if (name === 'convoy_assess_seconds') this.passes += 1;
      },
    };
    const running = observer({
      home: this.home,
      clock: this.clock,
      informers,
      targets: { of: (release, ending) => this.targets.of(release, ending) },
      events: { record: (event) => this.events.push(event), flush: async () => {} },
      installation: INSTALLATION,
      requestSync: (release, reason) => this.syncs.push(`${release} ${reason}`),
      telemetry,
      onOutcome: (_controller, key, outcome) => {
        if (outcome.kind === 'failed') this.failures.push(`${key}: ${outcome.error.message}`);
      },
      owns: () => this.owned,
      onGain: (listener) => {
        this.#gained.add(listener);
        return () => this.#gained.delete(listener);
      },
    });
    this.#ended = Promise.all([...Object.values(informers).map((one) => one.run(signal)), running.run(signal)]);
    await this.settle();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  /** The observer answers for everything from now on. */
  async gain(): Promise<void> {
    this.owned = true;
    for (const listener of [...this.#gained]) listener();
    await this.settle();
  }

  /** Lets everything happen that can happen without time passing. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 12; turn += 1) await settled();
  }

  /** Lets time pass. */
  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await this.settle();
  }

  ruleSet(rules: readonly Json[], more: { name?: string; labels?: Json; namespace?: string; spec?: Json } = {}): void {
    const { name = 'tested', labels = {}, namespace, spec = {} } = more;
    this.#create(this.homeApi, {
      apiVersion: API_VERSION,
      kind: namespace === undefined ? 'GlobalHealthRuleSet' : 'HealthRuleSet',
      metadata: { name, labels, ...(namespace === undefined ? {} : { namespace }) },
      spec: { rules, ...spec },
    });
  }

  /** A Release that has its first attempt behind it, with its inventory on one page. null: health is not configured. */
  release(
    healthAssessment: Json | null = { globalRuleSetSelector: {} },
    entries: readonly Partial<InventoryEntry>[] = [],
    more: { name?: string; total?: number; spec?: Json; attempted?: Json } = {},
  ): void {
    const { name = 'shop', spec = {}, attempted = {} } = more;
    const total = more.total ?? entries.filter(({ hook, prune }) => hook === undefined && prune !== true).length;
    this.#create(this.homeApi, {
      apiVersion: API_VERSION,
      kind: 'Release',
      metadata: { name, namespace: 'default' },
      spec: {
        source: { inline: { manifests: 'x' } },
        ...(healthAssessment === null ? {} : { healthAssessment }),
        ...spec,
      },
    });
    this.attempt({ total, ...attempted }, name);
    this.page(entries, { name });
  }

  /** Writes status.lastAttempted as the controller does. */
  attempt(attempted: Json, name = 'shop'): void {
    const time = new Date(this.clock.now()).toISOString();
    this.#resourceCall(RELEASES, (resource) =>
      this.homeApi.apply(
        resource,
        'default',
        name,
        {
          apiVersion: API_VERSION,
          kind: 'Release',
          metadata: { name, namespace: 'default' },
          status: {
            observedGeneration: 1,
            lastAttempted: { renderRef: RENDER, revision: 'one', time, attempt: 1, phase: 'Waves', ...attempted },
          },
        },
        { manager: 'convoy-controller', subresource: 'status', force: true },
      ),
    );
  }

  page(
    entries: readonly Partial<InventoryEntry>[],
    { name = 'shop', page = 1, pageName }: { name?: string; page?: number; pageName?: string } = {},
  ): void {
    const written = entries.map(({ uid, ...entry }) => {
      const live = this.#live(entry);
      const known = uid ?? live?.metadata.uid;
      const generation = live?.metadata.generation;
      return {
        ...entry,
        ...(known === undefined ? {} : { uid: known }),
        ...(generation === undefined ? {} : { generation }),
      };
    });
    this.#create(this.homeApi, {
      apiVersion: API_VERSION,
      kind: 'ReleaseInventory',
      metadata: { name: pageName ?? name, namespace: 'default' },
      spec: { release: name, page, entries: written },
    });
  }

  /** Changes an entry as the controller does. */
  entry(name: string, fields: Partial<InventoryEntry>, page = 'shop'): void {
    this.#resourceCall(INVENTORIES, (resource) =>
      this.homeApi.change(
        resource,
        'default',
        page,
        (draft) => {
          const spec = draft['spec'] as { entries: Record<string, unknown>[] };
          Object.assign(spec.entries.find((entry) => entry['name'] === name) ?? {}, fields);
        },
        { manager: 'convoy-controller' },
      ),
    );
  }

  /** Creates an object on the target as the controller applies it, with its status. */
  create(object: Json, status?: Json, release = 'shop'): ApiObject {
    const { label } = ownerOf(INSTALLATION, 'default', release, (text) =>
      createHash('sha256').update(text).digest('hex'),
    );
    const metadata = asMap(object['metadata']);
    const labels = { ...asMap(metadata['labels']), 'convoy.kumodo.io/release': label };
    const created = this.#create(this.targetApi, {
      ...object,
      metadata: { namespace: 'default', ...metadata, labels },
    });
    return status === undefined ? created : this.status(created, status);
  }

  /** A Widget in a phase. */
  widget(name: string, phase?: string): ApiObject {
    const object = { apiVersion: 'example.test/v1', kind: 'Widget', metadata: { name }, spec: { size: 1 } };
    return this.create(object, phase === undefined ? undefined : { phase });
  }

  /** Sets the status of an object on the target. */
  status(object: Json, status: Json): ApiObject {
    const { namespace = '', name } = asMap(object['metadata']);
    return this.targetApi.change(
      this.#typeOf({ ...groupOf(object), kind: asString(object['kind']) }),
      asString(namespace),
      asString(name),
      (draft) => {
        draft['status'] = status;
      },
      { manager: 'player', subresource: 'status' },
    );
  }

  phase(name: string, phase: string): void {
    this.status({ apiVersion: 'example.test/v1', kind: 'Widget', metadata: { namespace: 'default', name } }, { phase });
  }

  remove(kind: string, group: string, name: string): void {
    this.targetApi.remove(this.#typeOf({ group, kind }), 'default', name, {});
  }

  /** Entries as they stand on a page. */
  entries(page = 'shop'): readonly Partial<InventoryEntry>[] {
    const object = this.#stored(INVENTORIES, page);
    return (asMap(object?.['spec'])['entries'] ?? []) as readonly Partial<InventoryEntry>[];
  }

  stored(name = 'shop'): KubernetesObject {
    return this.#stored(RELEASES, name) ?? {};
  }

  condition(name = 'shop'): Condition | undefined {
    const conditions = asMap(this.stored(name)['status'])['conditions'] as readonly (Condition & { type: string })[];
    return conditions?.find(({ type }) => type === 'Healthy');
  }

  /** `status reason: message` of the Healthy condition. */
  healthy(name = 'shop'): string {
    const { status, reason, message } = this.condition(name) ?? { status: '-', reason: '-', message: '' };
    return `${status} ${reason}: ${message}`;
  }

  summary(name = 'shop'): unknown {
    return asMap(this.stored(name)['status'])['healthSummary'];
  }

  /** Reads of objects on the target, without those of informers. */
  gets(resource = 'widgets'): readonly string[] {
    return this.target.calls
      .filter((call) => call.verb === 'get' && call.resource === resource)
      .map(({ name }) => name);
  }

  #stored({ group, version, resource }: typeof RELEASES | typeof INVENTORIES, name: string) {
    const found = this.homeApi.registry.find(group, version, resource);
    return found === undefined ? undefined : this.homeApi.find(found, 'default', name);
  }

  #resourceCall<T>(
    { group, version, resource }: typeof RELEASES | typeof INVENTORIES,
    call: (resource: NonNullable<ReturnType<typeof this.homeApi.registry.find>>) => T,
  ): T {
    const found = this.homeApi.registry.find(group, version, resource);
    if (found === undefined) throw new Error(`${resource} is not served`);
    return call(found);
  }

  #live({ group, kind, namespace = '', name = '' }: Partial<InventoryEntry>): ApiObject | undefined {
    const type = this.targetApi.registry.all().find((one) => one.kind === kind && one.group === group);
    return type === undefined ? undefined : this.targetApi.find(type, namespace, name);
  }

  #typeOf({ group = '', kind = '' }: { group?: string; kind?: string }) {
    const found = this.targetApi.registry.all().find((one) => one.kind === kind && one.group === group);
    if (found === undefined) throw new Error(`${group}/${kind} is not served`);
    return found;
  }

  #create(api: typeof this.homeApi, object: Json): ApiObject {
    const found = api.registry.byKind(asString(object['apiVersion']), asString(object['kind']));
    if (found === undefined) throw new Error(`${asString(object['kind'])} is not served`);
    const namespace = found.namespaced ? asString(asMap(object['metadata'])['namespace']) || 'default' : '';
    return api.create(found, namespace, object, { manager: 'convoy-controller' });
  }

  #lint(object: ApiObject, previous: ApiObject | undefined): void {
    if (object.kind !== 'Release') return;
    const changes = previous === undefined ? [] : lintStatusChange(previous, object);
    for (const { law, what } of [...lintStatus(object), ...changes]) this.faults.push(`law ${law}: ${what}`);
  }
}

function groupOf(object: Json): { group: string } {
  const [group = '', version] = asString(field(object, 'apiVersion')).split('/');
  return { group: version === undefined ? '' : group };
}
