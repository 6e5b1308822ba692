import type { Library } from '../declarations.ts';

/** `cel.bind(x, init, e)` (cel-go ext, version 1). A macro only. */
export function bindingsLibrary(): Library {
  return { name: 'bindings', functions: [], macros: ['cel.bind'] };
}
