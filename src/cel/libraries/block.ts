import type { Library } from '../declarations.ts';
import { BLOCK_MACROS } from '../syntax/macros.ts';

/** `cel.block` and its names, the written form of shared sub-expressions. Macros only; off unless asked for. */
export function blockLibrary(): Library {
  return { name: 'block', functions: [], macros: BLOCK_MACROS };
}
