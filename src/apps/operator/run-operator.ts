import { randomBytes } from 'node:crypto';
import type { OperatorOptions } from '../../cli/operator.ts';
import { observer } from '../../controllers/observer/index.ts';
import { type ReleaseController, releaseController } from '../../controllers/release/index.ts';
import { ruleSetControllers } from '../../controllers/rule-sets/index.ts';
import { readMetadata } from '../../core/api/index.ts';
import { asString, field, type JsonMap } from '../../core/object/fields.ts';
import type { SyncReason } from '../../http/aggregated/aggregated-api.ts';
import { PrometheusTelemetry } from '../../http/operations/prometheus-telemetry.ts';
import { serveOperations } from '../../http/operations/serve-operations.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { EventRecorder } from '../../ports/events.ts';
import type { Renderer, SourceFetcher } from '../../ports/renderer.ts';
import type { Targets } from '../../ports/targets.ts';
import type { Outcome } from '../../runtime/controller.ts';
import { Manager, type Runnable } from '../../runtime/manager.ts';
import { splitKey } from '../../runtime/object-key.ts';
import { OWNS_ALL, type Ownership, ShardOwnership, workAnew } from '../../runtime/ownership.ts';
import { pause } from '../../runtime/pause.ts';
import { Shards } from '../../runtime/shards.ts';
import { aggregatedApiServer } from './aggregated-api.ts';
import type { OperatorLog } from './log.ts';
import { measuredCluster, measuredTargets } from './measured-cluster.ts';
import { type OwnInformers, ownInformers } from './own-informers.ts';
import { ReleaseCache } from './release-cache.ts';
import { requestSync } from './sync-requests.ts';

/** What the operator needs of the process it runs in. */
export interface OperatorWorld {
  readonly clock: Clock;
  readonly log: OperatorLog;
  /** The cluster of the Releases; closed by whoever made it. */
  readonly cluster: Cluster;
  /** Its own namespace. */
  readonly namespace: string;
  /** Tells replicas apart: the name of the pod. */
  readonly identity: string;
  /** Targets by the home cluster as the operator uses it. */
  readonly targets: (home: Cluster) => Targets & { close(): Promise<void> };
  readonly sources: { readonly fetcher: SourceFetcher; readonly renderer: Renderer };
  readonly readValues: (text: string) => JsonMap;
  readonly events: (controller: string) => EventRecorder;
  /** Told where it listens, as soon as it does. */
  readonly onListening?: (what: 'operations' | 'aggregated API', port: number) => void;
}

/** ms that a write may take where leases say who may write: less than what is left of one that is renewed in time. */
const WRITE_LIMIT = 4_000;
/** ms after which a Release is looked at again whose lease is renewed late. */
const LATE = 500;
/** ms between two tries to learn which cluster this is. */
const TRY_AGAIN = 2_000;

/**
 * Runs the operator until the signal aborts and everything has ended. Throws an error with the code EADDRINUSE or EACCES for a port that is
 * taken, and what a part threw that should have gone on.
 */
export async function operate(options: OperatorOptions, world: OperatorWorld, signal: AbortSignal): Promise<void> {
  await new Operator(options, world).run(signal);
}

class Operator {
  readonly #options: OperatorOptions;
  readonly #world: OperatorWorld;
  readonly #cluster: Cluster;
  readonly #informers: OwnInformers;
  readonly #releases: ReleaseCache;
  readonly #telemetry: PrometheusTelemetry;
  readonly #manager: Manager;
  readonly #shards: ShardOwnership | undefined;
  readonly #targets: Targets;
  readonly #closeTargets: () => Promise<void>;
  #controller: ReleaseController | undefined;
  #installation = '';
  /** The uid of each Release that is there, by its key. */
  readonly #uids = new Map<string, string>();

