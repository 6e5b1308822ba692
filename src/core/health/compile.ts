import type { Issue, Program } from '../../cel/index.ts';
import { formatError } from '../../cel/texts.ts';
import { splitApiVersion } from '../object/fields.ts';
import { guessResource } from '../object/resource-name.ts';
import { type Rule, type RuleIssue, type RuleSet, ruleId } from './rule.ts';
import { ruleEnvironment } from './rule-environments.ts';
import { VariableScope } from './variable-scope.ts';

/** An expression of a rule, compiled once. `needs` are the variables it reads, in the order they have to be evaluated. */
export type CompiledExpression =
  | { readonly ok: true; readonly program: Program; readonly needs: readonly string[] }
  | { readonly ok: false; readonly issues: readonly RuleIssue[] };

/** A rule whose expressions are compiled on first use: a start-up that judges one object compiles one rule. */
export interface CompiledRule {
  /** `SET#RULE`. */
  readonly id: string;
  readonly set: RuleSet;
  readonly rule: Rule;
  /** What `variables` is in this rule's expressions. */
  readonly scope: VariableScope;
  /** Some expression reads the variable `conditions`. */
  readonly readsConditions: boolean;
  /** By field: `healthy`, `message`, `failed`, `suspended`, `reason`, `variables.NAME`, `related.NAME`; undefined: the rule has none. */
  expression(field: string): CompiledExpression | undefined;
}

/** Rule sets as one index from kind to rules. */
export interface CompiledRules {
  readonly sets: readonly RuleSet[];
  /**
   * The rules that apply, in the order they are evaluated (global sets, then local; set name, then index).
   * Without `resource` (a plural name) a kind is matched by the rule's kinds, else by the plural kubectl would guess.
   */
  select(apiVersion: string, kind: string, resource?: string): readonly CompiledRule[];
  /** Compiles every expression; returns what is wrong, in the order of sets and rules. */
  compileAll(): readonly RuleIssue[];
}

/** A rule set whose expressions are compiled once, for every index that it stands in. */
export interface CompiledSet {
  readonly set: RuleSet;
  /** In the order of the set. */
  readonly rules: readonly CompiledRule[];
}

/** Never throws, as `compileRuleSets`. */
export function compileSet(set: RuleSet): CompiledSet {
  return { set, rules: set.rules.map((rule) => new LazyRule(set, rule)) };
}

/** Never throws: a rule that does not compile shows in `compileAll` and makes the objects it meets Unknown. */
export function compileRuleSets(sets: readonly RuleSet[]): CompiledRules {
  return indexSets(sets.map(compileSet));
}

/** As `compileRuleSets`, without compiling again what another index has compiled. */
export function indexSets(sets: readonly CompiledSet[]): CompiledRules {
  const ordered = [...sets].sort((a, b) => bySetOrder(a.set, b.set));
  const specific: CompiledRule[] = [];
  const fallback: CompiledRule[] = [];
  const seen = new Set<string>();
  for (const { set, rules } of ordered) {
    for (const rule of rules) {
      const key = `${set.namespace}/${rule.id}`;
      if (seen.has(key)) continue;
      seen.add(key);
      (set.generic ? fallback : specific).push(rule);
    }
  }
  return new RuleIndex(
    ordered.map(({ set }) => set),
    specific,
    fallback,
  );
}

