import type { InventoryEntry, Release } from '../../core/api/index.ts';
import { tellsAlready, wantsCause } from '../../core/health/index.ts';
import { asString, field } from '../../core/object/fields.ts';
import {
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
import type { TargetObjects } from './target-objects.ts';
import type { TargetRoom } from './target-rooms.ts';

/** Objects whose causes are looked for in one pass. */
const MOST_CAUSES = 20;
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
  | { readonly results: ReadonlyMap<string, EntryResult> }
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
    const causes = await this.#causes(wanted, looks, findings, signal);
    const results = new Map<string, EntryResult>();
    for (const entry of wanted) {
      const key = entryKey(entry);
      const finding = findings.get(key);
      if (finding === undefined) continue;
      const { cause } = causes.get(key) ?? {};
      const uid = entry.hook === undefined ? undefined : entry.uid;
      results.set(key, {
        fields: observedFields(entry, finding, input.policy.now, { cause, uid }),
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
  ): Promise<ReadonlyMap<string, Looked>> {
    const reads = wanted
      .filter((entry) => isRead(entry, policy))
      .map((entry) => {
        const projection = this.#rules.projectionOf(entry);
        return { entry, followed: this.#objects.follow(this.#room.target, entry, projection) };
      });
    this.#objects.use(key, new Set(reads.map(({ followed }) => followed)));
    const looks = new Map<string, Looked>();
    await Promise.all(
      reads.map(async ({ entry, followed }) => {
        const name = entryKey(entry);
        looks.set(name, await this.#room.looks.look({ key: name, entry, followed, label, unconfirmed }, signal));
      }),
    );
    return looks;
  }

  async #judge(
    { policy }: EntryAssessmentInput,
    wanted: readonly InventoryEntry[],
    looks: ReadonlyMap<string, Looked>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Finding>> {
    const findings = new Map<string, Finding>();
    let open = wanted;
    for (let round = 0; open.length > 0 && round < MOST_ROUNDS; round += 1) {
      const missing: RelatedQuery[] = [];
      const again: InventoryEntry[] = [];
      for (const entry of open) {
        const before = missing.length;
        const look = looks.get(entryKey(entry))?.look;
        findings.set(
          entryKey(entry),
          this.#find(entry, look, policy, await this.#servesStatus(entry, policy), missing),
        );
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

  /** Only asked where a generic rule could take an empty status for news. */
  async #servesStatus({ group, kind, version, resource }: InventoryEntry, { rules }: EntryPolicy): Promise<boolean> {
    const apiVersion = group === '' ? version : `${group}/${version}`;
    if (rules.select(apiVersion, kind, resource)[0]?.set.generic !== true) return true;
    const type = await this.#room.target.reader.discovery.kind(group, kind, version).catch(() => undefined);
    return type?.subresources.includes('status') ?? true;
  }

  async #causes(
    wanted: readonly InventoryEntry[],
    looks: ReadonlyMap<string, Looked>,
    findings: ReadonlyMap<string, Finding>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, { readonly cause: string | undefined }>> {
    const causes = new Map<string, { readonly cause: string | undefined }>();
    const unhealthy = wanted.flatMap((entry) => {
      const key = entryKey(entry);
      const [look, finding] = [looks.get(key)?.look, findings.get(key)];
      if (look === undefined || 'fault' in look || finding === undefined || !wantsCause(finding.verdict)) return [];
      // A hook that is gone, or that still runs, needs no explanation.
      if (entry.hook !== undefined && (finding.verdict.state !== 'Degraded' || !isOf(look, entry))) return [];
      return [{ key, object: look.object, message: finding.verdict.message }];
    });
    await Promise.all(
      unhealthy.slice(0, MOST_CAUSES).map(async ({ key, object, message }) => {
        const cause = await this.#room.causes.of(object, signal);
        if (cause !== undefined && !tellsAlready(message, cause)) causes.set(key, { cause });
      }),
    );
    return causes;
  }
}

function isOf(look: Look, entry: InventoryEntry): boolean {
  return 'object' in look && asString(field(look.object['metadata'], 'uid')) === entry.uid;
}
