import { createHash } from 'node:crypto';
import { readMetadata } from '../../core/api/index.ts';
import { asMap } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { TransportError } from '../../ports/errors.ts';
import type { EventRecorder } from '../../ports/events.ts';
import type { Targets } from '../../ports/targets.ts';
import { SILENT, type Telemetry } from '../../ports/telemetry.ts';
import { Controller, type Outcome } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import { releaseOfPage } from '../../runtime/inventory-index.ts';
import type { Runnable } from '../../runtime/manager.ts';
import { keyOf, metadataOf } from '../../runtime/object-key.ts';
import { WorkQueue } from '../../runtime/work-queue.ts';
import { type DriftController, driftController, FollowedContents } from './drift/index.ts';
import { pageWrite, releaseWrite } from './observed-release.ts';
import { OwnWrites } from './own-writes.ts';
import { PassQueue } from './pass-queue.ts';
import { ReleaseObserver } from './release-observer.ts';
import { RuleSetCache } from './rule-set-cache.ts';
import { TargetObjects } from './target-objects.ts';
import { TargetRooms } from './target-rooms.ts';
import { ResultWriter } from './write-results.ts';

export interface ObserverOptions {
  /** Where Releases and their inventories are. */
  readonly home: Pick<Cluster, 'get' | 'patch' | 'apply'>;
  readonly clock: Clock;
  /** Run by their owner. Those of ReleaseInventories need `INVENTORY_INDEXES`. */
  readonly informers: {
    readonly releases: Informer;
    readonly inventories: Informer;
    readonly globalRuleSets: Informer;
    readonly localRuleSets: Informer;
  };
  readonly targets: Targets;
  readonly events: EventRecorder;
  /** Of `--installation-id`. */
  readonly installation: string;
  /** News for the controller: a wave became healthy, a render was assessed first, a hook has ended; or something differs. */
  readonly requestSync: (release: string, reason: 'Observed' | 'Drift') => void;
  readonly telemetry?: Telemetry;
  /** Whether this process answers for the Release with this uid; default: for all. */
  readonly owns?: (uid: string) => boolean;
  /** Calls the listener when this process answers for more Releases than before; returns what takes it away. */
  readonly onGain?: (listener: () => void) => () => void;
  /** Passes at once. Default 64: a pass mostly waits for answers, and no cluster gets more than 8 of them. */
  readonly workers?: number;
  /** Whether objects are compared with their renders as well. Default true. */
  readonly drift?: boolean;
  readonly onOutcome?: (controller: string, key: string, outcome: Outcome, duration: number) => void;
}

const NAME = 'observer';
const WORKERS = 64;

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** 96 bits: a change that is missed is found an hour later. */
function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64').slice(0, 16);
}

/** The health loop and the drift loop of all Releases that this process answers for, until its signal aborts. May be run again. */
export function observer(options: ObserverOptions): Runnable {
  return { name: NAME, run: (signal) => runObserver(options, signal) };
}

async function runObserver(options: ObserverOptions, signal: AbortSignal): Promise<void> {
  const { home, clock, informers, targets, events, installation, requestSync, owns = () => true } = options;
  const { telemetry = SILENT, workers = WORKERS, onOutcome } = options;
  const queue = new WorkQueue<string>({ clock });
  const passes = new PassQueue(clock, queue);
  const own = new OwnWrites();
  const rules = new RuleSetCache([informers.globalRuleSets.store, informers.localRuleSets.store]);
  const wake = (releases: Iterable<string>): void => {
    for (const release of releases) passes.event(release);
  };
  const rooms = new TargetRooms({ clock, targets, wake });
  const objects = new TargetObjects({
    clock,
    onChange: ({ label, health, content }) => {
      const release = reconciler.releaseOf(label);
      if (release === undefined) return;
      if (health) passes.event(release);
      if (content) drift?.changed(release);
    },
    ...(options.drift === false ? {} : { digest: shortDigest }),
    onProblem: (target, error) => {
      if (error instanceof TransportError) rooms.room(target.key)?.gate.suspect();
    },
  });
  const reconciler = new ReleaseObserver({
    clock,
    stores: { releases: informers.releases.store, inventories: informers.inventories.store },
    rules,
    rooms,
    objects,
    own,
    writer: new ResultWriter(home, own, (release) => passes.event(release)),
    queue: passes,
    events,
    telemetry,
    installation,
    sha256,
    owns,
    requestSync,
  });
  const drift = options.drift === false ? undefined : driftLoop(options, objects, rules, rooms);
  objects.start(signal);
  rooms.start(signal);
  const gained = (): void => {
    for (const release of informers.releases.store.list()) {
      if (!owns(readMetadata(release).uid)) continue;
      passes.event(keyOf(release));
      drift?.changed(keyOf(release));
    }
  };
  const removers = [
    ...releaseHandlers(informers, own, passes),
    ...ruleSetHandlers(informers, rules, wake),
    options.onGain?.(gained) ?? (() => {}),
  ];
  const controller = new Controller<string>({
    name: NAME,
    clock,
    queue,
    reconciler,
    workers,
    ready: async (ending) => {
      const all = await Promise.all(Object.values(informers).map((informer) => informer.synced(ending)));
      return all.every((synced) => synced);
    },
    onOutcome: (key, outcome, duration) => {
      telemetry.observe('convoy_reconcile_seconds', { controller: NAME, result: outcome.kind }, duration / 1000);
      onOutcome?.(NAME, key, outcome, duration);
    },
  });
  try {
    await Promise.all([controller.run(signal), drift?.run(signal)]);
  } finally {
    for (const remove of removers) remove();
  }
}

