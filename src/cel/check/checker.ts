import type {
  CallContext,
  CheckedAst,
  Declarations,
  FunctionDeclaration,
  Overload,
  Reference,
} from '../declarations.ts';
import type { Issue, IssueCode } from '../issue.ts';
import { issueAt } from '../source-position.ts';
import type {
  Ast,
  BlockExpr,
  CallExpr,
  Expr,
  FoldExpr,
  IdentExpr,
  ListExpr,
  MapExpr,
  OptionalMapExpr,
  SelectExpr,
} from '../syntax/ast.ts';
import { assertNever } from '../syntax/children.ts';
import { BOOL, type CelType, DYN, ERROR_TYPE, list, map, optional, STRING } from '../value/cel-type.ts';
import { typeOf } from '../value/type-of.ts';
import { foldedType } from './fold-types.ts';
import { literalIssues, patternIssue } from './literal-arguments.ts';
import { keyIssues } from './map-keys.ts';
import { arityHint, callText, mismatchHint } from './mismatch.ts';
import { type Meaning, Names } from './names.ts';
import { shortcut } from './operator-shortcuts.ts';
import { didYouMean } from './suggestion.ts';
import { messageIssue } from './unchecked.ts';
import { undeclaredFunction, undeclaredName } from './undeclared.ts';
import { isGeneric, mostGeneral, sameType, Unification } from './unification.ts';

export interface CheckOptions {
  /** The type the expression has to give; anything else is a `result_type` issue. */
  readonly resultType?: CelType;
  /** What constant arguments of `duration`, `timestamp` and `matches` are tried with; without it they are not. */
  readonly context?: CallContext;
}

/**
 * Types an expression: the type of every node, what names stand for, and the overloads each call may take. `checked` is
 * there exactly when there is no issue. Rules: language definition, "Gradual type checking", as cel-go applies them.
 */
export function check(
  ast: Ast,
  declarations: Declarations,
  options: CheckOptions = {},
): { checked?: CheckedAst; issues: Issue[] } {
  const checker = new Checker(ast.source, declarations, options.context);
  checker.check(ast.root);
  const types = checker.finalTypes();
  const resultType = types.get(ast.root.id) ?? DYN;
  if (options.resultType && checker.issues.length === 0) checker.checkResult(ast.root, resultType, options.resultType);
  if (checker.issues.length > 0) return { issues: checker.issues.sort((a, b) => a.start - b.start) };
  return { checked: { types, references: checker.references, resultType }, issues: [] };
}

export class Checker {
  readonly issues: Issue[] = [];
  readonly types = new Map<number, CelType>();
  readonly references = new Map<number, Reference>();
  readonly declarations: Declarations;
  readonly context: CallContext | undefined;
  readonly unification = new Unification();
  readonly source: string;
  readonly names: Names;
  /** Inside the arguments of `format`, whose list may mix types even where lists may not. */
  private mixedLists = 0;
  private generic = false;
  private readonly undecided: {
    readonly previous: CelType;
    readonly current: CelType;
    readonly at: Expr;
    readonly role: string;
  }[] = [];

  constructor(source: string, declarations: Declarations, context?: CallContext) {
    this.source = source;
    this.declarations = declarations;
    this.context = context;
    this.names = new Names(declarations);
  }

  report(code: IssueCode, message: string, at: { start: number; end: number }, hint?: string): void {
    this.issues.push(issueAt(this.source, 'error', code, message, at.start, at.end, { hint }));
  }

  /** The types of all nodes, with parameters that nothing has settled as dyn. */
  finalTypes(): Map<number, CelType> {
    for (const { previous, current, at, role } of this.undecided) {
      this.refuseMixture(
        this.unification.substitute(previous, true),
        this.unification.substitute(current, true),
        at,
        role,
      );
    }
    if (this.generic) {
      for (const [id, type] of this.types) {
        if (isGeneric(type)) this.types.set(id, this.unification.substitute(type, true));
      }
    }
    return this.types;
  }

