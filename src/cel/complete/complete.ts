import { Unification } from '../check/unification.ts';
import type { Declarations, Overload } from '../declarations.ts';
import { type FunctionDoc, signatureOf } from '../describe/describe.ts';
import { BOOL, type CelType, DYN, STRING } from '../value/cel-type.ts';
import { type CursorTokens, endsValue, operandEnd, type Token, tokensAt, tokensOf, valueStart } from './tokens.ts';
import { macroScopes, typeOfText, withVariables } from './value-types.ts';

/**
 * - `field` of an object with a schema
 * - `variable` of the environment or of a macro around the cursor
 * - `function`, `macro`
 * - `namespace` the first part of longer names: `math`
 * - `type` the name of a type as a value
 * - `keyword` true, false, null
 */
export type CompletionKind = 'field' | 'variable' | 'function' | 'macro' | 'namespace' | 'type' | 'keyword';

/** What can stand at the cursor. */
export interface Completion {
  readonly label: string;
  readonly kind: CompletionKind;
  /** The type of a field or variable, the signature of a function. */
  readonly detail: string;
  readonly documentation: string;
  /** What replaces the text of `replace`: the name, with a parenthesis where a call has none yet. */
  readonly insert: string;
  readonly replace: { readonly start: number; readonly end: number };
  /** The smaller the better; completions come sorted by it, then by label. */
  readonly rank: number;
}

export interface CompletionContext {
  readonly declarations: Declarations;
  readonly docs: readonly FunctionDoc[];
}

/** What can stand at an offset of a source, which need not parse: fields, variables, functions and macros that fit there. */
export function complete(source: string, offset: number, context: CompletionContext): readonly Completion[] {
  const place = Math.min(Math.max(offset, 0), source.length);
  const cursor = tokensAt(source, place);
  return cursor ? new Completer(source, place, cursor, context).completions() : [];
}

type Candidate = Omit<Completion, 'replace' | 'insert'> & {
  readonly call?: 'empty' | 'open';
  /** What it is or gives; one that is left out is not compared with the type that is expected. */
  readonly types?: readonly CelType[];
};

/** Ranks: what the data say first, then what fits the type, then what fits anything. */
const RANK = { field: 0, local: 0, variable: 1, macro: 2, exact: 2, general: 3, namespace: 4, type: 5, keyword: 5 };
/** Added where the typed letters stand inside the label and not at its beginning. */
const INSIDE = 10;
/** Added where the operator before the cursor wants a value of another type. */
const OF_OTHER_TYPE = 1;

class Completer {
  private readonly source: string;
  private readonly cursor: CursorTokens;
  private readonly declarations: Declarations;
  private readonly docs: readonly FunctionDoc[];
  private readonly span: { readonly start: number; readonly end: number };
  private readonly prefix: string;
  private readonly locals: readonly (readonly [string, CelType])[];
  private readonly naming: boolean;
  private readonly expected: CelType | undefined;

  constructor(source: string, offset: number, cursor: CursorTokens, context: CompletionContext) {
    this.source = source;
    this.cursor = cursor;
    const scopes = macroScopes(source, cursor.before, context.declarations);
    this.locals = scopes.variables;
    this.naming = scopes.naming;
    this.declarations = withVariables(context.declarations, scopes.variables);
    this.docs = context.docs;
    const { word, string } = cursor;
    this.span = string
      ? { start: string.start + 1, end: string.kind === 'string' ? string.end - 1 : offset }
      : { start: word?.start ?? offset, end: word?.end ?? offset };
    this.expected = expectedType(source, cursor.before, this.declarations);
    this.prefix = source.slice(this.span.start, offset).toLowerCase();
  }

  completions(): readonly Completion[] {
    const found: Completion[] = [];
    const seen = new Set<string>();
    for (const candidate of this.candidates()) {
      const at = candidate.label.toLowerCase().indexOf(this.prefix);
      if (at < 0 || seen.has(candidate.label)) continue;
      seen.add(candidate.label);
      found.push(this.finished(candidate, (at > 0 ? INSIDE : 0) + this.misfit(candidate)));
    }
    return found.sort((a, b) => a.rank - b.rank || (a.label < b.label ? -1 : 1));
  }

