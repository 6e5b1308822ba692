import type { InventoryEntry, Release } from '../../core/api/index.ts';
import { tellsAlready, wantsCause } from '../../core/health/index.ts';
import { asString, asTime, field } from '../../core/object/fields.ts';
import {
  apiVersionOf,
  assessEntry,
  type EntryPolicy,
  type EntryResult,
  entryDeadline,
  type Finding,
  hookResult,
  isAssessable,
  isRead,
  isRunningHook,
  type Look,
  observedFields,
} from '../../core/release/health/index.ts';
import { entryKey } from '../../core/release/inventory/index.ts';
import type { TransportError } from '../../ports/errors.ts';
import type { Looked, Unconfirmed } from './object-looks.ts';
import type { RelatedQuery } from './related-objects.ts';
import type { RuleSetCache } from './rule-set-cache.ts';
import type { FollowedKind, TargetObjects } from './target-objects.ts';
import type { TargetRoom } from './target-rooms.ts';

/** Objects whose causes are looked for in one pass. */
const MOST_CAUSES = 20;
/** ms behind its apply in which a workload may be on its way without a cause: most are healthy before they are looked at again. */
const ON_ITS_WAY = 2_000;
/** A rule names related objects by expressions that may read what was related before: each round reads what the last one asked for. */
const MOST_ROUNDS = 4;

export interface EntryAssessmentInput {
  readonly key: string;
  readonly release: Release;
  /** The value of the release label. */
  readonly label: string;
  readonly entries: readonly InventoryEntry[];
  readonly policy: EntryPolicy;
  /** Only hooks: nothing else is, or can be, assessed. */
  readonly hooksOnly: boolean;
  readonly unconfirmed: Unconfirmed;
}

/** What came of the entries, or that the cluster could not be asked about any of them. */
export type EntryAssessment =
  | { readonly results: ReadonlyMap<InventoryEntry, EntryResult> }
  | { readonly lost: TransportError };

/** Reads the objects of a Release's inventory and judges them. */
export class EntryAssessor {
  readonly #room: TargetRoom;
  readonly #objects: TargetObjects;
  readonly #rules: RuleSetCache;

  constructor(room: TargetRoom, objects: TargetObjects, rules: RuleSetCache) {
    this.#room = room;
    this.#objects = objects;
    this.#rules = rules;
  }

  async assess(input: EntryAssessmentInput, signal: AbortSignal): Promise<EntryAssessment> {
    const wanted = input.entries.filter((entry) => isRunningHook(entry) || (!input.hooksOnly && isAssessable(entry)));
    const looks = await this.#look(input, wanted, signal);
    const lost = [...looks.values()].flatMap((looked) => (looked.lost === undefined ? [] : [looked.lost]));
    const [first] = lost;
    if (first !== undefined && lost.length === looks.size) return { lost: first };
    if (first !== undefined) this.#room.gate.suspect();
    const findings = await this.#judge(input, wanted, looks, signal);
    const causes = await this.#causes(wanted, looks, findings, input.policy.now, signal);
    const results = new Map<InventoryEntry, EntryResult>();
    for (const [entry, finding] of findings) {
      const uid = entry.hook === undefined ? undefined : entry.uid;
      results.set(entry, {
        fields: observedFields(entry, finding, input.policy.now, { cause: causes.get(entry), uid }),
        recheckAfter: finding.verdict.recheckAfter,
      });
    }
    return { results };
  }

