import type { CheckedAst, Declarations } from '../declarations.ts';
import type { Issue } from '../issue.ts';
import { issueAt } from '../source-position.ts';
import type { Ast, CallExpr, Expr, FoldExpr } from '../syntax/ast.ts';
import { childrenOf } from '../syntax/children.ts';
import { Facts } from './facts.ts';
import { Guards, orValueCall } from './guards.ts';
import { type Chain, chainOf, pathText } from './paths.ts';
import { Scope } from './scope.ts';

/** What surrounds an expression that decides how a missing field in it is mended. */
interface Place {
  /** A default that fits the place, as source text. */
  readonly fallback: string | undefined;
  /** The comparison with null whose operand it is. */
  readonly nullTest: CallExpr | undefined;
}

const ANYWHERE: Place = { fallback: undefined, nullTest: undefined };
const AS_CONDITION: Place = { fallback: 'false', nullTest: undefined };
const AS_LIST: Place = { fallback: '[]', nullTest: undefined };

/** Fields every Kubernetes object has, below the variable that holds it. */
const ALWAYS_PRESENT = ['apiVersion', 'kind', 'metadata', 'metadata.name'];

/**
 * Warns of selections that fail when a field is absent: no `has()`, `in`, `.?` or earlier read covers them. Fields of
 * elements of untyped lists are not followed: their absence is mostly absorbed by the loop's macro.
 */
export function unguardedFields(
  ast: Ast,
  checked: CheckedAst,
  declarations: Declarations,
  alwaysPresent: readonly string[],
): Issue[] {
  const walker = new Walker(ast.source, checked, declarations.macros.has('optMap'), alwaysPresent);
  walker.visit(ast.root, Facts.none, Scope.empty, ANYWHERE);
  return walker.issues;
}

class Walker {
  readonly issues: Issue[] = [];
  private readonly source: string;
  private readonly checked: CheckedAst;
  private readonly optionals: boolean;
  private readonly alwaysPresent: readonly (readonly string[])[];
  private readonly guards: Guards;
  private loops = 0;

  constructor(source: string, checked: CheckedAst, optionals: boolean, alwaysPresent: readonly string[]) {
    this.source = source;
    this.checked = checked;
    this.optionals = optionals;
    this.alwaysPresent = alwaysPresent.map((path) => path.split('.'));
    this.guards = new Guards(checked);
  }

  visit(expr: Expr, facts: Facts, scope: Scope, place: Place): void {
    const chain = chainOf(expr, this.checked);
    if (chain) {
      this.chain(expr, chain, facts, scope, place);
      return;
    }
    switch (expr.kind) {
      case 'call':
        this.call(expr, facts, scope, place);
        return;
      case 'fold':
        this.fold(expr, facts, scope);
        return;
      case 'bind':
        this.visit(expr.init, facts, scope, ANYWHERE);
        this.visit(expr.body, facts, scope.with(expr.variable, this.guards.path(expr.init, scope)), place);
        return;
      case 'optionalMap': {
        this.visit(expr.target, facts, scope, ANYWHERE);
        const path = this.guards.path(expr.target, scope);
        const inside = path ? facts.with(path, true) : facts;
        this.visit(expr.body, inside, scope.with(expr.variable, path), ANYWHERE);
        return;
      }
      default:
        for (const child of childrenOf(expr)) this.visit(child, facts, scope, ANYWHERE);
    }
  }

  private call(expr: CallExpr, facts: Facts, scope: Scope, place: Place): void {
    const [a, b, c] = expr.args;
    switch (expr.fn) {
      case '_&&_':
      case '_||_': {
        if (!a || !b) return;
        const goesOn = expr.fn === '_&&_';
        // A false operand of && absorbs the errors of the others, on either side.
        this.visit(a, facts.and(this.guards.when(goesOn, b, scope).tested()), scope, AS_CONDITION);
        this.visit(b, facts.and(this.guards.when(goesOn, a, scope)), scope, AS_CONDITION);
        return;
      }
      case '_?_:_':
        if (!a || !b || !c) return;
        this.visit(a, facts, scope, AS_CONDITION);
        this.visit(b, facts.and(this.guards.when(true, a, scope)), scope, place);
        this.visit(c, facts.and(this.guards.when(false, a, scope)), scope, place);
        return;
      case '!_':
        if (a) this.visit(a, facts, scope, AS_CONDITION);
        return;
      default:
        this.strictCall(expr, facts, scope);
    }
  }