function bySetOrder(a: RuleSet, b: RuleSet): number {
  if ((a.namespace === '') !== (b.namespace === '')) return a.namespace === '' ? -1 : 1;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

class RuleIndex implements CompiledRules {
  readonly sets: readonly RuleSet[];
  readonly #specific: readonly CompiledRule[];
  readonly #fallback: readonly CompiledRule[];
  readonly #selected = new Map<string, readonly CompiledRule[]>();

  constructor(sets: readonly RuleSet[], specific: readonly CompiledRule[], fallback: readonly CompiledRule[]) {
    this.sets = sets;
    this.#specific = specific;
    this.#fallback = fallback;
  }

  select(apiVersion: string, kind: string, resource?: string): readonly CompiledRule[] {
    const key = `${apiVersion}\n${kind}\n${resource ?? ''}`;
    const known = this.#selected.get(key);
    if (known !== undefined) return known;
    const applies = ({ rule }: CompiledRule): boolean =>
      matchesVersion(rule, apiVersion) && matchesResource(rule, kind, resource);
    let selected = this.#specific.filter(applies);
    if (selected.length === 0) selected = this.#fallback.filter(applies);
    this.#selected.set(key, selected);
    return selected;
  }

  compileAll(): readonly RuleIssue[] {
    const issues: RuleIssue[] = [];
    for (const rule of [...this.#specific, ...this.#fallback]) {
      for (const field of fieldsOf(rule.rule)) {
        const compiled = rule.expression(field);
        if (compiled?.ok === false) issues.push(...compiled.issues);
      }
    }
    return issues;
  }
}

function matchesVersion(rule: Rule, apiVersion: string): boolean {
  return rule.apiVersions.some(
    (pattern) =>
      pattern === apiVersion ||
      pattern === '*' ||
      (pattern.endsWith('/*') && splitApiVersion(apiVersion).group === pattern.slice(0, -2)),
  );
}

function matchesResource(rule: Rule, kind: string, resource: string | undefined): boolean {
  if (rule.resources.includes('*')) return true;
  if (resource !== undefined) return rule.resources.includes(resource);
  return rule.kinds === undefined ? rule.resources.includes(guessResource(kind)) : rule.kinds.includes(kind);
}

/** Every expression of a rule by the name that `expression` takes, in the order a reader meets them. */
export function fieldsOf(rule: Rule): readonly string[] {
  return [
    ...rule.related.map((related) => `related.${related.name}`),
    ...rule.variables.map((variable) => `variables.${variable.name}`),
    ...(['healthy', 'message', 'failed', 'suspended', 'reason'] as const).filter((field) => rule[field] !== undefined),
  ];
}

/** The source of an expression of a rule by its field name, as `fieldsOf` gives it. */
export function expressionOf(rule: Rule, field: string): string | undefined {
  switch (field) {
    case 'healthy':
    case 'message':
    case 'failed':
    case 'suspended':
    case 'reason':
      return rule[field];
    default: {
      const [list, name] = field.split('.', 2);
      if (list === 'variables') return rule.variables.find((variable) => variable.name === name)?.expression;
      return rule.related.find((related) => related.name === name)?.object;
    }
  }
}

class LazyRule implements CompiledRule {
  readonly id: string;
  readonly set: RuleSet;
  readonly rule: Rule;
  #readsConditions: boolean | undefined;
  #scope: VariableScope | undefined;
  readonly #compiled = new Map<string, CompiledExpression | undefined>();

  constructor(set: RuleSet, rule: Rule) {
    this.id = ruleId(set, rule);
    this.set = set;
    this.rule = rule;
  }

  get scope(): VariableScope {
    this.#scope ??= new VariableScope(this.rule.variables);
    return this.#scope;
  }

  get readsConditions(): boolean {
    // The path `status.conditions` is not the variable.
    this.#readsConditions ??= fieldsOf(this.rule).some((field) =>
      /(?<![.\w])conditions\b/.test(expressionOf(this.rule, field) ?? ''),
    );
    return this.#readsConditions;
  }

  expression(field: string): CompiledExpression | undefined {
    const known = this.#compiled.get(field);
    if (known !== undefined || this.#compiled.has(field)) return known;
    const source = expressionOf(this.rule, field);
    const compiled = source === undefined ? undefined : this.#compile(field, source);
    this.#compiled.set(field, compiled);
    return compiled;
  }

  #compile(field: string, source: string): CompiledExpression {
    const result = ruleEnvironment(this.set.contract).compile(source);
    if (!result.ok) return { ok: false, issues: result.issues.map((issue) => this.#issue(field, source, issue)) };
    return {
      ok: true,
      program: result.program,
      needs: variablesRead(this.rule, source, new Set(), this.#visible(field)),
    };
  }

  /** How many of the variables an expression sees: those declared before it. */
  #visible(field: string): number {
    const own = this.rule.variables.findIndex(({ name }) => `variables.${name}` === field);
    return own < 0 ? this.rule.variables.length : own;
  }

  #issue(field: string, expression: string, issue: Issue): RuleIssue {
    const { severity, line, column, message } = issue;
    return {
      severity,
      set: this.set.name,
      rule: this.rule.name,
      source: this.set.source,
      field,
      expression,
      line,
      column,
      message,
      text: formatError(issue, expression),
    };
  }
}

/**
 * Variables that a source mentions, and those that they mention, each after what it reads. A mention inside a string
 * literal counts too: one evaluation too many, never one too few. A variable sees only those declared before it.
 */
function variablesRead(rule: Rule, source: string, found: Set<string>, before: number): readonly string[] {
  for (const [, name] of source.matchAll(/\bvariables\s*\.\s*\??\s*([A-Za-z_]\w*)/g)) {
    const index = rule.variables.findIndex((variable) => variable.name === name);
    const variable = rule.variables[index];
    if (variable === undefined || index >= before || found.has(variable.name)) continue;
    variablesRead(rule, variable.expression, found, index);
    found.add(variable.name);
  }
  return [...found];
}
