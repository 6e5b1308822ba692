import type { Declarations, FunctionDeclaration, Reference } from '../declarations.ts';
import type { Expr } from '../syntax/ast.ts';
import { type CelType, typeOfType } from '../value/cel-type.ts';

/** What a name stands for: its reference (none for iteration variables) and its type. */
export interface Meaning {
  readonly reference: Reference | undefined;
  readonly type: CelType;
}

/** First segments of the dotted names of an environment: other roots need no look-up of qualified names. */
interface DottedRoots {
  readonly values: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
}

const dottedRoots = new WeakMap<Declarations, DottedRoots>();

function dottedRootsOf(declarations: Declarations): DottedRoots {
  const known = dottedRoots.get(declarations);
  if (known) return known;
  const values = new Set<string>();
  const functions = new Set<string>();
  const add = (roots: Set<string>, name: string): void => {
    const dot = name.indexOf('.');
    if (dot > 0) roots.add(name.slice(0, dot));
  };
  for (const name of declarations.variables.keys()) add(values, name);
  for (const name of declarations.types.keys()) add(values, name);
  for (const name of declarations.functions.keys()) add(functions, name);
  const roots = { values, functions };
  dottedRoots.set(declarations, roots);
  return roots;
}

/**
 * Finds what names mean: iteration variables first, then the longest qualified name, under each prefix of the container
 * from the longest to none, variables before types. A leading dot asks for the root scope.
 */
export class Names {
  private readonly declarations: Declarations;
  private readonly roots: DottedRoots;
  private readonly containers: readonly string[];
  private readonly localNames: string[] = [];
  private readonly localTypes: CelType[] = [];

  constructor(declarations: Declarations) {
    this.declarations = declarations;
    this.roots = dottedRootsOf(declarations);
    const parts = declarations.container === '' ? [] : declarations.container.split('.');
    this.containers = parts.map((_, index) => `${parts.slice(0, parts.length - index).join('.')}.`);
  }

  enter(name: string, type: CelType): void {
    this.localNames.push(name);
    this.localTypes.push(type);
  }

  leave(count: number): void {
    this.localNames.length -= count;
    this.localTypes.length -= count;
  }

  private localType(name: string): CelType | undefined {
    const index = this.localNames.lastIndexOf(name);
    return index < 0 ? undefined : this.localTypes[index];
  }

  identifier(name: string): Meaning | undefined {
    const local = this.localType(name);
    if (local) return { reference: undefined, type: local };
    return this.declared(name);
  }

  /** What a chain of plain selections means as one name; undefined when it is none. */
  qualified(expr: Expr): Meaning | undefined {
    const root = rootName(expr);
    if (root === undefined || this.localNames.includes(root)) return undefined;
    if (this.containers.length === 0 && !this.roots.values.has(withoutDot(root))) return undefined;
    const name = qualifiedName(expr);
    return name === undefined ? undefined : this.declared(name);
  }

  /** The function a member call names when its target is a namespace: `math.abs`. */
  namespaced(target: Expr, fn: string): FunctionDeclaration | undefined {
    const root = rootName(target);
    if (root === undefined || this.localNames.includes(root)) return undefined;
    if (this.containers.length === 0 && !this.roots.functions.has(withoutDot(root))) return undefined;
    const prefix = qualifiedName(target);
    return prefix === undefined ? undefined : this.function(`${prefix}.${fn}`);
  }

  function(name: string): FunctionDeclaration | undefined {
    const { functions } = this.declarations;
    if (name.startsWith('.')) return functions.get(name.slice(1));
    for (const container of this.containers) {
      const found = functions.get(container + name);
      if (found) return found;
    }
    return functions.get(name);
  }

  private declared(name: string): Meaning | undefined {
    if (name.startsWith('.')) return this.exact(name.slice(1));
    for (const container of this.containers) {
      const found = this.exact(container + name);
      if (found) return found;
    }
    return this.exact(name);
  }

  private exact(name: string): Meaning | undefined {
    const variable = this.declarations.variables.get(name);
    if (variable) return { reference: { kind: 'variable', name }, type: variable };
    const type = this.declarations.types.get(name);
    return type && { reference: { kind: 'type', type }, type: typeOfType(type) };
  }

  /** Names a person could have meant. */
  *known(): Iterable<string> {
    yield* this.localNames;
    yield* this.declarations.variables.keys();
    yield* this.declarations.types.keys();
  }
}

function withoutDot(name: string): string {
  return name.startsWith('.') ? name.slice(1) : name;
}

function rootName(expr: Expr): string | undefined {
  let at = expr;
  while (at.kind === 'select') {
    if (at.test || at.optional || at.quoted) return undefined;
    at = at.operand;
  }
  return at.kind === 'ident' ? at.name : undefined;
}

function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select') return undefined;
  const operand = qualifiedName(expr.operand);
  return operand === undefined ? undefined : `${operand}.${expr.field}`;
}