  /** Arguments are read one after the other, so each knows what the ones before have read. */
  private strictCall(expr: CallExpr, facts: Facts, scope: Scope): void {
    let known = facts;
    for (const argument of childrenOf(expr)) {
      this.visit(argument, known, scope, this.placeOf(expr, argument));
      known = known.and(this.guards.read(argument, scope));
    }
  }

  private placeOf(expr: CallExpr, argument: Expr): Place {
    if (expr.fn === 'size') return AS_LIST;
    if (expr.target || expr.args.length !== 2) return ANYWHERE;
    const other = expr.args[0] === argument ? expr.args[1] : expr.args[0];
    if (!other) return ANYWHERE;
    const equality = expr.fn === '_==_' || expr.fn === '_!=_';
    if (equality && other.kind === 'literal' && other.value === null) return { fallback: undefined, nullTest: expr };
    if (expr.fn === '@in') return argument === expr.args[1] ? AS_LIST : ANYWHERE;
    if (!/^_[^[]+_$/.test(expr.fn)) return ANYWHERE;
    return { fallback: this.zeroOf(other), nullTest: undefined };
  }

  /** A default of the other side's type; of its value's, where the type is not known. */
  private zeroOf(other: Expr): string | undefined {
    switch (this.checked.types.get(other.id)?.name) {
      case 'int':
        return '0';
      case 'uint':
        return '0u';
      case 'double':
        return '0.0';
      case 'string':
        return '""';
      case 'bool':
        return 'false';
      case 'list':
        return '[]';
      case 'map':
        return '{}';
      default:
        return undefined;
    }
  }

  private fold(expr: FoldExpr, facts: Facts, scope: Scope): void {
    this.visit(expr.range, facts, scope, AS_LIST);
    const range = this.checked.types.get(expr.range.id);
    const element = range?.kind === 'list' ? range.params[0] : undefined;
    this.loops += 1;
    // An element with a schema is a root of its own; the number keeps loops over the same name apart.
    const root = element?.kind === 'object' ? [`${expr.variable}#${this.loops}`] : undefined;
    let inner = scope.with(expr.variable, root);
    if (expr.indexVariable !== undefined) inner = inner.with(expr.indexVariable, undefined);
    const known = facts.and(this.guards.read(expr.range, scope));
    if (expr.filter) this.visit(expr.filter, known, inner, AS_CONDITION);
    const inBody = expr.filter ? known.and(this.guards.when(true, expr.filter, inner)) : known;
    this.visit(expr.body, inBody, inner, expr.operation === 'map' ? ANYWHERE : AS_CONDITION);
  }

  // ── one path ──

  private chain(expr: Expr, chain: Chain, facts: Facts, scope: Scope, place: Place): void {
    this.visit(chain.base, facts, scope, ANYWHERE);
    const root = scope.rootOf(chain.base, this.checked);
    if (!root) {
      this.emptyDefault(chain);
      return;
    }
    const path = [...root];
    for (const [index, step] of chain.steps.entries()) {
      if (step.optional) return;
      path.push(step.name);
      if (chain.test && index === chain.steps.length - 1) return;
      if (facts.has(path) || this.isAlwaysPresent(path) || this.isRequired(step.operand, step.name)) continue;
      this.report(expr, chain, index, path, facts, place);
      return;
    }
  }

  private isAlwaysPresent(path: readonly string[]): boolean {
    const below = path.slice(1).join('.');
    if (ALWAYS_PRESENT.includes(below)) return true;
    if (path[0] === 'metadata' && below === 'name') return true;
    return this.alwaysPresent.some((given) => {
      const subtree = given.at(-1) === '**';
      if (subtree ? path.length < given.length : path.length > given.length) return false;
      const named = subtree ? given.slice(0, -1) : given.slice(0, path.length);
      return named.every((name, index) => name === '*' || name === path[index]);
    });
  }

  private isRequired(operand: Expr, name: string): boolean {
    const type = this.checked.types.get(operand.id);
    return type?.fields?.get(name)?.required === true;
  }

  /** `x.?a.orValue({}).b`: the default has no field b. */
  private emptyDefault(chain: Chain): void {
    const defaulted = orValueCall(chain.base);
    const [first] = chain.steps;
    if (defaulted?.fallback.kind !== 'map' || defaulted.fallback.entries.length > 0 || !first) return;
    if (first.optional || (chain.test && chain.steps.length === 1)) return;
    const message = `the default {} has no field ${first.name}, and reading it is an error then`;
    this.warn(
      'unguarded_field',
      message,
      first.start,
      first.end,
      'select first, then give the default: .?field.orValue(…)',
    );
  }

  private report(expr: Expr, chain: Chain, index: number, path: readonly string[], facts: Facts, place: Place): void {
    const step = chain.steps[index]!;
    const missing = pathText(path).replace(/#\d+/, '');
    const guarded = this.guardedText(chain, index);
    const last = index === chain.steps.length - 1;
    if (place.nullTest && last) {
      const absent = place.nullTest.fn === '_==_';
      const test = `${absent ? '!' : ''}has(${this.source.slice(expr.start, expr.end)})`;
      const edit = { start: place.nullTest.start, end: place.nullTest.end, text: test };
      const message = `${missing} may be absent, which is an error here and not null`;
      this.warn('null_comparison', message, step.start, step.end, `test for it: ${test}`, edit);
      return;
    }
    const fallback = place.fallback === undefined ? undefined : `${guarded}.orValue(${place.fallback})`;
    if (chain.test) {
      const edit = this.optionals ? { start: expr.start, end: expr.end, text: `has(${guarded})` } : undefined;
      const hint = this.optionals ? `has(${guarded})` : `has(${missing}) && …`;
      this.warn(
        'has_on_wrong_level',
        `has() itself fails when ${missing} is absent`,
        step.start,
        step.end,
        `test it too: ${hint}`,
        edit,
      );
      return;
    }
    const hint = this.optionals ? `guard it: ${fallback ?? `${guarded}.orValue(…)`}` : `guard it: has(${missing}) && …`;
    const edit =
      this.optionals && fallback !== undefined ? { start: expr.start, end: expr.end, text: fallback } : undefined;
    const parent = path.slice(0, -1);
    if (facts.isTested(parent)) {
      const message = `a test of ${pathText(parent).replace(/#\d+/, '')} does not cover ${step.name}, which may be absent`;
      this.warn('has_on_wrong_level', message, step.start, step.end, hint, edit);
      return;
    }
    this.warn(
      'unguarded_field',
      `${missing} may be absent, and reading it is an error then`,
      step.start,
      step.end,
      hint,
      edit,
    );
  }

  /** The chain with `.?` from the first step that may be absent. */
  private guardedText(chain: Chain, from: number): string {
    let text = this.source.slice(chain.base.start, chain.base.end);
    for (const [index, step] of chain.steps.entries()) {
      const key = this.source.slice(step.start, step.end);
      const isTested = chain.test && index === chain.steps.length - 1;
      const mark = step.optional || (index >= from && !isTested) ? '?' : '';
      text += step.node.kind === 'select' ? `.${mark}${key}` : `[${mark}${key}]`;
    }
    return text;
  }

  private warn(
    code: Issue['code'],
    message: string,
    start: number,
    end: number,
    hint: string,
    edit?: Issue['edit'],
  ): void {
    this.issues.push(issueAt(this.source, 'warning', code, message, start, end, { hint, edit }));
  }
}
