import {
  type InventoryEntry,
  RELEASES,
  type Release,
  type ReleaseInventory,
  readInventory,
  readRelease,
} from '../../../core/api/index.ts';
import {
  afterComparison,
  afterCorrection,
  afterFight,
  comparisonDueAt,
  correctionOf,
  type DriftedCondition,
  type DriftRecord,
  driftedCondition,
  driftedStatus,
  driftText,
  notCompared,
  type Observed,
} from '../../../core/release/drift/index.ts';
import { countsForHealth, entriesOf, entryKey, pagesOf } from '../../../core/release/inventory/index.ts';
import { DRIFT_MANAGER } from '../../../core/release/names.ts';
import { type Owner, ownerOf, type Sha256 } from '../../../core/release/ownership.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Cluster } from '../../../ports/cluster.ts';
import { ApiError, TransportError } from '../../../ports/errors.ts';
import type { EventRecorder } from '../../../ports/events.ts';
import { type Target, TargetError, type Targets } from '../../../ports/targets.ts';
import { DONE, type Reconciler, type Result } from '../../../runtime/controller.ts';
import type { ObjectReader } from '../../../runtime/indexer.ts';
import { PAGES_OF_RELEASE } from '../../../runtime/inventory-index.ts';
import { splitKey } from '../../../runtime/object-key.ts';
import { type ComparedEntry, compareRelease } from './compare-release.ts';
import type { Contents } from './contents.ts';
import { readStoredRender } from './read-stored-render.ts';

export interface DriftReconcilerOptions {
  readonly clock: Clock;
  /** The cluster of the Releases. */
  readonly home: Pick<Cluster, 'get' | 'apply'>;
  readonly targets: Targets;
  readonly releases: Pick<ObjectReader, 'get'>;
  /** With the index PAGES_OF_RELEASE. */
  readonly inventories: Pick<ObjectReader, 'indexed'>;
  readonly contents: Contents;
  readonly events: EventRecorder;
  /** Asks the controller to compare a Release (`namespace/name`) again and to apply what differs. */
  readonly requestSync: (key: string, reason: 'Drift') => void;
  /** Whether this process answers for the Release with this uid; default: for all. */
  readonly owns?: (uid: string) => boolean;
  /** Why a target cannot be reached at present; undefined: it may be asked. */
  readonly unreachable?: (target: Target) => string | undefined;
  readonly sha256: Sha256;
  readonly installation: string;
}

/** What is remembered of one Release between its comparisons. */
interface Memory {
  readonly uid: string;
  readonly records: Map<string, DriftRecord>;
  /** How the objects were seen last, by the keys of their entries. */
  seen: ReadonlyMap<string, Observed>;
}

/** A target cluster that could not be asked. */
interface Lost {
  readonly problem: string;
  /** ms since 1970: until then nobody tries, so that a cluster that hangs takes one worker and not all. */
  readonly until: number;
  /** Failures in a row. */
  readonly failures: number;
}

/** Why a Release cannot be compared, and how long to wait, ms. */
interface Fault {
  readonly condition: DriftedCondition;
  readonly ms: number;
}

/** ms until a cluster that could not be asked is asked again; doubles up to the longest. */
const FIRST_RETRY = 30_000;
const LONGEST_RETRY = 300_000;
/** The API server takes notes of 1 KiB. */
const LONGEST_NOTE = 1000;

/**
 * Compares what a Release applied with what is on the cluster, keeps its condition Drifted, and asks for corrections. Keys are
 * `namespace/name`. While an attempt runs nothing is compared: what it has not reached yet would look like drift.
 */
export class DriftReconciler implements Reconciler<string> {
  readonly #options: DriftReconcilerOptions;
  readonly #memories = new Map<string, Memory>();
  /** By the key of the target. */
  readonly #lost = new Map<string, Lost>();

