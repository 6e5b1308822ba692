import { catalogue } from '../../src/catalogue/index.ts';
import { observer } from '../../src/controllers/observer/index.ts';
import { RELEASE_INDEXES, releaseController } from '../../src/controllers/release/index.ts';
import {
  API_VERSION,
  definitionOf,
  GLOBAL_HEALTH_RULE_SETS,
  HEALTH_RULE_SETS,
  INVENTORIES,
  OWN_KINDS,
  RELEASES,
} from '../../src/core/api/index.ts';
import { lintStatus, lintStatusChange } from '../../src/core/conditions/status-lint.ts';
import type { RuleSet } from '../../src/core/health/index.ts';
import { asList, asMap, asString, field } from '../../src/core/object/fields.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';
import type { ResourcePath } from '../../src/ports/cluster.ts';
import type { HappenedEvent } from '../../src/ports/events.ts';
import type { Targets } from '../../src/ports/targets.ts';
import type { IndexFunction } from '../../src/runtime/indexer.ts';
import { Informer } from '../../src/runtime/informer.ts';
import { INVENTORY_INDEXES } from '../../src/runtime/inventory-index.ts';
import { emptyApi } from '../../src/sandbox/api/object-api.fixture.ts';
import { startControllers } from '../../src/sandbox/controllers/start-controllers.ts';
import { serveDefinitions } from '../../src/sandbox/crd/serve-definitions.ts';
import { DirectCluster } from '../../src/sandbox/direct-cluster.fixture.ts';
import type { ApiObject } from '../../src/sandbox/objects/api-object.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import { FakeFetcher, FakeRenderer } from '../../src/testing/fake-renderer.ts';

const BY = { manager: 'somebody' };
/** ms in which the played controllers get a turn. */
const STEP = 250;

/** The sandbox with its played workloads, the release controller and the observer, all on one clock that the test moves. */
export class RunningReleases {
  readonly clock = new FakeClock(1);
  readonly api = emptyApi(undefined, () => this.clock.now()).api;
  readonly cluster = new DirectCluster(this.api, this.clock);
  readonly events: string[] = [];
  /** What the status lint found in any stored Release. */
  readonly faults: string[] = [];
  readonly #stop = new AbortController();
  readonly #played = startControllers(this.api, { clock: this.clock, nodes: 3 });
  #ended: Promise<unknown> = Promise.resolve();

  constructor() {
    serveDefinitions(this.api);
    for (const own of OWN_KINDS) this.create(definitionOf(own));
    for (const set of catalogue()) this.create(ruleSetObject(set));
    this.api.store.subscribe(({ object, previous, type }) => {
      if (object.kind !== 'Release' || type === 'DELETED') return;
      const changes = previous === undefined ? [] : lintStatusChange(previous, object);
      this.faults.push(...[...lintStatus(object), ...changes].map(({ law, what }) => `law ${law}: ${what}`));
    });
  }

