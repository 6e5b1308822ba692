import { type InventoryEntry, RELEASES } from '../../core/api/index.ts';
import {
  type CannotAssess,
  concludePass,
  deadlineOf,
  type EntryPolicy,
  type EntryResult,
  entryDeadline,
  healthEvent,
  isConfigured,
  isRunningHook,
  type PassMemory,
  type PassOutcome,
  readsHook,
} from '../../core/release/health/index.ts';
import { ownerOf, type Sha256 } from '../../core/release/ownership.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventRecorder } from '../../ports/events.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import { DONE, type Reconciler, type Result } from '../../runtime/controller.ts';
import type { ObjectReader } from '../../runtime/indexer.ts';
import { EntryAssessor } from './entry-assessment.ts';
import type { Unconfirmed } from './object-looks.ts';
import { type ObservedRelease, observeRelease, pageWrite, releaseWrite } from './observed-release.ts';
import type { OwnWrites } from './own-writes.ts';
import type { PassQueue } from './pass-queue.ts';
import type { RuleSetCache } from './rule-set-cache.ts';
import type { TargetObjects } from './target-objects.ts';
import type { TargetRoom, TargetRooms } from './target-rooms.ts';
import type { ResultWriter } from './write-results.ts';

export interface ReleaseObserverOptions {
  readonly clock: Clock;
  readonly stores: { readonly releases: ObjectReader; readonly inventories: ObjectReader };
  readonly rules: RuleSetCache;
  readonly rooms: TargetRooms;
  readonly objects: TargetObjects;
  readonly own: OwnWrites;
  readonly writer: ResultWriter;
  readonly queue: PassQueue;
  readonly events: EventRecorder;
  readonly telemetry: Telemetry;
  /** Keeps the objects of two home clusters apart that share a target. */
  readonly installation: string;
  readonly sha256: Sha256;
  /** Whether this process answers for the Release with this uid. */
  readonly owns: (uid: string) => boolean;
  /** Something happened that the controller does not wait for its interval with. */
  readonly requestSync: (release: string, reason: 'Observed') => void;
}

/** What is remembered of a Release between passes, and may be lost. */
interface Memory {
  readonly uid: string;
  readonly label: string;
  readonly unconfirmed: Unconfirmed;
  pass: PassMemory | undefined;
}

/** What a pass found out of the entries; `later`: it has to wait until there is room in the cluster. */
type Found =
  | { readonly results: ReadonlyMap<InventoryEntry, EntryResult>; readonly cannot: CannotAssess | undefined }
  | { readonly later: true };

/** ms after which a pass that waits for room looks for it itself: whoever was woken in its place may have had no need any more. */
const UNWOKEN = 30_000;

const NO_RESULTS: ReadonlyMap<InventoryEntry, EntryResult> = new Map();

/** The health loop: one pass over one Release. Keys are `namespace/name`. */
export class ReleaseObserver implements Reconciler<string> {
  readonly #options: ReleaseObserverOptions;
  readonly #memories = new Map<string, Memory>();
  readonly #keys = new Map<string, string>();

  constructor(options: ReleaseObserverOptions) {
    this.#options = options;
  }

  /** The Release that the value of a release label stands for. */
  releaseOf(label: string): string | undefined {
    return this.#keys.get(label);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Result> {
    try {
      return await this.#pass(key, signal);
    } catch (error) {
      // What was broken off by the stop is no failure: the next process finds it as it is.
      if (signal.aborted) return DONE;
      throw error;
    }
  }

