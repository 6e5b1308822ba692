import { type Release, readMetadata } from '../../core/api/index.ts';
import {
  type CompiledRules,
  type CompiledSet,
  compileSet,
  indexSets,
  type RuleIssue,
  type RuleProblem,
  readRuleSet,
} from '../../core/health/index.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import {
  apiVersionOf,
  type CannotAssess,
  type LabelledSet,
  type Projection,
  projectionFor,
  releaseRules,
  selectSets,
} from '../../core/release/health/index.ts';
import type { ObjectReader } from '../../runtime/indexer.ts';

/** A kind as an inventory entry names it. */
export interface EntryKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
}

/** One generation of a rule set: read and compiled once, for all Releases that select it. */
interface KnownSet extends LabelledSet {
  readonly name: string;
  /** Unique to its content. */
  readonly id: string;
  readonly compiled: CompiledSet | undefined;
  /** What is wrong with it; undefined: every rule can be used. */
  readonly fault: string | undefined;
}

/** Selections whose index is kept: those of a fleet are few. */
const MOST_INDEXES = 200;

/** The rule sets of the home cluster, compiled once for each uid and generation. */
export class RuleSetCache {
  readonly #readers: readonly ObjectReader[];
  /** By uid. */
  readonly #known = new Map<string, KnownSet>();
  #sets: readonly KnownSet[] | undefined;
  /** By the ids of the sets of a selection. */
  readonly #indexes = new Map<string, CompiledRules>();
  #all: CompiledRules | undefined;
  readonly #projections = new Map<string, Projection>();

  /** `readers`: of GlobalHealthRuleSets and of HealthRuleSets. */
  constructor(readers: readonly ObjectReader[]) {
    this.#readers = readers;
  }

  /** A set came, changed or went. */
  changed(): void {
    this.#sets = undefined;
    this.#all = undefined;
    this.#projections.clear();
  }

  /** No rules at all. */
  get none(): CompiledRules {
    return this.#index([]);
  }

  /** The rules that a Release selects, or why they cannot be known. Without health assessment there are none. */
  rulesOf({ spec, metadata }: Pick<Release, 'spec' | 'metadata'>): CompiledRules | CannotAssess {
    const assessment = spec.healthAssessment;
    if (assessment === undefined) return this.none;
    const selected = selectSets(assessment, metadata.namespace, this.#current());
    if ('reason' in selected) return selected;
    const faults = selected.flatMap(({ fault }) => (fault === undefined ? [] : [fault]));
    if (faults.length > 0) return { reason: 'InvalidRule', message: faults.join('; ') };
    return this.#index(selected);
  }

  /** What is kept of the objects of a kind: what any rule about it reads, so that all Releases share one cache. */
  projectionOf(kind: EntryKind): Projection {
    const key = `${kind.group}/${kind.version}/${kind.resource}`;
    const known = this.#projections.get(key);
    if (known !== undefined) return known;
    this.#all ??= indexSets(this.#current().flatMap(({ compiled }) => (compiled === undefined ? [] : [compiled])));
    const rules = this.#everyRule(this.#all, kind);
    const projection = projectionFor(kind.group, kind.kind, rules);
    this.#projections.set(key, projection);
    return projection;
  }

  /** Generic rules too, also where a specific one stands: a Release may have selected the generic set alone. */
  #everyRule(all: CompiledRules, { kind, resource, ...rest }: EntryKind): ReturnType<CompiledRules['select']> {
    const generic = indexSets(
      this.#current().flatMap(({ compiled }) => (compiled?.set.generic === true ? [compiled] : [])),
    );
    const apiVersion = apiVersionOf(rest);
    return [
      ...new Set([
        ...all.select(apiVersion, kind, resource),
        ...releaseRules(generic).select(apiVersion, kind, resource),
      ]),
    ];
  }

  #current(): readonly KnownSet[] {
    if (this.#sets !== undefined) return this.#sets;
    const objects = this.#readers.flatMap((reader) => reader.list());
    const sets = objects.map((object) => this.#know(object)).sort(byOrder);
    const present = new Set(objects.map((object) => readMetadata(object).uid));
    for (const uid of this.#known.keys()) if (!present.has(uid)) this.#known.delete(uid);
    this.#sets = sets;
    return sets;
  }

  #know(object: KubernetesObject): KnownSet {
    const { uid, generation, name, labels, namespace } = readMetadata(object);
    const id = `${uid}:${generation}`;
    const known = this.#known.get(uid);
    const set = known?.id === id ? { ...known, labels } : { name, id, namespace, labels, ...compile(object, name) };
    this.#known.set(uid, set);
    return set;
  }

  #index(sets: readonly KnownSet[]): CompiledRules {
    const key = sets.map(({ id }) => id).join(' ');
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    const compiled = sets.flatMap((set) => (set.compiled === undefined ? [] : [set.compiled]));
    const rules = releaseRules(indexSets(compiled));
    if (this.#indexes.size >= MOST_INDEXES) this.#indexes.clear();
    this.#indexes.set(key, rules);
    return rules;
  }
}

function byOrder(a: KnownSet, b: KnownSet): number {
  const [one, other] = [`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`];
  return one < other ? -1 : one > other ? 1 : 0;
}

function compile(object: KubernetesObject, name: string): Pick<KnownSet, 'compiled' | 'fault'> {
  const { set, problems } = readRuleSet(object, name);
  if (set === undefined) return { compiled: undefined, fault: faultOf(name, problems, []) };
  const compiled = compileSet(set);
  return { compiled, fault: faultOf(name, problems, indexSets([compiled]).compileAll()) };
}

function faultOf(name: string, problems: readonly RuleProblem[], issues: readonly RuleIssue[]): string | undefined {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const texts = [
    ...problems.map(({ path, message }) => `rule set ${name}: ${path === '' ? message : `${path} ${message}`}`),
    ...errors.map(
      ({ rule, field, line, column, message }) =>
        `rule set ${name}, rule ${rule}, ${field}, line ${line}, column ${column}: ${message}`,
    ),
  ];
  const [first] = texts;
  return first === undefined || texts.length === 1 ? first : `${first} (and ${texts.length - 1} more in this set)`;
}