  async start(): Promise<void> {
    const { clock, cluster } = this;
    const { signal } = this.#stop;
    const informer = (type: ResourcePath['type'], indexes: Readonly<Record<string, IndexFunction>> = {}): Informer =>
      new Informer({ cluster, clock, path: { type, namespace: '' }, indexes });
    const informers = {
      releases: informer(RELEASES, RELEASE_INDEXES),
      inventories: informer(INVENTORIES, INVENTORY_INDEXES),
      globalRuleSets: informer(GLOBAL_HEALTH_RULE_SETS),
      localRuleSets: informer(HEALTH_RULE_SETS),
    };
    const targets: Targets = {
      of: async () => ({ key: 'home', home: true, reader: cluster, cluster, actsAs: '' }),
    };
    const events = {
      record: ({ type, reason, note }: HappenedEvent): void => void this.events.push(`${type} ${reason}: ${note}`),
      flush: async (): Promise<void> => {},
    };
    const shared = { clock, home: cluster, targets, events, installation: 'test', informers };
    const release = releaseController({
      ...shared,
      informers: { releases: informers.releases, inventories: informers.inventories },
      fetcher: new FakeFetcher(),
      renderer: new FakeRenderer(),
      readValues: () => ({}),
      crossNamespace: true,
      mayAct: () => true,
    });
    const observing = observer({ ...shared, requestSync: (key, reason) => release.requestSync(key, reason) });
    this.#ended = Promise.all([
      ...Object.values(informers).map((one) => one.run(signal)),
      release.controller.run(signal),
      observing.run(signal),
    ]);
    await this.pass(0);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#played.stop();
    await this.#ended;
  }

  /** Lets time pass for everybody. */
  async pass(ms: number): Promise<void> {
    await this.#turn();
    for (let left = ms; left > 0; left -= STEP) {
      await this.clock.advance(Math.min(STEP, left));
      await this.#turn();
    }
  }

  /** Lets time pass until something holds; fails when it does not come to that. */
  async until(what: string, holds: () => boolean, ms = 120_000): Promise<void> {
    for (let left = ms; left > 0 && !holds(); left -= STEP) await this.pass(STEP);
    if (!holds()) throw new Error(`${what}: not within ${ms / 1000} s; it is ${JSON.stringify(this.conditions())}`);
  }

  async #turn(): Promise<void> {
    for (let turn = 0; turn < 6; turn += 1) {
      this.#played.settle();
      // Renders are compressed beside the event loop: several turns let them come back.
      for (let more = 0; more < 6; more += 1) await settled();
    }
  }

  create(object: KubernetesObject): ApiObject {
    const resource = this.#resource(asString(object['apiVersion']), asString(object['kind']));
    const namespace = resource.namespaced ? asString(field(object['metadata'], 'namespace')) || 'default' : '';
    return this.api.create(resource, namespace, object, BY);
  }

  release(name: string, objects: readonly KubernetesObject[], spec: KubernetesObject = {}): void {
    const source = { inline: { objects } };
    const healthAssessment = { globalRuleSetSelector: { matchLabels: { 'convoy.kumodo.io/default': 'true' } } };
    this.create({
      apiVersion: API_VERSION,
      kind: 'Release',
      metadata: { name, namespace: 'default' },
      spec: { source, healthAssessment, ...spec },
    });
  }

  change(kind: string, name: string, change: (draft: ApiObject) => void): void {
    const resource = this.api.registry.all().find((one) => one.kind === kind);
    if (resource === undefined) throw new Error(`${kind} is not served`);
    this.api.change(resource, 'default', name, (draft) => void change(draft), BY);
  }

  get(kind: string, name: string): KubernetesObject | undefined {
    const resource = this.api.registry.all().find((one) => one.kind === kind);
    return resource === undefined ? undefined : this.api.find(resource, 'default', name);
  }

  status(name = 'shop'): KubernetesObject {
    return asMap(this.get('Release', name)?.['status']);
  }

  /** `status reason: message` by type. */
  conditions(name = 'shop'): Readonly<Record<string, string>> {
    return Object.fromEntries(
      asList(this.status(name)['conditions']).map((one) => {
        const { type, status, reason, message } = asMap(one);
        return [asString(type), `${status} ${reason}: ${message}`];
      }),
    );
  }

  #resource(apiVersion: string, kind: string) {
    const resource = this.api.registry.byKind(apiVersion, kind);
    if (resource === undefined) throw new Error(`${kind} is not served`);
    return resource;
  }
}

/** A Deployment of one container. */
export function deployment(name: string, image: string, annotations: Readonly<Record<string, string>> = {}) {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default', annotations },
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  };
}

/** A shipped set as an object of the cluster. */
function ruleSetObject({ name, preamble, generic, rules }: RuleSet): KubernetesObject {
  return {
    apiVersion: API_VERSION,
    kind: 'GlobalHealthRuleSet',
    metadata: { name, labels: { 'convoy.kumodo.io/default': 'true' } },
    spec: {
      preamble,
      generic,
      rules: rules.map(({ apiVersions, kinds: _kinds, ...rule }) => ({ ...rule, apiVersion: apiVersions[0] })),
    },
  };
}
