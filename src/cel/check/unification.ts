import { CelType, DYN } from '../value/cel-type.ts';

/** True when the type is, or holds, a type parameter. */
export function isGeneric(type: CelType): boolean {
  if (type.kind === 'parameter') return true;
  const { params } = type;
  for (let index = 0; index < params.length; index += 1) if (isGeneric(params[index]!)) return true;
  return false;
}

/** Equality of types by structure; object types by their fields, so that two variables of one schema compare. */
export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.params.length !== b.params.length) return false;
  if (a.kind === 'object') return sameFields(a, b);
  if (a.name !== b.name) return false;
  for (let index = 0; index < a.params.length; index += 1) {
    if (!sameType(a.params[index]!, b.params[index]!)) return false;
  }
  return true;
}

function sameFields(a: CelType, b: CelType): boolean {
  if (!a.fields || !b.fields || a.fields === b.fields) return a.fields === b.fields;
  if (a.fields.size !== b.fields.size) return false;
  for (const [name, field] of a.fields) {
    const other = b.fields.get(name);
    if (!other || !sameType(field.type, other.type)) return false;
  }
  return true;
}

function isWild(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'error';
}

function isNullable(type: CelType): boolean {
  switch (type.kind) {
    case 'opaque':
    case 'optional':
    case 'object':
      return true;
    case 'primitive':
      return type.name === 'null_type' || type.name.startsWith('google.protobuf.');
    default:
      return false;
  }
}

/** The less specific of two types that are assignable to each other. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isEqualOrLessSpecific(a, b) ? a : b;
}

function isEqualOrLessSpecific(a: CelType, b: CelType): boolean {
  if (a.kind === 'dyn' || a.kind === 'parameter') return true;
  if (b.kind === 'dyn' || b.kind === 'parameter') return false;
  if (b.name === 'null_type') return isNullable(a);
  if (a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  if (a.params.length === 0) return sameType(a, b);
  return (
    a.name === b.name &&
    a.params.length === b.params.length &&
    a.params.every((each, index) => isEqualOrLessSpecific(each, b.params[index]!))
  );
}

/**
 * What is known of the type parameters of one expression. The rules are those of cel-go's checker: a parameter takes the
 * most general of the types it met; dyn and the error type go with everything.
 */
export class Unification {
  private readonly bindings = new Map<string, CelType>();
  private trail: { readonly name: string; readonly before: CelType | undefined }[] = [];
  private lastFresh = 0;

  /** A parameter no other type mentions. */
  fresh(): CelType {
    this.lastFresh += 1;
    return new CelType('parameter', `%${this.lastFresh}`);
  }

  /** The types with each of their parameters replaced by a fresh one, the same for the same name. */
  instantiate(types: readonly CelType[]): readonly CelType[] {
    const names = new Map<string, CelType>();
    return types.map((type) => this.renamed(type, names));
  }

  private renamed(type: CelType, names: Map<string, CelType>): CelType {
    if (type.kind === 'parameter') {
      const known = names.get(type.name);
      if (known) return known;
      const fresh = this.fresh();
      names.set(type.name, fresh);
      return fresh;
    }
    if (!isGeneric(type)) return type;
    return new CelType(
      type.kind,
      type.name,
      type.params.map((each) => this.renamed(each, names)),
      type.fields,
    );
  }

  /** Whether a value of one type may stand where the other is asked for; binds parameters, and nothing when it is not. */
  assignable(from: CelType, to: CelType): boolean {
    return this.attempt(() => this.unify(from, to));
  }

  /** `assignable` for the arguments of a call: all or nothing. */
  allAssignable(from: readonly CelType[], to: readonly CelType[]): boolean {
    if (from.length !== to.length) return false;
    return this.attempt(() => {
      for (let index = 0; index < from.length; index += 1) {
        if (!this.unify(from[index]!, to[index]!)) return false;
      }
      return true;
    });
  }

  /** `allAssignable` for types without parameters, which needs no way back. */
  fits(from: readonly CelType[], to: readonly CelType[]): boolean {
    return this.unifyParams(from, to);
  }

  private attempt(run: () => boolean): boolean {
    const outer = this.trail;
    this.trail = [];
    const success = run();
    if (!success) {
      for (const { name, before } of this.trail.reverse()) {
        if (before) this.bindings.set(name, before);
        else this.bindings.delete(name);
      }
    }
    this.trail = outer;
    return success;
  }

  private bind(name: string, type: CelType): void {
    this.trail.push({ name, before: this.bindings.get(name) });
    this.bindings.set(name, type);
  }

  private unify(from: CelType, to: CelType): boolean {
    if (from === to) return true;
    if (to.kind === 'parameter') {
      const bound = this.bindings.has(to.name);
      if (this.bindParameter(from, to)) return true;
      if (bound) return false;
    }
    if (from.kind === 'parameter') return this.bindParameter(to, from);
    if (isWild(from) || isWild(to)) return true;
    if (from.name === 'null_type') return isNullable(to);
    if (to.name === 'null_type') return isNullable(from);
    if (from.kind !== to.kind) return false;
    switch (from.kind) {
      case 'type':
        return true;
      case 'object':
        return sameType(from, to);
      case 'list':
      case 'map':
      case 'optional':
      case 'opaque':
        return from.name === to.name && this.unifyParams(from.params, to.params);
      default:
        return from.name === to.name;
    }
  }

  private unifyParams(from: readonly CelType[], to: readonly CelType[]): boolean {
    if (from.length !== to.length) return false;
    for (let index = 0; index < from.length; index += 1) {
      if (!this.unify(from[index]!, to[index]!)) return false;
    }
    return true;
  }

  private bindParameter(type: CelType, parameter: CelType): boolean {
    if (type.kind === 'parameter' && type.name === parameter.name) return true;
    const bound = this.bindings.get(parameter.name);
    if (bound) {
      if (sameType(type, bound)) return true;
      if (!this.unify(type, bound)) return false;
      this.bind(parameter.name, mostGeneral(type, bound));
      return true;
    }
    if (this.occurs(parameter.name, type)) return false;
    this.bind(parameter.name, type);
    return true;
  }

  /** A parameter bound to a type that holds it would be a type without end. */
  private occurs(name: string, type: CelType): boolean {
    if (type.kind === 'parameter') {
      if (type.name === name) return true;
      const bound = this.bindings.get(type.name);
      return bound !== undefined && this.occurs(name, bound);
    }
    return type.params.some((each) => this.occurs(name, each));
  }

  /** The type with known parameters filled in; unknown ones stay, or become dyn. */
  substitute(type: CelType, unknownToDyn: boolean): CelType {
    if (type.kind === 'parameter') {
      const bound = this.bindings.get(type.name);
      if (bound) return this.substitute(bound, unknownToDyn);
      return unknownToDyn ? DYN : type;
    }
    if (type.params.length === 0 || !isGeneric(type)) return type;
    return new CelType(
      type.kind,
      type.name,
      type.params.map((each) => this.substitute(each, unknownToDyn)),
      type.fields,
    );
  }
}
