import type { Environment, Issue } from '../../cel/index.ts';
import { formatError } from '../../cel/texts.ts';
import { lint } from '../../cel/tools.ts';
import type { KindSchemas } from '../schema/kind-schemas.ts';
import { expressionOf, fieldsOf } from './compile.ts';
import type { Rule, RuleSet } from './rule.ts';
import { ruleEnvironment } from './rule-environments.ts';
import { pathsAlwaysPresent, type RuleSchema, schemaOfRule, schemaVariables } from './rule-schema.ts';

export type LintSeverity =
  /** It does not compile, or it will fail on some object or ask for what does not exist. */
  | 'error'
  /** It works, but hardly as meant. */
  | 'warning'
  /** Something to know; nothing is wrong. */
  | 'note';

/** One thing that lint found in a rule. */
export interface RuleFinding {
  readonly severity: LintSeverity;
  /** Stable, for machines: a code of the engine's issues, or `unused_variable`. */
  readonly code: string;
  /** `healthy`, `message`, …, `variables.NAME`, `related.NAME`. */
  readonly field: string;
  /** Where in the expression, in UTF-16 units; undefined: the field as a whole. */
  readonly span?: { readonly start: number; readonly end: number };
  readonly message: string;
  /** How to mend it. */
  readonly hints: readonly string[];
  /** The line of the expression and carets under the place. */
  readonly excerpt?: readonly string[];
}

/** Issues of the engine that are errors here: an object without the field makes the rule fail, so each such object is Unknown. */
const FAILS_IN_THE_FIELD: ReadonlySet<string> = new Set(['unguarded_field', 'has_on_wrong_level', 'null_comparison']);

/** What would fail in the field though the rule can be read; in the order of its expressions. Never throws. */
export function lintRule(set: RuleSet, rule: Rule, schemas: KindSchemas): readonly RuleFinding[] {
  const schema = set.generic ? undefined : schemaOfRule(rule, schemas);
  const rules = new RuleLint(set, rule, schema);
  return [...fieldsOf(rule).flatMap((field) => rules.expression(field)), ...unusedNames(rule)];
}

class RuleLint {
  readonly #rule: Rule;
  readonly #plain: Environment;
  readonly #typed: Environment;
  readonly #schema: RuleSchema | undefined;

  constructor(set: RuleSet, rule: Rule, schema: RuleSchema | undefined) {
    this.#rule = rule;
    this.#schema = schema;
    this.#plain = ruleEnvironment(set.contract);
    this.#typed = this.#plain.extend({ variables: schemaVariables(set, rule, schema) });
  }