  checkResult(root: Expr, actual: CelType, expected: CelType): void {
    if (this.unification.assignable(actual, expected)) return;
    const hint = actual.kind === 'optional' ? 'take the value out: .orValue(default)' : undefined;
    this.report('result_type', `the result is ${actual}, expected ${expected}`, root, hint);
  }

  check(expr: Expr): CelType {
    const type = this.typeOf(expr);
    this.types.set(expr.id, type);
    if (!this.generic && isGeneric(type)) this.generic = true;
    return type;
  }

  /** The type with what is known by now filled in. */
  known(type: CelType): CelType {
    return this.generic ? this.unification.substitute(type, false) : type;
  }

  /** Checks a part with names declared around it. */
  checkWith(variables: readonly (readonly [name: string, type: CelType])[], part: Expr): CelType {
    for (const [name, type] of variables) this.names.enter(name, type);
    const type = this.check(part);
    this.names.leave(variables.length);
    return type;
  }

  private typeOf(expr: Expr): CelType {
    switch (expr.kind) {
      case 'literal':
        return typeOf(expr.value);
      case 'ident':
        return this.identifier(expr);
      case 'select':
        return this.select(expr);
      case 'call':
        return this.call(expr);
      case 'list':
        return this.list(expr);
      case 'map':
        return this.map(expr);
      case 'fold':
        return this.fold(expr);
      case 'bind': {
        const init = this.check(expr.init);
        return this.checkWith([[expr.variable, init]], expr.body);
      }
      case 'optionalMap':
        return this.optionalMap(expr);
      case 'block':
        return this.block(expr);
      case 'message':
        for (const field of expr.fields) this.check(field.value);
        this.issues.push(messageIssue(this.source, expr.start, expr.end));
        return ERROR_TYPE;
      default:
        return assertNever(expr);
    }
  }

  // ── names and fields ──

  private refer(id: number, meaning: Meaning): CelType {
    if (meaning.reference) this.references.set(id, meaning.reference);
    return meaning.type;
  }

  private identifier(expr: IdentExpr): CelType {
    const meaning = this.names.identifier(expr.name);
    if (meaning) return this.refer(expr.id, meaning);
    return undeclaredName(this, expr);
  }

  private select(expr: SelectExpr): CelType {
    if (!expr.test && !expr.optional && !expr.quoted && expr.operand.kind !== 'call') {
      const meaning = this.names.qualified(expr);
      if (meaning) return this.refer(expr.id, meaning);
    }
    const operand = this.known(this.check(expr.operand));
    const target = operand.kind === 'optional' ? operand.params[0]! : operand;
    const field = this.fieldType(expr, target);
    if (expr.test) return BOOL;
    return operand.kind === 'optional' || expr.optional ? optional(field) : field;
  }

  private fieldType(expr: SelectExpr, target: CelType): CelType {
    switch (target.kind) {
      case 'dyn':
        return DYN;
      case 'error':
        return ERROR_TYPE;
      case 'map':
        return this.mapFieldType(expr, target);
      case 'object':
        return this.objectFieldType(expr, target);
      case 'parameter':
        // Nothing is known of the value, so nothing may be concluded from this use of it.
        this.unification.assignable(DYN, target);
        return DYN;
      default:
        this.report(
          'type_mismatch',
          `${target} has no fields`,
          fieldSpan(expr),
          this.fieldlessHint(target, expr.field),
        );
        return ERROR_TYPE;
    }
  }

  private fieldlessHint(target: CelType, field: string): string | undefined {
    const overloads = this.declarations.functions.get(field)?.overloads ?? [];
    if (overloads.some(({ member, params }) => member && params.length === 1)) return `call it: .${field}()`;
    if (target.kind === 'list') return `a list is read by index, or by its elements: .exists(x, x.${field} == …)`;
    return undefined;
  }