  private misfit({ types }: Candidate): number {
    const { expected } = this;
    if (expected === undefined || types === undefined) return 0;
    return types.some((type) => LEADS_ON.has(type.kind) || takes(type, expected)) ? 0 : OF_OTHER_TYPE;
  }

  private finished({ call, types: _types, ...candidate }: Candidate, penalty: number): Completion {
    const called = this.source.startsWith('(', this.span.end);
    const brackets = call === undefined || called ? '' : call === 'empty' ? '()' : '(';
    const rank = candidate.rank + penalty;
    return { ...candidate, rank, insert: candidate.label + brackets, replace: this.span };
  }

  private candidates(): readonly Candidate[] {
    const { before, string } = this.cursor;
    const last = before.length - 1;
    const previous = before[last];
    if (string) return this.keys(before);
    const optional = previous?.kind === '?' && before[last - 1]?.kind === '.';
    const dot = optional ? last - 1 : last;
    if (before[dot]?.kind === '.') return this.members(before, dot - 1, optional);
    if (endsValue(previous)) return [];
    // The first argument of a macro names its variable, which no one knows yet.
    if (this.naming && (previous?.kind === '(' || previous?.kind === ',')) return [];
    return this.roots();
  }

  // ── behind a dot ──

  private members(before: readonly Token[], end: number, optional: boolean): readonly Candidate[] {
    if (!endsValue(before[end])) return this.roots();
    const start = valueStart(before, end);
    if (start === undefined) return [];
    const receiver = this.source.slice(before[start]!.start, before[end]!.end);
    const qualified = this.qualified(receiver.replaceAll(/\s/g, ''));
    if (qualified.length > 0) return qualified;
    const type = typeOfText(receiver, this.declarations) ?? DYN;
    const untyped = type.kind === 'dyn' || (type.kind === 'optional' && type.params[0]?.kind === 'dyn');
    const fields = [...this.fields(type), ...(untyped ? this.fieldsElsewhere(receiver) : [])];
    return optional ? fields : [...fields, ...this.macrosOf(type), ...this.memberFunctions(type)];
  }

  private fields(type: CelType): readonly Candidate[] {
    const object = type.kind === 'optional' ? type.params[0] : type;
    const found: Candidate[] = [];
    for (const [name, field] of object?.fields ?? []) {
      // An escaped name is offered only where the plain one cannot be written.
      const plain = field.wireName ?? name;
      const writable = /^[A-Za-z_]\w*$/.test(plain) && !['true', 'false', 'null', 'in'].includes(plain);
      if (writable ? name !== plain : !/^[A-Za-z_]\w*$/.test(name)) continue;
      const detail = field.required ? String(field.type) : `${field.type}, may be absent`;
      found.push({
        label: name,
        kind: 'field',
        detail,
        documentation: field.description ?? '',
        rank: RANK.field,
        types: [field.type],
      });
    }
    return found;
  }

  /** Of untyped data nothing is known but what the rest of the source reads of it. */
  private fieldsElsewhere(receiver: string): readonly Candidate[] {
    const tokens = tokensOf(this.source);
    const wanted = plainPath(receiver);
    const found: Candidate[] = [];
    tokens.forEach((token, index) => {
      if (token.kind !== 'name' || token.start === this.span.start || tokens[index + 1]?.kind === '(') return;
      const end = operandEnd(tokens, index);
      const start = end === undefined || end < 0 ? undefined : valueStart(tokens, end);
      if (end === undefined || start === undefined) return;
      if (plainPath(this.source.slice(tokens[start]!.start, tokens[end]!.end)) !== wanted) return;
      const label = this.source.slice(token.start, token.end);
      found.push({ label, kind: 'field', detail: 'dyn, read elsewhere', documentation: '', rank: RANK.field });
    });
    return found;
  }

