import type { CallContext, FunctionDeclaration, Overload } from './declarations.ts';
import { CelError, thrownText } from './error.ts';
import { admit } from './evaluate/admit.ts';
import { parseTypeSpec, type TypeSpec } from './type-spec.ts';
import type { CelType } from './value/cel-type.ts';
import type { CelResult, CelValue } from './value/cel-value.ts';

/** A function of the caller's own. */
export interface FunctionDecl {
  readonly name: string;
  /** Called as `x.name(…)`; `params[0]` is then the receiver. Default false. */
  readonly member?: boolean;
  readonly params: readonly TypeSpec[];
  readonly result: TypeSpec;
  /** One sentence for `describe()` and for completions. */
  readonly doc?: string;
  /** Cost units of one call; default 1. */
  readonly cost?: number;
  /** Same arguments, same result: a call with constant arguments is evaluated once, at compile time. Default false. */
  readonly pure?: boolean;
  /** Synchronous. A throw becomes the error `function_threw`. */
  readonly impl: (...args: readonly CelValue[]) => CelResult;
}

/** Throws an `Error` when a type is none. */
export function userFunction(declared: FunctionDecl, types: ReadonlyMap<string, CelType>): FunctionDeclaration {
  const { name, member = false, pure = false, cost, doc } = declared;
  const params = declared.params.map((spec) => parseTypeSpec(spec, types));
  const impl = (_context: CallContext, ...args: readonly CelValue[]): CelResult => {
    try {
      const result = admit(declared.impl(...args));
      // A promise, a class instance, nothing at all: said here, where the function has a name.
      if (!(result instanceof CelError) || result.code !== 'invalid_binding') return result;
      return new CelError('function_threw', `${name}() gave no CEL value: ${result.message}`);
    } catch (thrown) {
      return new CelError('function_threw', `${name}() failed: ${thrownText(thrown)}`);
    }
  };
  const overload: Overload = { member, params, result: parseTypeSpec(declared.result, types), impl, pure };
  return {
    name,
    overloads: [overload],
    ...(cost === undefined ? {} : { cost: () => cost }),
    ...(doc === undefined ? {} : { doc }),
  };
}
