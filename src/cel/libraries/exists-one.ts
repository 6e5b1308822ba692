import type { Library } from '../declarations.ts';

/** `existsOne`, the newer spelling of `exists_one`, in its one-variable form. A macro only. */
export function existsOneLibrary(): Library {
  return { name: 'exists-one', functions: [], macros: ['existsOne'] };
}