  async #pass(key: string, signal: AbortSignal): Promise<Result> {
    const { clock, stores, own, queue, owns, telemetry } = this.#options;
    const since = queue.begin(key);
    const observed = observeRelease(key, stores, own);
    if (observed === undefined || !owns(observed.release.metadata.uid)) {
      this.#forget(key);
      return DONE;
    }
    const memory = this.#memoryOf(observed);
    const started = clock.now();
    const found = await this.#find(observed, memory, started, signal);
    if ('later' in found) {
      queue.postpone(key, since);
      return { kind: 'after', ms: UNWOKEN };
    }
    // Who has it now writes what it finds itself.
    if (signal.aborted || !owns(observed.release.metadata.uid)) return DONE;
    const outcome = concludePass({
      release: observed.release,
      entries: observed.entries,
      ...found,
      now: started,
      memory: memory.pass,
    });
    telemetry.observe('convoy_assess_seconds', {}, (clock.now() - started) / 1000);
    return this.#write(observed, outcome, memory, since, signal);
  }

  #memoryOf({ key, release }: ObservedRelease): Memory {
    const { namespace, name, uid } = release.metadata;
    const known = this.#memories.get(key);
    if (known?.uid === uid) return known;
    const { installation, sha256 } = this.#options;
    const { label } = ownerOf(installation, namespace, name, sha256);
    const memory: Memory = { uid, label, unconfirmed: new Map(), pass: undefined };
    this.#memories.set(key, memory);
    this.#keys.set(label, key);
    return memory;
  }

  #forget(key: string): void {
    const { own, queue, objects, rooms } = this.#options;
    // Also of one that was never looked at: each event begins a pass.
    queue.forget(key);
    const memory = this.#memories.get(key);
    if (memory === undefined) return;
    this.#memories.delete(key);
    this.#keys.delete(memory.label);
    own.forget(releaseWrite(key));
    own.forget(pageWrite(key));
    objects.use(key, new Set());
    rooms.forget(key);
  }

  /** Reads and judges, as far as that is asked for and possible. */
  async #find(observed: ObservedRelease, memory: Memory, now: number, signal: AbortSignal): Promise<Found> {
    const { release, entries } = observed;
    const policy = this.#policy(observed, now);
    const problem = 'reason' in policy ? policy : undefined;
    const configured = isConfigured(release);
    // Of a Release that is being deleted only the hooks matter: that its objects go is what is asked for.
    const hooksOnly = !configured || problem !== undefined || release.metadata.deletionTimestamp !== '';
    if (hooksOnly && !entries.some(isRunningHook)) {
      this.#options.objects.use(observed.key, new Set());
      return { results: NO_RESULTS, cannot: problem };
    }
    const room = await this.#options.rooms.of(observed.key, release, signal);
    if ('reason' in room) return { results: NO_RESULTS, cannot: problem ?? room };
    const found = await this.#assess(observed, memory, room, hooksOnly, policy, now, signal);
    return 'later' in found ? found : { ...found, cannot: problem ?? found.cannot };
  }

  /** How the entries are judged, or why they cannot be. */
  #policy({ release, entries, unreadable }: ObservedRelease, now: number): EntryPolicy | CannotAssess {
    const rules = this.#options.rules.rulesOf(release);
    if ('reason' in rules) return rules;
    const deadline = deadlineOf(release);
    if (typeof deadline === 'object') return deadline;
    if (unreadable !== undefined) return unreadable;
    const own = entries.map(entryDeadline).find((one) => typeof one === 'object');
    if (typeof own === 'object') return own;
    return { rules, now, deadline, failFast: release.spec.healthAssessment?.failFast ?? false };
  }

  async #assess(
    { key, release, entries }: ObservedRelease,
    { label, unconfirmed }: Memory,
    room: TargetRoom,
    hooksOnly: boolean,
    policy: EntryPolicy | CannotAssess,
    now: number,
    signal: AbortSignal,
  ): Promise<Found> {
    const { gate } = room;
    const unreachable = (message: string): Found => ({
      results: NO_RESULTS,
      cannot: { reason: 'ClusterUnreachable', message },
    });
    const { none } = this.#options.rules;
    const ruleless = 'reason' in policy;
    if (!gate.enter(key)) return { later: true };
    try {
      if (gate.problem !== undefined) return unreachable(gate.problem);
      const assessor = new EntryAssessor(room, this.#options.objects, this.#options.rules);
      const judged = await assessor.assess(
        {
          key,
          release,
          label,
          // Hooks are polled also where nothing else can be assessed: those that need no rules.
          entries: ruleless ? entries.filter((entry) => readsHook(entry, { rules: none })) : entries,
          policy: ruleless ? { rules: none, now, failFast: false } : policy,
          hooksOnly,
          unconfirmed,
        },
        signal,
      );
      if ('results' in judged) return { results: judged.results, cannot: undefined };
      gate.lose(judged.lost);
      return unreachable(gate.problem ?? judged.lost.message);
    } finally {
      gate.leave();
    }
  }

  async #write(
    observed: ObservedRelease,
    outcome: PassOutcome,
    memory: Memory,
    since: number | undefined,
    signal: AbortSignal,
  ): Promise<Result> {
    const { clock, writer, telemetry, requestSync } = this.#options;
    if ((await writer.writeEntries(observed, outcome.changes, signal)) === 'stale') return { kind: 'again' };
    this.#count(outcome);
    // The occasions stand in the entries now: should the condition fail, the next pass finds none any more.
    if (outcome.occasions.length > 0) requestSync(observed.key, 'Observed');
    const deleting = observed.release.metadata.deletionTimestamp !== '';
    const written = deleting ? 'unchanged' : await writer.writeCondition(observed, outcome, clock.now(), signal);
    if (written === 'stale') return { kind: 'again' };
    if (written === 'written') {
      this.#tell(observed, outcome);
      if (since !== undefined) {
        telemetry.observe('convoy_verdict_latency_seconds', {}, (clock.now() - since) / 1000);
      }
    }
    memory.pass = outcome.memory;
    return outcome.next === undefined ? DONE : { kind: 'after', ms: outcome.next };
  }

  /** Rules that could not be evaluated; counted when an entry becomes so, not at each look. */
  #count({ changes }: PassOutcome): void {
    for (const { set } of changes) {
      if (set.reason !== 'RuleError' && set.reason !== 'CostLimitExceeded') continue;
      const [, ruleset = '', rule = ''] = /^rule ([^#]+)#([^:]+):/.exec(set.message ?? '') ?? [];
      this.#options.telemetry.count('convoy_rule_errors_total', { ruleset, rule, reason: set.reason });
    }
  }

  #tell({ release }: ObservedRelease, { condition }: PassOutcome): void {
    const event = healthEvent(release, condition);
    if (event === undefined) return;
    const { group, version } = RELEASES;
    const { namespace, name, uid } = release.metadata;
    this.#options.events.record({
      regarding: { group, version, kind: 'Release', namespace, name, uid },
      action: 'Assess',
      ...event,
    });
  }
}