  /** `obj["…`: the properties by their own names. */
  private keys(before: readonly Token[]): readonly Candidate[] {
    const last = before.length - 1;
    const bracket = before[last]?.kind === '?' ? last - 1 : last;
    if (before[bracket]?.kind !== '[') return [];
    const start = valueStart(before, bracket - 1);
    if (start === undefined) return [];
    const receiver = this.source.slice(before[start]!.start, before[bracket - 1]!.end);
    const type = typeOfText(receiver, this.declarations);
    const object = type?.kind === 'optional' ? type.params[0] : type;
    return [...(object?.fields ?? [])].map(([name, field]) => ({
      label: field.wireName ?? name,
      kind: 'field',
      detail: String(field.type),
      documentation: field.description ?? '',
      rank: RANK.field,
    }));
  }

  private macrosOf(type: CelType): readonly Candidate[] {
    const any = type.kind === 'dyn';
    return this.docs
      .filter(({ kind, member, name }) => kind === 'macro' && member && !name.includes('.'))
      .filter(({ name }) => {
        if (name.startsWith('opt')) return any || type.kind === 'optional';
        return any || type.kind === 'list' || (type.kind === 'map' && name !== 'sortBy');
      })
      .map((doc) => macroCandidate(doc, doc.name));
  }

  private memberFunctions(type: CelType): readonly Candidate[] {
    const found: Candidate[] = [];
    for (const { name, overloads } of this.declarations.functions.values()) {
      if (!/^[A-Za-z]/.test(name)) continue;
      const fitting = overloads.filter((overload) => overload.member && takes(overload.params[0], type));
      const [first] = fitting;
      if (!first) continue;
      const exact = type.kind !== 'dyn' && first.params[0]?.kind !== 'parameter';
      found.push(this.functionCandidate(name, name, fitting, exact ? RANK.exact : RANK.general));
    }
    return found;
  }

  /** What follows a namespace or the first parts of a dotted variable. */
  private qualified(prefix: string): readonly Candidate[] {
    if (!/^[A-Za-z_][\w.]*$/.test(prefix) || this.declarations.variables.has(prefix)) return [];
    const inside = (name: string): string | undefined =>
      name.startsWith(`${prefix}.`) ? name.slice(prefix.length + 1) : undefined;
    const found: Candidate[] = [];
    for (const { name, overloads } of this.declarations.functions.values()) {
      const rest = inside(name);
      if (rest) found.push(this.functionCandidate(name, rest, overloads, RANK.exact));
    }
    for (const doc of this.docs) {
      const rest = doc.kind === 'macro' ? inside(doc.name) : undefined;
      if (rest) found.push(macroCandidate(doc, rest));
    }
    for (const [name, type] of this.declarations.variables) {
      const rest = inside(name);
      if (rest)
        found.push({
          label: rest,
          kind: 'variable',
          detail: String(type),
          documentation: '',
          rank: RANK.variable,
          types: [type],
        });
    }
    return found;
  }

  // ── where a value begins ──

