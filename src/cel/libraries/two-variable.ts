import type { Library } from '../declarations.ts';
import { TWO_VARIABLE_MACROS } from '../syntax/macros.ts';

/** Comprehensions with index and element, or key and value (cel-go ext, version 0). Macros only. */
export function twoVariableLibrary(): Library {
  return { name: 'two-variable', functions: [], macros: TWO_VARIABLE_MACROS };
}
