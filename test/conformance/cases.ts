import { getConformanceSuite, type IncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import type { CelType } from '../../src/cel/value/cel-type.ts';
import type { CelValue } from '../../src/cel/value/cel-value.ts';
import { decodeExpr, decodeType, decodeValue, OutOfScope, type ProtoType } from './decode.ts';

/** What a case asks for: a value, any error, or the deduced type (with a value when it is also evaluated). */
export type Expected =
  | { readonly kind: 'value'; readonly value: CelValue }
  | { readonly kind: 'error' }
  | { readonly kind: 'type'; readonly type: CelType; readonly value: CelValue | undefined };

export interface DeclaredFunction {
  readonly name: string;
  readonly overloads: readonly {
    readonly id: string;
    readonly member: boolean;
    readonly params: readonly CelType[];
    readonly result: CelType;
  }[];
}

/** The part of a case that can be stated without protocol buffers. */
export interface CaseInput {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly functions: readonly DeclaredFunction[];
  /** A binding may be an error (`x` is bound to "no value"). */
  readonly bindings: Readonly<Record<string, CelValue>>;
  readonly expected: Expected;
}

export interface ConformanceCase {
  /** `file/section/name`, with `#n` for the n-th of the same name. */
  readonly id: string;
  readonly file: string;
  readonly section: string;
  readonly expr: string;
  readonly container: string;
  readonly checked: boolean;
  readonly checkOnly: boolean;
  readonly disableMacros: boolean;
  /** `OutOfScope` when its declarations, bindings or result need a message, an enum or a wrapper. */
  readonly input: CaseInput | OutOfScope;
}

type Original = IncrementalTestSuite['tests'][number]['original'];

/** All cases of the specification's test data, in its order. */
export function loadCases(): readonly ConformanceCase[] {
  const cases: ConformanceCase[] = [];
  const seen = new Map<string, number>();
  for (const file of getConformanceSuite().suites) {
    for (const section of file.suites) {
      for (const { original } of section.tests) {
        const base = `${file.name}/${section.name}/${original.name}`;
        const count = (seen.get(base) ?? 0) + 1;
        seen.set(base, count);
        cases.push(toCase(original, count === 1 ? base : `${base}#${count}`, file.name, section.name));
      }
    }
  }
  return cases;
}

function toCase(original: Original, id: string, file: string, section: string): ConformanceCase {
  const { expr, container, disableCheck, checkOnly, disableMacros } = original;
  return {
    id,
    file,
    section,
    expr,
    container,
    checked: !disableCheck,
    checkOnly,
    disableMacros,
    input: inputOf(original),
  };
}

function inputOf(original: Original): CaseInput | OutOfScope {
  try {
    const variables = new Map<string, CelType>();
    const functions: DeclaredFunction[] = [];
    for (const { name, declKind } of original.typeEnv) {
      if (declKind.case === 'ident') variables.set(name, decodeType(declKind.value.type));
      if (declKind.case === 'function') functions.push(declaredFunction(name, declKind.value.overloads));
    }
    const bindings: Record<string, CelValue> = {};
    for (const [name, value] of Object.entries(original.bindings)) bindings[name] = decodeExpr(value);
    return { variables, functions, bindings, expected: expectedOf(original) };
  } catch (thrown) {
    if (thrown instanceof OutOfScope) return thrown;
    throw thrown;
  }
}

interface ProtoOverload {
  readonly overloadId: string;
  readonly isInstanceFunction: boolean;
  readonly params: readonly ProtoType[];
  readonly resultType?: ProtoType | undefined;
}

function declaredFunction(name: string, overloads: readonly ProtoOverload[]): DeclaredFunction {
  return {
    name,
    overloads: overloads.map(({ overloadId, isInstanceFunction, params, resultType }) => ({
      id: overloadId,
      member: isInstanceFunction,
      params: params.map(decodeType),
      result: decodeType(resultType),
    })),
  };
}

function expectedOf(original: Original): Expected {
  const { resultMatcher: matcher } = original;
  switch (matcher.case) {
    case undefined:
      return { kind: 'value', value: true };
    case 'value':
      return { kind: 'value', value: decodeValue(matcher.value) };
    case 'evalError':
      return { kind: 'error' };
    case 'typedResult': {
      const { result, deducedType } = matcher.value;
      const value = result === undefined ? undefined : decodeValue(result);
      return { kind: 'type', type: decodeType(deducedType), value };
    }
    default:
      throw new Error(`${original.name}: no rule for the matcher ${matcher.case}`);
  }
}