  private roots(): readonly Candidate[] {
    const found: Candidate[] = [];
    const locals = new Set(this.locals.map(([name]) => name));
    const namespaces = new Set<string>();
    const root = (name: string): string => {
      const dot = name.indexOf('.');
      if (dot > 0) namespaces.add(name.slice(0, dot));
      return dot > 0 ? '' : name;
    };
    for (const [name, type] of this.declarations.variables) {
      const rank = locals.has(name) ? RANK.local : RANK.variable;
      if (root(name))
        found.push({ label: name, kind: 'variable', detail: String(type), documentation: '', rank, types: [type] });
    }
    for (const { name, overloads } of this.declarations.functions.values()) {
      if (!/^[A-Za-z]/.test(name) || !root(name)) continue;
      const global = overloads.filter(({ member }) => !member);
      if (global.length > 0) found.push(this.functionCandidate(name, name, global, RANK.general));
    }
    for (const doc of this.docs) {
      if (doc.kind === 'macro' && root(doc.name) && !doc.member) found.push(macroCandidate(doc, doc.name));
    }
    for (const name of namespaces) {
      found.push({ label: name, kind: 'namespace', detail: `${name}.…`, documentation: '', rank: RANK.namespace });
    }
    for (const name of this.declarations.types.keys()) {
      if (!name.includes('.'))
        found.push({ label: name, kind: 'type', detail: 'type', documentation: '', rank: RANK.type });
    }
    for (const label of ['true', 'false', 'null']) {
      const detail = label === 'null' ? 'null_type' : 'bool';
      const types = label === 'null' ? [] : [BOOL];
      found.push({ label, kind: 'keyword', detail, documentation: '', rank: RANK.keyword, types });
    }
    return found;
  }

  private functionCandidate(name: string, label: string, overloads: readonly Overload[], rank: number): Candidate {
    const [first] = overloads;
    const signature = first ? signatureOf(name, first) : name;
    const doc = this.docs.find((each) => each.name === name && each.signature === signature);
    const more = overloads.length > 1 ? ` (+${overloads.length - 1})` : '';
    const values = overloads.map(({ member, params }) => params.length - (member ? 1 : 0));
    return {
      label,
      kind: 'function',
      detail: signature + more,
      documentation: doc?.documentation ?? '',
      rank,
      call: Math.max(...values) === 0 ? 'empty' : 'open',
      types: overloads.map(({ result }) => result),
    };
  }
}

/** Values through which a path leads on, to a value of any type. */
const LEADS_ON: ReadonlySet<CelType['kind']> = new Set(['dyn', 'error', 'object', 'map', 'optional', 'parameter']);
/** Macros that give a bool; the others give a list, a map or what their parts give. */
const PREDICATES: ReadonlySet<string> = new Set(['has', 'all', 'exists', 'exists_one', 'existsOne']);
const WANTS_BOOL: ReadonlySet<string> = new Set(['&&', '||', '!']);
const WANTS_THE_SAME: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', '+', '-', '*', '/', '%']);

/** The type of the value that the cursor is in, as the operator before it wants it; undefined where any may stand. */
function expectedType(source: string, before: readonly Token[], declarations: Declarations): CelType | undefined {
  let start: number | undefined = before.length;
  const dot = before[start - 1]?.kind === '?' ? start - 2 : start - 1;
  if (before[dot]?.kind === '.') start = valueStart(before, dot - 1);
  const operator = start === undefined ? undefined : before[start - 1];
  if (start === undefined || operator === undefined) return undefined;
  if (WANTS_BOOL.has(operator.kind)) return BOOL;
  const left = WANTS_THE_SAME.has(operator.kind) ? valueStart(before, start - 2) : undefined;
  const type =
    left === undefined
      ? undefined
      : typeOfText(source.slice(before[left]!.start, before[start - 2]!.end), declarations);
  return type === undefined || type.kind === 'dyn' ? undefined : type;
}

function macroCandidate(doc: FunctionDoc, label: string): Candidate {
  const { signature: detail, documentation } = doc;
  const types = PREDICATES.has(label) ? { types: [BOOL] } : {};
  return { label, kind: 'macro', detail, documentation, rank: RANK.macro, call: 'open', ...types };
}

/** A path without blanks and optional marks, so that `obj.?a . b` is `obj.a.b`. */
function plainPath(text: string): string {
  return text.replaceAll(/[\s?]/g, '');
}

/** Whether a receiver of this type may be a value of the parameter's. */
function takes(parameter: CelType | undefined, type: CelType): boolean {
  if (!parameter) return false;
  const unification = new Unification();
  const [wanted] = unification.instantiate([parameter]);
  return wanted !== undefined && unification.assignable(type.kind === 'error' ? STRING : type, wanted);
}
