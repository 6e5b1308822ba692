import type { CallContext, Declarations } from '../declarations.ts';
import { librariesOf } from '../libraries/version-sets.ts';
import { operatorDeclarations } from '../operators.ts';
import { RegexCache } from '../regex/regex-cache.ts';
import { parse } from '../syntax/parser.ts';
import { parseTypeSpec, STANDARD_TYPES } from '../type-spec.ts';
import type { CelType } from '../value/cel-type.ts';
import { check } from './checker.ts';

const { libraries } = librariesOf('convoy', ['+block'], { referenceCosts: false });
const functions = new Map(operatorDeclarations(true).map((fn) => [fn.name, fn]));
for (const fn of libraries.flatMap((library) => library.functions)) {
  const known = functions.get(fn.name);
  functions.set(fn.name, known ? { ...known, overloads: [...known.overloads, ...fn.overloads] } : fn);
}
const types = new Map(
  [...STANDARD_TYPES, ...libraries.flatMap((library) => library.types ?? [])].map((type) => [type.name, type]),
);

/** The default environment with the variables given, as type texts or types. */
export function declare(
  variables: Readonly<Record<string, string | CelType>> = {},
  adjusted: Partial<Declarations> = {},
): Declarations {
  return {
    variables: new Map(
      Object.entries(variables).map(([name, type]) => [
        name,
        typeof type === 'string' ? parseTypeSpec(type, types) : type,
      ]),
    ),
    functions,
    types,
    macros: new Set(libraries.flatMap(({ macros }) => macros ?? [])),
    container: '',
    quotedFields: true,
    homogeneousLiterals: false,
    validateLiterals: true,
    validatePatterns: true,
    strict: false,
    limits: { depth: 250, expressionLength: 100_000, nodes: 50_000, comprehensionNesting: 8 },
    ...adjusted,
  };
}

/** For trying constant arguments. */
export function context(): CallContext {
  const regexes = new RegexCache(1_000);
  return { work: () => undefined, regex: (pattern) => regexes.get(pattern), strict: false };
}

/** The deduced type as text, or the issues as `line:column code message | hint`. */
export function verdict(source: string, declarations: Declarations, resultType?: CelType): string | string[] {
  const { ast, issues } = parse(source, declarations);
  if (!ast) throw new Error(`${source}: ${issues[0]?.message}`);
  const options = resultType ? { context: context(), resultType } : { context: context() };
  const result = check(ast, declarations, options);
  if (result.checked) return String(result.checked.resultType);
  return result.issues.map(
    ({ line, column, code, message, hint }) => `${line}:${column} ${code} ${message}${hint ? ` | ${hint}` : ''}`,
  );
}