  private mapFieldType(expr: SelectExpr, target: CelType): CelType {
    const [key = DYN, value = DYN] = target.params;
    if (this.unification.assignable(STRING, key)) return value;
    this.report('type_mismatch', `${target} has no string keys`, fieldSpan(expr), 'select by index: map[key]');
    return ERROR_TYPE;
  }

  private objectFieldType(expr: SelectExpr, target: CelType): CelType {
    const field = target.fields?.get(expr.field);
    if (field) return field.type;
    const hint = didYouMean(expr.field, target.fields?.keys() ?? []);
    this.report('undefined_field', `undefined field '${expr.field}' in ${target}`, fieldSpan(expr), hint);
    return ERROR_TYPE;
  }

  // ── calls ──

  private call(expr: CallExpr): CelType {
    const namespaced = expr.target && this.names.namespaced(expr.target, expr.fn);
    const fn = namespaced ?? this.names.function(expr.fn);
    if (!fn) return undeclaredFunction(this, expr);
    const exempt = expr.fn === 'format' && expr.target !== undefined;
    if (exempt) this.mixedLists += 1;
    const argumentTypes: CelType[] = [];
    if (expr.target && !namespaced) argumentTypes.push(this.check(expr.target));
    for (const argument of expr.args) argumentTypes.push(this.check(argument));
    if (exempt) this.mixedLists -= 1;
    const member = expr.target !== undefined && !namespaced;
    const result = this.resolve(expr, fn, member, argumentTypes);
    if (this.declarations.validatePatterns) patternIssue(this, expr, fn);
    if (this.declarations.validateLiterals) literalIssues(this, expr, fn);
    return result;
  }

  private resolve(expr: CallExpr, fn: FunctionDeclaration, member: boolean, types: readonly CelType[]): CelType {
    const namespaced = expr.target !== undefined && !member;
    const quick = member ? undefined : shortcut(fn.name, types);
    if (quick) {
      this.references.set(expr.id, { kind: 'function', fn, overloads: fn.overloads, namespaced });
      return quick;
    }
    const known = this.generic ? types.map((type) => this.known(type)) : types;
    let result: CelType | undefined;
    const overloads: Overload[] = [];
    for (const overload of fn.overloads) {
      if (overload.member !== member || overload.params.length !== known.length) continue;
      const candidate = this.match(overload, known);
      if (!candidate) continue;
      overloads.push(overload);
      if (!result) result = candidate;
      else if (result.kind !== 'dyn' && !sameType(result, candidate)) result = DYN;
    }
    if (!result) return this.noOverload(expr, fn, member, known);
    const all = overloads.length === fn.overloads.length ? fn.overloads : overloads;
    this.references.set(expr.id, { kind: 'function', fn, overloads: all, namespaced });
    return result;
  }

  /** The result type of an overload that takes these arguments; undefined when it does not. */
  private match(overload: Overload, types: readonly CelType[]): CelType | undefined {
    if (!overload.params.some(isGeneric)) {
      const fits = this.generic
        ? this.unification.allAssignable(types, overload.params)
        : this.unification.fits(types, overload.params);
      return fits ? overload.result : undefined;
    }
    const signature = this.unification.instantiate([overload.result, ...overload.params]);
    if (!this.unification.allAssignable(types, signature.slice(1))) return undefined;
    return this.unification.substitute(signature[0]!, false);
  }

  private noOverload(expr: CallExpr, fn: FunctionDeclaration, member: boolean, types: readonly CelType[]): CelType {
    if (types.some(holdsError)) return ERROR_TYPE;
    const shown = types.map((type) => this.unification.substitute(type, true));
    const hint = mismatchHint(fn.name, shown) ?? this.styleHint(fn, member) ?? arityHint(fn, member, shown.length);
    this.report('no_matching_overload', `no matching overload: ${callText(fn.name, shown, member)}`, expr, hint);
    return ERROR_TYPE;
  }