  constructor(options: OperatorOptions, world: OperatorWorld) {
    this.#options = options;
    this.#world = world;
    const { clock, log } = world;
    // The cache of Releases is asked by telemetry, which counts the requests that fill the cache.
    const informers = (): OwnInformers => this.#informers;
    const cache = (): ReleaseCache => this.#releases;
    this.#telemetry = new PrometheusTelemetry({
      releases: () => cache().releases(),
      inventories: () => cache().inventories(),
      queues: () => new Map(this.#controller === undefined ? [] : [['release', this.#controller.queue.numbers]]),
    });
    const limit = options.shards === undefined ? {} : { writeLimit: WRITE_LIMIT };
    const measured = { telemetry: this.#telemetry, ...limit };
    this.#cluster = measuredCluster(world.cluster, measured);
    this.#informers = ownInformers(this.#cluster, clock, (resource, error) => {
      log.warn({ resource, error: error.message }, 'cannot be followed; trying again');
    });
    this.#releases = new ReleaseCache(informers());
    this.#informers.releases.addHandler({
      added: (object) => this.#remember(readMetadata(object)),
      updated: (object) => this.#remember(readMetadata(object)),
      deleted: (object) => this.#forget(readMetadata(object)),
    });
    this.#shards = this.#shardOwnership();
    const targets = world.targets(this.#cluster);
    this.#targets = measuredTargets(targets, measured);
    this.#closeTargets = () => targets.close();
    this.#manager = new Manager({
      clock,
      informers: Object.values(this.#informers),
      always: this.#always(),
      leading: this.#leading(),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { log, onListening } = this.#world;
    const { host, port } = this.#options.operations;
    const operations = await serveOperations({
      host,
      port,
      live: { process: () => undefined },
      ready: { caches: () => this.#unready() },
      telemetry: this.#telemetry,
    });
    onListening?.('operations', operations.port);
    try {
      log.info({ cluster: this.#cluster.description, controllers: [...this.#options.controllers] }, 'starting');
      this.#installation = this.#options.installation ?? (await this.#learnInstallation(signal));
      if (!signal.aborted) await this.#manager.run(signal);
      log.info({}, 'ended');
    } finally {
      await Promise.all([operations.close(), this.#closeTargets()]);
    }
  }

  /** The uid of kube-system stands for the cluster: it is made with it, and stays. */
  async #learnInstallation(signal: AbortSignal): Promise<string> {
    const path = { type: { group: '', version: 'v1', resource: 'namespaces' }, namespace: '', name: 'kube-system' };
    while (!signal.aborted) {
      try {
        return asString(field((await this.#cluster.get(path, { signal }))['metadata'], 'uid'));
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        this.#world.log.warn({ error: message }, 'the cluster does not answer yet; trying again');
        await pause(this.#world.clock, TRY_AGAIN, signal);
      }
    }
    return '';
  }

  #unready(): string | undefined {
    const missing = Object.entries(this.#informers).filter(([, informer]) => !informer.hasSynced);
    if (missing.length === 0) return undefined;
    return missing.map(([name, { problem }]) => `${name}: ${problem?.message ?? 'not listed yet'}`).join('; ');
  }

  #remember({ namespace, name, uid }: ReturnType<typeof readMetadata>): void {
    this.#uids.set(`${namespace}/${name}`, uid);
  }

  #forget({ namespace, name, uid }: ReturnType<typeof readMetadata>): void {
    const key = `${namespace}/${name}`;
    if (this.#uids.get(key) === uid) this.#uids.delete(key);
  }

  get #ownership(): Ownership {
    return this.#shards ?? OWNS_ALL;
  }

  #shardOwnership(): ShardOwnership | undefined {
    const { shards: count } = this.#options;
    if (count === undefined) return undefined;
    const { clock, namespace, identity, log, cluster } = this.#world;
    const onError = (error: Error): void => log.warn({ error: error.message }, 'a lease could not be looked after');
    // Leases have limits of their own.
    const shards = new Shards({ cluster, clock, namespace, name: 'convoy', identity, count, onError });
    return new ShardOwnership({ clock, shards, count, effectLimit: WRITE_LIMIT });
  }

  /** A Release that is not known belongs to whoever works at all: that it is gone harms nobody. */
  #mayAct(key: string, uid = this.#uids.get(key)): boolean {
    if (uid === undefined) return this.#ownership.some;
    if (this.#shards === undefined || this.#ownership.owns(uid, WRITE_LIMIT)) return true;
    // A renewal is late. What has to be done is not forgotten: it is looked at again when the lease is good again, or lost.
    if (this.#ownership.owns(uid)) this.#controller?.queue.addAfter(key, LATE);
    return false;
  }

  #always(): readonly Runnable[] {
    const { aggregatedApi } = this.#options;
    const { clock, log, namespace, onListening } = this.#world;
    const shards = this.#shards;
    return [
      ...(aggregatedApi === undefined
        ? []
        : [
            aggregatedApiServer({
              cluster: this.#cluster,
              clock,
              log,
              namespace,
              ...aggregatedApi,
              releases: this.#releases,
              requestSync: (key, reason) => this.#requestSync(key, reason),
              onListening: (port) => onListening?.('aggregated API', port),
            }),
          ]),
      // It ends behind what leads: then nothing works any more, and shards may go at once.
      ...(shards === undefined ? [] : [{ name: 'shards', run: (signal: AbortSignal) => shards.run(signal, signal) }]),
    ];
  }

  #leading(): readonly Runnable[] {
    const { controllers } = this.#options;
    const { clock } = this.#world;
    const anew = (part: () => Runnable): Runnable => ({
      name: part().name,
      run: (signal) => workAnew(this.#ownership, clock, signal, (term) => part().run(term)),
    });
    const observing = controllers.has('observer');
    return [
      ...(controllers.has('release') ? [this.#releaseRunnable()] : []),
      ...(observing ? [this.#observerRunnable(), ...this.#ruleSets().map((part) => anew(() => part))] : []),
    ];
  }

  #releaseRunnable(): Runnable {
    return {
      name: 'release',
      run: async (signal) => {
        const { controller, gained } = this.#releaseController();
        const remove = this.#ownership.onGain((isGained) => {
          for (const [key, uid] of this.#uids) if (isGained(uid)) gained(key);
        });
        try {
          await controller.run(signal);
        } finally {
          remove();
        }
      },
    };
  }

  #releaseController(): ReleaseController {
    const { clock, sources, readValues, events } = this.#world;
    this.#controller = releaseController({
      clock,
      home: this.#cluster,
      targets: this.#targets,
      ...sources,
      readValues,
      events: events('convoy.kumodo.io/release-controller'),
      installation: this.#installation,
      crossNamespace: this.#options.crossNamespaceRefs,
      mayAct: (key, uid) => this.#mayAct(key, uid),
      informers: this.#informers,
      workers: this.#options.workers,
      onStep: (key, state, action) => {
        this.#world.log.debug({ ...release(key), state: state.kind, action: action.kind }, 'step');
      },
      onOutcome: (key, outcome, duration) => {
        const labels = { controller: 'release', result: outcome.kind };
        this.#telemetry.observe('convoy_reconcile_seconds', labels, duration / 1000);
        this.#logOutcome('release', key, outcome, duration);
      },
    });
    return this.#controller;
  }

  /** Made when it runs: the installation is known then. */
  #observerRunnable(): Runnable {
    return { name: 'observer', run: (signal) => this.#observer().run(signal) };
  }

  #observer(): Runnable {
    const { clock, events } = this.#world;
    return observer({
      home: this.#cluster,
      clock,
      informers: this.#informers,
      targets: this.#targets,
      events: events('convoy.kumodo.io/observer'),
      installation: this.#installation,
      // What cannot be asked for has been told, and is in the inventory as well.
      requestSync: (key, reason) => void this.#requestSync(key, reason).catch(() => undefined),
      telemetry: this.#telemetry,
      owns: (uid) => this.#ownership.owns(uid),
      onGain: (listener) => this.#ownership.onGain(listener),
      onOutcome: (controller, key, outcome, duration) => this.#logOutcome(controller, key, outcome, duration),
    });
  }

  #ruleSets(): readonly Runnable[] {
    return ruleSetControllers({
      cluster: this.#cluster,
      clock: this.#world.clock,
      informers: { local: this.#informers.localRuleSets, global: this.#informers.globalRuleSets },
      owns: (uid) => this.#ownership.owns(uid),
      onOutcome: (controller, key, outcome, duration) => {
        this.#telemetry.observe('convoy_reconcile_seconds', { controller, result: outcome.kind }, duration / 1000);
        this.#logOutcome(controller, key, outcome, duration);
      },
    });
  }

  async #requestSync(key: string, reason: SyncReason): Promise<void> {
    const here = (): boolean => {
      if (this.#controller === undefined || !this.#mayAct(key)) return false;
      this.#controller.requestSync(key, reason);
      return true;
    };
    try {
      await requestSync({ cluster: this.#cluster, clock: this.#world.clock, here }, key, reason);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#world.log.warn({ ...release(key), reason, error: message }, 'a sync could not be asked for');
      throw error;
    }
  }

  #logOutcome(controller: string, key: string, outcome: Outcome, duration: number): void {
    const { log } = this.#world;
    const fields = { reconcile: randomBytes(6).toString('hex'), controller, ...release(key), ms: Math.round(duration) };
    switch (outcome.kind) {
      case 'failed':
        log.warn({ ...fields, error: outcome.error.message }, 'failed; tried again');
        break;
      case 'terminal':
        log.error({ ...fields, error: outcome.error.message }, 'failed; not tried again before something changes');
        break;
      default:
        log.debug({ ...fields, result: outcome.kind }, 'reconciled');
    }
  }
}

/** The object of a key, for a line of the log. */
function release(key: string): Readonly<Record<string, string>> {
  const { namespace, name } = splitKey(key);
  return namespace === '' ? { name } : { namespace, name };
}