  expression(field: string): readonly RuleFinding[] {
    const source = expressionOf(this.#rule, field);
    if (source === undefined) return [];
    const compiled = this.#plain.compile(source);
    const finding = (issue: Issue): RuleFinding => findingOf(field, source, issue);
    if (!compiled.ok) return compiled.issues.filter(({ severity }) => severity === 'error').map(finding);
    const alwaysPresent = pathsAlwaysPresent(this.#rule, this.#schema);
    const unguarded = lint(this.#plain, source, { alwaysPresent })
      .filter((issue) => issue.severity === 'warning' && !this.#isShortLoop(source, issue))
      .map(finding);
    const found = mergeMisspelt(this.#misspelt(field, source), unguarded);
    found.sort((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0));
    return [...wrongType(field, source, String(compiled.program.resultType)), ...found];
  }

  /** A loop over a variable that is a list written out: it is as short as it looks. */
  #isShortLoop(source: string, { code, start, end }: Issue): boolean {
    if (code !== 'cost_estimate') return false;
    const [, name] = /^variables\s*\.\s*(\w+)\s*\./.exec(source.slice(start, end)) ?? [];
    const variable = this.#rule.variables.find((one) => one.name === name);
    return variable !== undefined && /^\s*\[[^[\]]*\]\s*$/.test(variable.expression);
  }

  /**
   * Fields that the schema does not have. Nothing else of what the typed environment says counts: objects are bound
   * without types, so `size(status)` is right although the schema makes `status` no map.
   */
  #misspelt(field: string, source: string): readonly RuleFinding[] {
    const result = this.#typed.compile(source);
    return result.issues
      .filter(({ code }) => code === 'undefined_field')
      .map((issue) => findingOf(field, source, { ...issue, message: this.#missing(source, issue) }));
  }

  #missing(source: string, { start, end }: Issue): string {
    const name = source.slice(start, end);
    const [, root] = /\b(variables|related)\s*\.\s*\??\s*$/.exec(source.slice(0, start)) ?? [];
    if (root !== undefined) return `no ${root === 'variables' ? 'variable' : 'related object'} ${name} is declared`;
    return `${this.#schema?.kind ?? 'the object'} has no field ${name} here`;
  }
}

function placed(source: string, start: number, end: number): Omit<Issue, 'message' | 'code'> {
  const before = source.slice(0, start).split('\n');
  return { severity: 'error', start, end, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function findingOf(field: string, source: string, issue: Issue): RuleFinding {
  const { severity, code, message, hint } = issue;
  // "The expression ends here" is said of the last line that holds something, not of the line break behind it.
  const start = Math.min(issue.start, source.trimEnd().length);
  const span = { start, end: Math.max(issue.end, start) };
  return {
    severity: FAILS_IN_THE_FIELD.has(code) ? 'error' : severity,
    code,
    field,
    ...(start < 0 ? {} : { span, excerpt: excerptOf({ ...issue, ...span }, source) }),
    message: message.trim(),
    hints: hint === undefined ? [] : [hint],
  };
}

/** The source line and its carets, without the line's indentation. */
function excerptOf(issue: Issue, source: string): readonly string[] {
  const { hint: _, ...bare } = issue;
  const [, line = '', carets = ''] = formatError({ ...bare, message: '' }, source).split('\n');
  const indentation = /^\s*/.exec(line)?.[0].length ?? 0;
  return [line.slice(indentation), carets.slice(Math.min(indentation, carets.search(/\^|$/)))];
}

/** A misspelt field is unguarded as well: one finding, whose guard has the right name. */
function mergeMisspelt(misspelt: readonly RuleFinding[], others: readonly RuleFinding[]): RuleFinding[] {
  const rest = [...others];
  const merged = misspelt.map((finding) => {
    const same = rest.findIndex(({ span }) => span?.start === finding.span?.start && span?.end === finding.span?.end);
    const [twin] = same < 0 ? [] : rest.splice(same, 1);
    if (twin === undefined) return finding;
    const [, meant] = /^did you mean (\w+)\?$/.exec(finding.hints[0] ?? '') ?? [];
    const wrong = finding.excerpt === undefined ? '' : wordUnder(finding.excerpt);
    const guards = twin.hints.map((hint) => (meant === undefined ? hint : hint.replaceAll(`?${wrong}`, `?${meant}`)));
    return { ...finding, hints: [...finding.hints, ...guards] };
  });
  return [...merged, ...rest];
}

function wordUnder([line = '', carets = '']: readonly string[]): string {
  return line.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1);
}

/** What the fields of a rule have to give; a value of another type is an evaluation error of each object. */
function wrongType(field: string, source: string, type: string): readonly RuleFinding[] {
  const wanted = /^(healthy|failed|suspended)$/.test(field)
    ? 'bool'
    : /^(message|reason|related\.)/.test(field)
      ? 'string'
      : 'dyn';
  if (wanted === 'dyn' || type === wanted || type === 'dyn') return [];
  const end = source.trimEnd().length;
  const start = source.length - source.trimStart().length;
  const consequence = wanted === 'bool' ? 'each object it is asked about is Unknown' : 'it is not used';
  const message = `${field} gives ${type}, not ${wanted}: ${consequence}`;
  const issue: Issue = { ...placed(source, start, end), severity: 'warning', code: 'result_not_bool', message };
  return [{ ...findingOf(field, source, issue), code: wanted === 'bool' ? 'result_not_bool' : 'result_not_string' }];
}

function unusedNames(rule: Rule): readonly RuleFinding[] {
  const sources = fieldsOf(rule).map((field) => expressionOf(rule, field) ?? '');
  const isUsed = (list: string, name: string): boolean => {
    const escaped = name.replace(/[^\w]/g, '\\$&');
    // `variables` without a field behind it may be any of them.
    const mention = new RegExp(`(?<![.\\w])${list}\\s*(?:\\.\\s*\\??\\s*${escaped}(?!\\w)|(?![\\s.\\w]))`);
    return sources.some((source) => mention.test(source));
  };
  const unused = (list: 'variables' | 'related', name: string, what: string): RuleFinding => ({
    severity: 'warning',
    code: 'unused_variable',
    field: `${list}.${name}`,
    message: `${what} ${name} is used by no expression`,
    hints: ['remove it'],
  });
  return [
    ...rule.variables
      .filter(({ name }) => !isUsed('variables', name))
      .map(({ name }) => unused('variables', name, 'variable')),
    ...rule.related
      .filter(({ name }) => !isUsed('related', name))
      .map(({ name }) => unused('related', name, 'related object')),
  ];
}
