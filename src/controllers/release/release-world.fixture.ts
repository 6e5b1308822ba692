import {
  definitionOf,
  type InventoryEntry,
  OWN_KINDS,
  type Release,
  readInventory,
  readRelease,
} from '../../core/api/index.ts';
import { lintStatus, lintStatusChange } from '../../core/conditions/status-lint.ts';
import { asMap, asString, field } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { State, SyncReason } from '../../core/release/attempt/index.ts';
import type { HappenedEvent } from '../../ports/events.ts';
import type { Target } from '../../ports/targets.ts';
import type { Result } from '../../runtime/controller.ts';
import { emptyApi } from '../../sandbox/api/object-api.fixture.ts';
import { serveDefinitions } from '../../sandbox/crd/serve-definitions.ts';
import { type Effect, ObjectApiCluster } from '../../sandbox/object-api-cluster.fixture.ts';
import type { ApiObject } from '../../sandbox/objects/api-object.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { FakeFetcher, FakeRenderer } from '../../testing/fake-renderer.ts';
import { NODE_PARTS } from './index.ts';
import { Memories } from './memory.ts';
import { ReleaseReconciler } from './release-reconciler.ts';
import type { Services } from './services.ts';

const BY = { manager: 'somebody' };
const KEY = 'shop/web';

/** One Release `shop/web` in a sandbox without HTTP; the test plays the observer. */
export class ReleaseWorld {
  readonly clock = new FakeClock();
  readonly fetcher = new FakeFetcher();
  readonly renderer = new FakeRenderer();
  readonly cluster: ObjectApiCluster;
  readonly events: string[] = [];
  /** `VERB resource name` of each write since it was emptied, statuses and pages apart. */
  transcript: string[] = [];
  /** Each write, whatever it was to. */
  writes: Effect[] = [];
  /** What the status lint found in any stored Release. */
  readonly faults: string[] = [];
  states: State['kind'][] = [];
  readonly api = emptyApi(undefined, () => this.clock.now()).api;
  target: () => Promise<Target>;
  mayAct = true;
  /** The uid of a Release that another replica answers for. */
  foreign = '';
  crossNamespace = true;
  fetchesAreFull = false;
  #memories = new Memories();
  #reconciler: ReleaseReconciler;

  constructor() {
    serveDefinitions(this.api);
    for (const own of OWN_KINDS) this.create(definitionOf(own));
    this.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    this.cluster = new ObjectApiCluster(this.api);
    this.target = async () => ({
      key: 'home',
      home: true,
      reader: this.cluster,
      cluster: this.cluster,
      actsAs: '',
    });
    this.#lintEverything();
    this.#record();
    this.#reconciler = this.#start();
  }

