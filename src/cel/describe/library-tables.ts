import type { LibraryDocs } from './library-docs.ts';
import { CIDR, FORMAT, IP, QUANTITY, SEMVER } from './tables/kubernetes.ts';
import { KUBERNETES_LISTS, LISTS, SETS } from './tables/lists.ts';
import { MATH } from './tables/math.ts';
import { OPTIONAL_TYPES } from './tables/optional.ts';
import { BINDINGS, BLOCK, EXISTS_ONE, STANDARD, TWO_VARIABLE } from './tables/standard.ts';
import { ENCODERS, JSONPATCH, KUBERNETES_REGEX, REGEX, STRINGS, URLS } from './tables/texts.ts';

/** What is told of each library, by the name that adjustments use. */
export const LIBRARY_DOCS: Readonly<Record<string, LibraryDocs>> = {
  std: STANDARD,
  'exists-one': EXISTS_ONE,
  'two-variable': TWO_VARIABLE,
  optional: OPTIONAL_TYPES,
  bindings: BINDINGS,
  strings: STRINGS,
  'kubernetes.regex': KUBERNETES_REGEX,
  regex: REGEX,
  'kubernetes.lists': KUBERNETES_LISTS,
  lists: LISTS,
  sets: SETS,
  math: MATH,
  encoders: ENCODERS,
  urls: URLS,
  ip: IP,
  cidr: CIDR,
  quantity: QUANTITY,
  semver: SEMVER,
  format: FORMAT,
  jsonpatch: JSONPATCH,
  block: BLOCK,
};