/** Shares the caches of the health loop, and what that knows of clusters that cannot be reached. */
function driftLoop(
  options: ObserverOptions,
  objects: TargetObjects,
  rules: RuleSetCache,
  rooms: TargetRooms,
): DriftController {
  const { home, clock, informers, targets, events, installation, requestSync, owns, onOutcome } = options;
  const { telemetry = SILENT } = options;
  return driftController({
    home,
    clock,
    informers,
    targets,
    events,
    installation,
    sha256,
    requestSync,
    contents: new FollowedContents(clock, objects, rules),
    unreachable: (target) => rooms.room(target.key)?.gate.problem,
    ...(owns === undefined ? {} : { owns }),
    onOutcome: (controller, key, outcome, duration) => {
      telemetry.observe('convoy_reconcile_seconds', { controller, result: outcome.kind }, duration / 1000);
      onOutcome?.(controller, key, outcome, duration);
    },
  });
}

type Informers = ObserverOptions['informers'];

/** Releases and their pages; what this observer wrote itself is no news. */
function releaseHandlers({ releases, inventories }: Informers, own: OwnWrites, passes: PassQueue): (() => void)[] {
  const onRelease = (release: KubernetesObject): void => {
    const key = keyOf(release);
    if (!own.isOwn(releaseWrite(key), release)) passes.event(key);
  };
  const onPage = (page: KubernetesObject): void => {
    if (!own.isOwn(pageWrite(keyOf(page)), page)) passes.event(releaseOfPage(page));
  };
  return [
    releases.addHandler({ added: onRelease, updated: onRelease, deleted: (release) => passes.event(keyOf(release)) }),
    inventories.addHandler({
      added: onPage,
      updated: onPage,
      deleted: (page) => {
        own.forget(pageWrite(keyOf(page)));
        passes.event(releaseOfPage(page));
      },
    }),
  ];
}

/** A rule set that came, changed or went concerns the Releases that could select it. */
function ruleSetHandlers(
  { releases, globalRuleSets, localRuleSets }: Informers,
  rules: RuleSetCache,
  wake: (releases: Iterable<string>) => void,
): (() => void)[] {
  const changed = (namespace: string): void => {
    rules.changed();
    const { store } = releases;
    const concerned = namespace === '' ? store.list() : store.inNamespace(namespace);
    wake(concerned.filter((release) => asMap(release['spec'])['healthAssessment'] !== undefined).map(keyOf));
  };
  const onSet = (set: KubernetesObject): void => changed(readMetadata(set).namespace);
  const updated = (set: KubernetesObject, before: KubernetesObject): void => {
    const [now, then] = [readMetadata(set), readMetadata(before)];
    const same =
      now.uid === then.uid &&
      now.generation === then.generation &&
      JSON.stringify(metadataOf(set)['labels']) === JSON.stringify(metadataOf(before)['labels']);
    // Its status alone is no news.
    if (!same) onSet(set);
  };
  const handler = { added: onSet, updated, deleted: onSet };
  return [globalRuleSets.addHandler(handler), localRuleSets.addHandler(handler)];
}