  private styleHint(fn: FunctionDeclaration, member: boolean): string | undefined {
    if (fn.overloads.some((overload) => overload.member === member)) return undefined;
    return member ? `call it as ${fn.name}(…)` : `call it on a value: x.${fn.name}(…)`;
  }

  // ── literals ──

  private list(expr: ListExpr): CelType {
    let element: CelType | undefined;
    for (const each of expr.elements) {
      const type = this.elementType(this.check(each.value), each.optional, each.value);
      element = this.join(element, type, each.value, 'element');
    }
    return list(element ?? this.unification.fresh());
  }

  private map(expr: MapExpr): CelType {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of expr.entries) {
      key = this.join(key, this.known(this.check(entry.key)), entry.key, 'key');
      const type = this.elementType(this.check(entry.value), entry.optional, entry.value);
      value = this.join(value, type, entry.value, 'value');
    }
    keyIssues(this, expr);
    return map(key ?? this.unification.fresh(), value ?? this.unification.fresh());
  }

  /** An element marked `?` is an optional, and its value joins. */
  private elementType(type: CelType, marked: boolean, at: Expr): CelType {
    const known = this.known(type);
    if (!marked || known.kind === 'dyn' || known.kind === 'error') return known;
    if (known.kind === 'optional') return known.params[0]!;
    this.report('type_mismatch', `an entry marked ? needs an optional, this is ${known}`, at);
    return ERROR_TYPE;
  }

  private join(previous: CelType | undefined, current: CelType, at: Expr, role: string): CelType {
    if (!previous) return current;
    if (this.declarations.homogeneousLiterals && this.mixedLists === 0) {
      if (isGeneric(previous) || isGeneric(current)) this.undecided.push({ previous, current, at, role });
      else this.refuseMixture(previous, current, at, role);
    }
    if (this.unification.assignable(previous, current)) return this.known(mostGeneral(previous, current));
    return DYN;
  }

  /** Literals of mixed types; an empty list or map among them has its type only when everything is known. */
  private refuseMixture(previous: CelType, current: CelType, at: Expr, role: string): void {
    if (sameType(this.known(previous), current) || previous.kind === 'error' || current.kind === 'error') return;
    const message = `${role} is ${current}, the ones before are ${previous}`;
    this.report('type_mismatch', message, at, 'convert it, or use dyn(…) for each');
  }

  // ── macros ──

  private fold(expr: FoldExpr): CelType {
    return foldedType(this, expr);
  }

  private optionalMap(expr: OptionalMapExpr): CelType {
    const target = this.known(this.check(expr.target));
    const value = target.kind === 'optional' ? target.params[0]! : DYN;
    const name = expr.flat ? 'optFlatMap' : 'optMap';
    if (!['optional', 'dyn', 'error', 'parameter'].includes(target.kind)) {
      this.report(
        'type_mismatch',
        `${name}() needs an optional, this is ${target}`,
        expr.target,
        'an optional comes from .? or optional.of()',
      );
    }
    const body = this.known(this.checkWith([[expr.variable, value]], expr.body));
    if (!expr.flat) return optional(body);
    if (body.kind === 'optional') return body;
    if (body.kind !== 'dyn' && body.kind !== 'error') {
      this.report(
        'type_mismatch',
        `optFlatMap() needs an optional as its result, this is ${body}`,
        expr.body,
        'did you mean optMap?',
      );
    }
    return optional(DYN);
  }

  private block(expr: BlockExpr): CelType {
    expr.slots.forEach((slot, index) => {
      this.names.enter(`@index${index}`, this.check(slot));
    });
    const type = this.check(expr.body);
    this.names.leave(expr.slots.length);
    return type;
  }
}

/** A refused part makes a list of it no new mistake. */
function holdsError(type: CelType): boolean {
  return type.kind === 'error' || type.params.some(holdsError);
}

function fieldSpan(expr: SelectExpr): { start: number; end: number } {
  return { start: expr.fieldStart, end: expr.fieldEnd };
}
