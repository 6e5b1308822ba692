import type { Declarations, FunctionDeclaration } from '../../src/cel/declarations.ts';
import { CelError } from '../../src/cel/error.ts';
import { standardLibrary } from '../../src/cel/libraries/standard.ts';
import { operatorDeclarations } from '../../src/cel/operators.ts';
import { ALL_MACROS } from '../../src/cel/syntax/macros.ts';
import { STANDARD_TYPES } from '../../src/cel/type-spec.ts';
import type { DeclaredFunction } from './cases.ts';

/** The standard library with functions of a case's own beside it, to be checked and never called. */
export function declarationsWith(functions: readonly DeclaredFunction[]): Declarations {
  const byName = new Map<string, FunctionDeclaration>();
  const standard = [...operatorDeclarations(true), ...standardLibrary().functions];
  for (const fn of standard) byName.set(fn.name, fn);
  const impl = () => new CelError('internal', 'a function that is only checked was called');
  for (const { name, overloads } of functions) {
    byName.set(name, { name, overloads: overloads.map((each) => ({ ...each, impl })) });
  }
  return {
    variables: new Map(),
    functions: byName,
    types: new Map(STANDARD_TYPES.map((type) => [type.name, type])),
    macros: new Set(ALL_MACROS),
    container: '',
    quotedFields: true,
    homogeneousLiterals: false,
    validateLiterals: false,
    validatePatterns: false,
    strict: true,
    limits: { depth: 250, expressionLength: 100_000, nodes: 50_000, comprehensionNesting: 8 },
  };
}