  constructor(options: DriftReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Result> {
    const release = this.#release(key);
    const { owns = () => true } = this.#options;
    if (release === undefined || release.metadata.deletionTimestamp !== '' || !owns(release.metadata.uid)) {
      this.#forget(key);
      return DONE;
    }
    if (release.spec.syncPolicy.drift.mode === 'Off') {
      this.#forget(key);
      await this.#write(release, undefined, signal);
      return DONE;
    }
    const entries = settledEntries(release, this.#pages(key, release));
    if (entries.length === 0) return DONE;
    return this.#pass(key, release, entries, signal);
  }

  async #pass(key: string, release: Release, entries: readonly InventoryEntry[], signal: AbortSignal): Promise<Result> {
    const memory = this.#memory(key, release);
    forgetOthers(memory, entries);
    const fault = await this.#compareDue(key, release, entries, memory, signal);
    if (fault !== undefined) {
      await this.#write(release, fault.condition, signal);
      return { kind: 'after', ms: fault.ms };
    }
    this.#correct(key, release, entries, memory);
    const objects = entries.flatMap((entry) => {
      const record = memory.records.get(entryKey(entry));
      return record === undefined ? [] : [{ entry, record }];
    });
    await this.#write(release, driftedCondition(objects), signal);
    return this.#next(release, entries, memory);
  }

  /** Compares the entries that are due; returns why none can be. */
  async #compareDue(
    key: string,
    release: Release,
    entries: readonly InventoryEntry[],
    memory: Memory,
    signal: AbortSignal,
  ): Promise<Fault | undefined> {
    const { clock, contents, home } = this.#options;
    const target = await this.#target(release, signal);
    if ('condition' in target) return target;
    const known = this.#knownLost(target);
    if (known !== undefined) return known;
    const owner = this.#owner(release);
    const digests = await contents.of(key, { release, target, entries, label: owner.label }, signal);
    const observed = (entry: InventoryEntry): Observed => ({
      renderRef: entry.renderRef ?? '',
      content: digests.get(entryKey(entry)) ?? '',
    });
    memory.seen = new Map(entries.map((entry) => [entryKey(entry), observed(entry)]));
    const now = clock.now();
    const due = entries.filter((entry) => comparisonDueAt(memory.records.get(entryKey(entry)), observed(entry)) <= now);
    if (due.length === 0) return undefined;
    const renderRef = release.status.lastAttempted?.renderRef ?? '';
    const rendered = await readStoredRender(home, release, renderRef, signal);
    if ('problem' in rendered) {
      return { condition: notCompared('RenderMissing', rendered.problem), ms: LONGEST_RETRY };
    }
    try {
      const { cluster } = target;
      const compared = await compareRelease({ cluster, release, entries: due, rendered, owner, signal });
      for (const one of compared) this.#remember(release, memory, one, observed(one.entry));
    } catch (error) {
      if (!(error instanceof TransportError) || signal.aborted) throw error;
      return this.#lose(target, error);
    }
    this.#lost.delete(target.key);
    return undefined;
  }