  /** Reads what rules or hooks ask for; the caches of those kinds are in use from now on. */
  async #look(
    { key, label, policy, unconfirmed }: EntryAssessmentInput,
    wanted: readonly InventoryEntry[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<InventoryEntry, Looked>> {
    const reads = wanted.filter((entry) => isRead(entry, policy));
    const kinds = this.#follow(reads);
    this.#objects.use(key, new Set(kinds.values()));
    const looks = new Map<InventoryEntry, Looked>();
    await Promise.all(
      reads.map(async (entry) => {
        const followed = kinds.get(kindOf(entry));
        if (followed === undefined) return;
        const input = { key: entryKey(entry), entry, followed, label, unconfirmed };
        looks.set(entry, await this.#room.looks.look(input, signal));
      }),
    );
    return looks;
  }

  /** The cache of each kind among the entries. */
  #follow(entries: readonly InventoryEntry[]): ReadonlyMap<string, FollowedKind> {
    const kinds = new Map<string, FollowedKind>();
    for (const entry of entries) {
      const kind = kindOf(entry);
      if (kinds.has(kind)) continue;
      kinds.set(kind, this.#objects.follow(this.#room.target, entry, this.#rules.projectionOf(entry)));
    }
    return kinds;
  }

  async #judge(
    { policy }: EntryAssessmentInput,
    wanted: readonly InventoryEntry[],
    looks: ReadonlyMap<InventoryEntry, Looked>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<InventoryEntry, Finding>> {
    const findings = new Map<InventoryEntry, Finding>();
    let open = wanted;
    for (let round = 0; open.length > 0 && round < MOST_ROUNDS; round += 1) {
      const missing: RelatedQuery[] = [];
      const again: InventoryEntry[] = [];
      for (const entry of open) {
        const before = missing.length;
        const servesStatus = asksForStatus(entry, policy) ? await this.#servesStatus(entry) : true;
        findings.set(entry, this.#find(entry, looks.get(entry)?.look, policy, servesStatus, missing));
        if (missing.length > before) again.push(entry);
      }
      if (missing.length > 0) await this.#room.related.read(missing, signal);
      open = again;
    }
    return findings;
  }

  #find(
    entry: InventoryEntry,
    look: Look | undefined,
    policy: EntryPolicy,
    servesStatus: boolean,
    missing: RelatedQuery[],
  ): Finding {
    const own = entryDeadline(entry);
    const input = {
      entry,
      look,
      servesStatus,
      ...(typeof own === 'number' ? { deadline: own } : {}),
      related: (reference: RelatedQuery['reference'], name: string): unknown => {
        const query = { reference, namespace: entry.namespace, name };
        const known = this.#room.related.find(query);
        if (known === undefined) missing.push(query);
        return known ?? null;
      },
    };
    return entry.hook === undefined ? assessEntry(input, policy) : hookResult(input, policy);
  }

  async #servesStatus({ group, kind, version }: InventoryEntry): Promise<boolean> {
    const type = await this.#room.target.reader.discovery.kind(group, kind, version).catch(() => undefined);
    return type?.subresources.includes('status') ?? true;
  }

  async #causes(
    wanted: readonly InventoryEntry[],
    looks: ReadonlyMap<InventoryEntry, Looked>,
    findings: ReadonlyMap<InventoryEntry, Finding>,
    now: number,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<InventoryEntry, string>> {
    const causes = new Map<InventoryEntry, string>();
    const unhealthy = wanted.flatMap((entry) => {
      const [look, finding] = [looks.get(entry)?.look, findings.get(entry)];
      if (look === undefined || 'fault' in look || finding === undefined || !wantsCause(finding.verdict)) return [];
      if (finding.verdict.state === 'Progressing' && isOnItsWay(entry, now)) return [];
      // A hook that is gone, or that still runs, needs no explanation.
      if (entry.hook !== undefined && (finding.verdict.state !== 'Degraded' || !isOf(look, entry))) return [];
      return [{ entry, object: look.object, message: finding.verdict.message }];
    });
    await Promise.all(
      unhealthy.slice(0, MOST_CAUSES).map(async ({ entry, object, message }) => {
        const cause = await this.#room.causes.of(object, signal);
        if (cause !== undefined && !tellsAlready(message, cause)) causes.set(entry, cause);
      }),
    );
    return causes;
  }
}

/** The pass that looks for the cause comes by the cadence, 2 s later at most. */
function isOnItsWay({ appliedAt }: InventoryEntry, now: number): boolean {
  const since = now - (asTime(appliedAt) ?? Number.NEGATIVE_INFINITY);
  return since >= 0 && since < ON_ITS_WAY;
}

/** Only where a generic rule could take an empty status for news. */
function asksForStatus(entry: InventoryEntry, { rules }: EntryPolicy): boolean {
  return rules.select(apiVersionOf(entry), entry.kind, entry.resource)[0]?.set.generic === true;
}

function kindOf({ group, version, resource }: InventoryEntry): string {
  return `${group}/${version}/${resource}`;
}

function isOf(look: Look, entry: InventoryEntry): boolean {
  return 'object' in look && asString(field(look.object['metadata'], 'uid')) === entry.uid;
}
