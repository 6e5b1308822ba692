import { check } from '../../src/cel/check/checker.ts';
import { createEnvironment, type Environment } from '../../src/cel/environment.ts';
import { CelError } from '../../src/cel/error.ts';
import type { Issue, IssueCode } from '../../src/cel/issue.ts';
import { parse } from '../../src/cel/syntax/parser.ts';
import type { CelType } from '../../src/cel/value/cel-type.ts';
import type { CelResult, CelValue } from '../../src/cel/value/cel-value.ts';
import type { CaseInput, ConformanceCase } from './cases.ts';
import { OutOfScope } from './decode.ts';
import { declarationsWith } from './own-functions.ts';
import { describeValue, sameValue } from './same-value.ts';

/** `code`: the strict profile with generated code. */
export type Profile = 'spec' | 'convoy' | 'code';

/** Why a case failed; undefined when it passed. Cases outside the scope fail for that reason. */
export function runCase(test: ConformanceCase, profile: Profile): string | undefined {
  if (test.input instanceof OutOfScope) return `needs a ${test.input.reason}`;
  const { input } = test;
  if (input.functions.length > 0) return typeWithOwnFunctions(test, input);
  const compiled = environmentFor(test, input, profile).compile(test.expr, { check: test.checked });
  if (!compiled.ok) return refused(input, compiled.issues);
  const { program } = compiled;
  const { expected } = input;
  if (expected.kind === 'type') {
    const wrong = typeFailure(expected.type, program.resultType);
    if (wrong || expected.value === undefined) return wrong;
    return valueFailure(expected.value, program.evaluate(input.bindings));
  }
  const result = program.evaluate(input.bindings);
  if (expected.kind === 'value') return valueFailure(expected.value, result);
  return result instanceof CelError ? undefined : `expected an error, got ${describeValue(result)}`;
}

/** An expression that is refused for want of syntax, a macro or a function must not pass as an expected error. */
const WANTING: readonly IssueCode[] = ['syntax', 'invalid_macro', 'undeclared_reference', 'not_supported'];

function refused(input: CaseInput, issues: readonly Issue[]): string | undefined {
  const [first] = issues;
  const text = `does not compile: ${first?.code} ${first?.message}`;
  if (input.expected.kind !== 'error') return text;
  return WANTING.includes(first?.code ?? 'syntax') ? text : undefined;
}

function typeFailure(expected: CelType, actual: CelType): string | undefined {
  return String(expected) === String(actual) ? undefined : `expected type ${expected}, got ${actual}`;
}

function valueFailure(expected: CelValue, result: CelResult): string | undefined {
  if (result instanceof CelError) return `expected ${describeValue(expected)}, got ${result.code}: ${result.message}`;
  return sameValue(expected, result) ? undefined : `expected ${describeValue(expected)}, got ${describeValue(result)}`;
}

const environments = new Map<string, Environment>();

function environmentFor(test: ConformanceCase, input: CaseInput, profile: Profile): Environment {
  const variables: Record<string, string> = {};
  for (const [name, type] of input.variables) variables[name] = String(type);
  for (const name of Object.keys(input.bindings)) variables[name] ??= 'dyn';
  const key = JSON.stringify([profile, test.container, variables]);
  let environment = environments.get(key);
  if (!environment) {
    const libraries = profile === 'convoy' ? ['+block'] : [];
    const version = profile === 'convoy' ? 'convoy' : 'spec';
    const codegen = profile === 'code' && 'eager';
    environment = createEnvironment({ version, variables, libraries, container: test.container, codegen });
    environments.set(key, environment);
  }
  return environment;
}

/** Cases that declare functions ask for types only, and for types that no public declaration can write (`tuple(A, B)`). */
function typeWithOwnFunctions(test: ConformanceCase, input: CaseInput): string | undefined {
  const { expected } = input;
  if (expected.kind !== 'type' || !test.checkOnly) return 'declares functions that would have to be evaluated';
  const declarations = declarationsWith(input.functions);
  const { ast, issues } = parse(test.expr, declarations);
  if (!ast) return refused(input, issues);
  const result = check(ast, declarations);
  return result.checked ? typeFailure(expected.type, result.checked.resultType) : refused(input, result.issues);
}