  async #target(release: Release, signal: AbortSignal): Promise<Target | Fault> {
    try {
      return await this.#options.targets.of(release, signal);
    } catch (error) {
      if (!(error instanceof TargetError)) throw error;
      return { condition: notCompared('KubeConfigInvalid', error.message), ms: LONGEST_RETRY };
    }
  }

  /** Whether the cluster is known to be lost: by the health loop, or by ourselves. */
  #knownLost(target: Target): Fault | undefined {
    const { clock, unreachable } = this.#options;
    const lost = this.#lost.get(target.key);
    const left = (lost?.until ?? 0) - clock.now();
    if (lost !== undefined && left > 0) return { condition: notCompared('ClusterUnreachable', lost.problem), ms: left };
    const problem = unreachable?.(target);
    return problem === undefined ? undefined : this.#lose(target, new TransportError('unreachable', problem));
  }

  #lose(target: Target, { message }: TransportError): Fault {
    const failures = (this.#lost.get(target.key)?.failures ?? 0) + 1;
    const ms = Math.min(FIRST_RETRY * 2 ** Math.min(failures - 1, 30), LONGEST_RETRY);
    this.#lost.set(target.key, { problem: message, until: this.#options.clock.now() + ms, failures });
    return { condition: notCompared('ClusterUnreachable', message), ms };
  }

  #remember(release: Release, memory: Memory, { entry, finding }: ComparedEntry, observed: Observed): void {
    const key = entryKey(entry);
    const before = memory.records.get(key);
    const record = afterComparison(before, observed, finding, this.#options.clock.now());
    memory.records.set(key, record);
    const differed = before?.finding.kind === 'drifted' || before?.finding.kind === 'missing';
    const differs = finding.kind === 'drifted' || finding.kind === 'missing';
    if (differs && !differed) this.#tell(release, 'Warning', 'Drifted', 'Compare', driftText({ entry, record }));
  }

  /** Asks for a correction where one is due, and ends them where they are of no use. */
  #correct(key: string, release: Release, entries: readonly InventoryEntry[], memory: Memory): void {
    if (!mayCorrect(release)) return;
    const now = this.#options.clock.now();
    let asked = false;
    for (const entry of entries) {
      const record = memory.records.get(entryKey(entry));
      const correction = record === undefined ? undefined : correctionOf(record, now, mayForce(release));
      if (record === undefined || correction === undefined) continue;
      if (correction.kind === 'now') {
        memory.records.set(entryKey(entry), afterCorrection(record, now));
        asked = true;
      } else if (correction.kind === 'fight') {
        const ended = afterFight(record, correction.manager);
        memory.records.set(entryKey(entry), ended);
        const note = driftedCondition([{ entry, record: ended }]).message;
        this.#tell(release, 'Warning', 'DriftFight', 'Correct', note);
      }
    }
    if (asked) this.#options.requestSync(key, 'Drift');
  }

  #next(release: Release, entries: readonly InventoryEntry[], { records, seen }: Memory): Result {
    const now = this.#options.clock.now();
    const correcting = mayCorrect(release);
    const times = entries.flatMap((entry) => {
      const record = records.get(entryKey(entry));
      if (record === undefined) return [];
      const correction = correctionOf(record, now, mayForce(release));
      const due = comparisonDueAt(record, seen.get(entryKey(entry)) ?? record);
      return [due, ...(correcting && correction.kind === 'at' ? [correction.time] : [])];
    });
    return times.length === 0 ? DONE : { kind: 'after', ms: Math.max(0, Math.min(...times) - now) };
  }

  async #write(release: Release, condition: DriftedCondition | undefined, signal: AbortSignal): Promise<void> {
    const status = driftedStatus(release, condition, this.#options.clock.now());
    if (status === undefined) return;
    const { namespace, name } = release.metadata;
    const options = { fieldManager: DRIFT_MANAGER, force: true, subresource: 'status', signal };
    try {
      await this.#options.home.apply({ type: RELEASES, namespace, name }, status, options);
    } catch (error) {
      // It went, or is another one of the same name: an event of its own.
      if (!(error instanceof ApiError && (error.code === 404 || error.code === 409))) throw error;
    }
  }

  #tell(release: Release, type: 'Normal' | 'Warning', reason: string, action: string, note: string): void {
    const { namespace, name, uid } = release.metadata;
    const regarding = { group: RELEASES.group, version: RELEASES.version, kind: 'Release', namespace, name, uid };
    this.#options.events.record({ regarding, type, reason, action, note: note.slice(0, LONGEST_NOTE) });
  }

  #release(key: string): Release | undefined {
    const { namespace, name } = splitKey(key);
    const object = this.#options.releases.get(namespace, name);
    const read = object === undefined ? undefined : readRelease(object);
    // The controller tells what does not fit the definition.
    return read === undefined || 'problem' in read ? undefined : read.value;
  }

  #pages(key: string, { metadata }: Release): readonly ReleaseInventory[] {
    const pages = this.#options.inventories.indexed(PAGES_OF_RELEASE, key).flatMap((object) => {
      const read = readInventory(object);
      return 'problem' in read ? [] : [read.value];
    });
    return pagesOf(metadata, pages);
  }

  #owner({ metadata: { namespace, name } }: Release): Owner {
    return ownerOf(this.#options.installation, namespace, name, this.#options.sha256);
  }

  #memory(key: string, { metadata: { uid } }: Release): Memory {
    const known = this.#memories.get(key);
    if (known?.uid === uid) return known;
    const fresh: Memory = { uid, records: new Map(), seen: new Map() };
    this.#memories.set(key, fresh);
    return fresh;
  }

  #forget(key: string): void {
    if (this.#memories.delete(key)) this.#options.contents.leave(key);
  }
}

/** The objects of the render that is applied, once no attempt runs; none while one does. */
function settledEntries({ status }: Release, pages: readonly ReleaseInventory[]): readonly InventoryEntry[] {
  const { lastAttempted } = status;
  if (lastAttempted?.outcome === undefined) return [];
  return entriesOf(pages).filter((entry) => countsForHealth(entry) && entry.renderRef === lastAttempted.renderRef);
}

/** Only what was applied whole is put right: the next attempt of a failed render applies everything anyway. */
function mayCorrect({ spec, status }: Release): boolean {
  return spec.syncPolicy.drift.mode === 'Correct' && !spec.suspend && status.lastAttempted?.outcome === 'Succeeded';
}

function mayForce({ spec }: Release): boolean {
  return spec.syncPolicy.conflicts === 'Force';
}

function forgetOthers({ records }: Memory, entries: readonly InventoryEntry[]): void {
  const kept = new Set(entries.map(entryKey));
  for (const key of records.keys()) if (!kept.has(key)) records.delete(key);
}