  #lintEverything(): void {
    const last = new Map<string, ApiObject>();
    this.api.store.subscribe(({ key, object, type }) => {
      if (!key.endsWith('/releases')) return;
      const name = `${object.metadata.namespace}/${object.metadata.name}`;
      const before = last.get(name);
      last.set(name, object);
      if (type === 'DELETED') last.delete(name);
      const faults = [...lintStatus(object), ...(before === undefined ? [] : lintStatusChange(before, object))];
      this.faults.push(...faults.map(({ law, what }) => `${law}: ${what}`));
    });
  }

  #record(): void {
    this.cluster.around = (effect, moment) => {
      if (moment !== 'after') return;
      this.writes.push(effect);
      const { verb, resource, name } = effect;
      if (resource !== 'releases' && resource !== 'releaseinventories' && !name.startsWith('convoy-render-')) {
        this.transcript.push(`${verb} ${resource} ${name}`);
      }
    };
  }

  get services(): Services {
    const listed = (plural: string) => [...this.api.store.all(`convoy.kumodo.io/${plural}`)];
    return {
      ...NODE_PARTS,
      clock: this.clock,
      home: this.cluster,
      targets: { of: () => this.target() },
      fetcher: this.fetcher,
      renderer: this.renderer,
      readValues: (text) => asMap(JSON.parse(text)),
      events: { record: (event) => void this.events.push(eventText(event)), flush: async () => {} },
      installation: 'home-1',
      releases: {
        get: (namespace, name) =>
          listed('releases').find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
      },
      inventories: {
        inNamespace: (namespace) =>
          listed('releaseinventories').filter(({ metadata }) => metadata.namespace === namespace),
      },
      fetches: { enter: () => (this.fetchesAreFull ? undefined : () => {}) },
      aside: (waiting) => waiting(),
      crossNamespace: this.crossNamespace,
      mayAct: (_, uid) => this.mayAct && (uid === undefined || uid !== this.foreign),
    };
  }

  #start(): ReleaseReconciler {
    return new ReleaseReconciler({
      services: this.services,
      memories: this.#memories,
      onStep: (_, state) => void this.states.push(state.kind),
    });
  }

  /** A new process: nothing that was only remembered is known any more. */
  restart(): void {
    this.#memories = new Memories();
    this.#reconciler = this.#start();
  }

  request(reason: SyncReason): void {
    this.#memories.of(KEY).requests.add(reason);
  }

  /** What the watch of a ConfigMap or Secret does. */
  sourceChanged(): void {
    this.#memories.of(KEY).forgetSource();
  }

  reconcile(key = KEY): Promise<Result> {
    return this.#reconciler.reconcile(key, new AbortController().signal);
  }

  /** Reconciles until there is nothing to do for a second; what is waited for shorter is waited for. */
  async run(key = KEY): Promise<Result> {
    for (let rounds = 0; rounds < 50; rounds += 1) {
      const result = await this.reconcile(key);
      if (result.kind === 'done' || (result.kind === 'after' && result.ms > 1000)) return result;
      if (result.kind === 'after') await this.clock.advance(result.ms);
    }
    throw new Error('it does not come to rest');
  }

  create(object: KubernetesObject): ApiObject {
    const { apiVersion, kind, metadata } = object;
    return this.api.create(
      this.resource(String(apiVersion), String(kind)),
      asString(field(metadata, 'namespace')),
      object,
      BY,
    );
  }

  resource(apiVersion: string, kind: string) {
    const found = this.api.registry.byKind(apiVersion, kind);
    if (found === undefined) throw new Error(`${kind} is not served`);
    return found;
  }

  /** The Release with objects written in its spec. */
  release(objects: readonly KubernetesObject[], spec: KubernetesObject = {}, metadata: KubernetesObject = {}): void {
    this.releaseOf({ source: { inline: { objects } }, ...spec }, metadata);
  }

  releaseOf(spec: KubernetesObject, metadata: KubernetesObject = {}): void {
    const resource = this.resource('convoy.kumodo.io/v1alpha1', 'Release');
    const name = asString(metadata['name']) || 'web';
    if (this.api.find(resource, 'shop', name) === undefined) {
      this.create({
        apiVersion: 'convoy.kumodo.io/v1alpha1',
        kind: 'Release',
        metadata: { name, namespace: 'shop', ...metadata },
        spec,
      });
    } else
      this.change('convoy.kumodo.io/v1alpha1', 'Release', 'shop', name, (draft) => {
        draft['spec'] = spec;
      });
  }

  change(apiVersion: string, kind: string, namespace: string, name: string, change: (draft: ApiObject) => void): void {
    this.api.change(this.resource(apiVersion, kind), namespace, name, (draft) => void change(draft), BY);
  }

  annotate(annotations: Readonly<Record<string, string | undefined>>): void {
    this.change('convoy.kumodo.io/v1alpha1', 'Release', 'shop', 'web', (draft) => {
      const all = { ...draft.metadata.annotations, ...annotations };
      const kept = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
      draft.metadata.annotations = Object.fromEntries(kept);
    });
  }

  find(apiVersion: string, kind: string, name: string, namespace = 'shop'): ApiObject | undefined {
    return this.api.find(this.resource(apiVersion, kind), namespace, name);
  }

  remove(apiVersion: string, kind: string, name: string, namespace = 'shop'): void {
    this.api.remove(this.resource(apiVersion, kind), namespace, name, { propagation: 'Background' });
  }

  deleteRelease(): void {
    this.remove('convoy.kumodo.io/v1alpha1', 'Release', 'web');
  }

  /** Undefined: gone. */
  get stored(): Release | undefined {
    const object = this.find('convoy.kumodo.io/v1alpha1', 'Release', 'web');
    const read = object === undefined ? undefined : readRelease(object);
    return read === undefined || 'problem' in read ? undefined : read.value;
  }

  get status(): Release['status'] {
    return this.stored?.status ?? {};
  }

  /** `Ready=True Succeeded applied inline@1` */
  get conditions(): string[] {
    return (this.status.conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`);
  }

  get readyMessage(): string {
    return this.status.conditions?.find(({ type }) => type === 'Ready')?.message ?? '';
  }

  get pages(): ApiObject[] {
    return [...this.api.store.all('convoy.kumodo.io/releaseinventories', 'shop')];
  }

  get entries(): InventoryEntry[] {
    return this.pages.flatMap((page) => {
      const read = readInventory(page);
      return 'problem' in read ? [] : read.value.spec.entries;
    });
  }

  entry(name: string): InventoryEntry | undefined {
    return this.entries.find((entry) => entry.name === name);
  }

  /** Plays the observer: every entry that was applied is in this state for its render; `others` are in another one, by name. */
  observe(
    state: InventoryEntry['state'] = 'Healthy',
    others: Readonly<Record<string, Partial<InventoryEntry>>> = {},
  ): void {
    const stateSince = new Date(this.clock.now()).toISOString();
    for (const page of this.pages) {
      this.change('convoy.kumodo.io/v1alpha1', 'ReleaseInventory', 'shop', page.metadata.name, (draft) => {
        const spec = asMap(draft['spec']);
        const entries = (spec['entries'] as InventoryEntry[]).map((entry) => {
          if (entry.renderRef === undefined) return entry;
          const assessed = { state, stateSince, reason: 'AllRulesPass', assessedRenderRef: entry.renderRef };
          const hook = entry.hook === undefined ? {} : { assessedUid: entry.uid };
          return { ...entry, ...assessed, ...hook, ...others[entry.name] };
        });
        draft['spec'] = { ...spec, entries };
      });
    }
  }

  /** Runs and plays a healthy cluster until nothing moves any more. */
  async settle(): Promise<void> {
    for (let rounds = 0; rounds < 20; rounds += 1) {
      const before = this.api.store.revision;
      await this.run();
      this.observe();
      if (this.api.store.revision === before) return;
    }
    throw new Error('it does not come to rest');
  }
}

function eventText({ type, reason, note }: HappenedEvent): string {
  return `${type} ${reason}: ${note}`;
}

export function configMap(
  name: string,
  data: Record<string, string> = {},
  annotations: Record<string, string> = {},
): KubernetesObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, annotations: prefixed(annotations) }, data };
}

/** A Job of one container; with a phase it is a hook. */
export function job(name: string, annotations: Record<string, string> = {}): KubernetesObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, annotations: prefixed(annotations) },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'run', image: 'run:1' }] } } },
  };
}

export function deployment(
  name: string,
  spec: KubernetesObject = {},
  annotations: Record<string, string> = {},
): KubernetesObject {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app:1' }] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, annotations: prefixed(annotations) },
    spec: { selector: { matchLabels: labels }, template, ...spec },
  };
}

/** Short names of our annotations: `wave` is not one of them. */
function prefixed(annotations: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations).map(([name, value]) => [name.includes('/') ? name : `convoy.kumodo.io/${name}`, value]),
  );
}
