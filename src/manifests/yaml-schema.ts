import {
  boolYaml11Tag,
  defineMappingTag,
  defineScalarTag,
  defineSequenceTag,
  mapTag,
  mergeTag,
  NOT_RESOLVED,
  nullYaml11Tag,
  Schema,
  seqTag,
  strTag,
} from 'js-yaml';
import { kubernetesInteger } from '../core/object/kubernetes-integer.ts';

/**
 * YAML as kubectl reads it: sigs.k8s.io/yaml, a fork of go-yaml v2. Its resolver (resolve.go) is YAML 1.1 with numbers in the
 * form of Go's strconv.ParseInt(text, 0, 64), without sexagesimal numbers, and with timestamps left as strings.
 */

const NUMBER_STARTS = [...'+-.0123456789'];
const DECIMAL = /^[-+]?(?:0|[1-9][0-9]*)$/;
const PREFIXED = /^([-+]?)0(?:[xX]([0-9a-fA-F]+)|[bB]([01]+)|[oO]?([0-7]+))$/;
/** yamlStyleFloat of resolve.go. */
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** Numbers that JSON cannot hold; a text of this form stops the document. */
export const NOT_FINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
/** Characters of a 64-bit integer in any base, with a prefix; making a number of more is not worth its time. */
const LONGEST_INTEGER = 80;
/** strconv.ParseUint: a prefixed number has at most 64 bits, else it stays a string. */
const LARGEST_PREFIXED = 2n ** 64n - 1n;

/** Thrown for .inf and .nan, which the schema itself cannot give a position. */
export class NotFiniteError extends Error {}

function prefixedInteger(text: string): number | bigint | typeof NOT_RESOLVED {
  const [, sign, hexadecimal, binary, octal] = PREFIXED.exec(text) ?? [];
  const digits = hexadecimal ? `0x${hexadecimal}` : binary ? `0b${binary}` : octal ? `0o${octal}` : undefined;
  if (digits === undefined || digits.length > LONGEST_INTEGER) return NOT_RESOLVED;
  const magnitude = BigInt(digits);
  if (magnitude > LARGEST_PREFIXED) return NOT_RESOLVED;
  return kubernetesInteger(sign === '-' ? -magnitude : magnitude);
}

/** The number that a plain scalar stands for: `010` and `0o10` are 8, `1_000` is 1000, `08` is 8, `1e3` is 1000. */
export function resolveNumber(source: string): number | bigint | typeof NOT_RESOLVED {
  // Underscores count only after a first character that can start a number; a leading dot is parsed without removing them.
  const text = source.startsWith('.') ? source : source.replaceAll('_', '');
  if (text.length <= LONGEST_INTEGER && DECIMAL.test(text)) {
    return text.length < 16 ? Number(text) : kubernetesInteger(BigInt(text.startsWith('+') ? text.slice(1) : text));
  }
  const prefixed = prefixedInteger(text);
  if (prefixed !== NOT_RESOLVED) return prefixed;
  if (FLOAT.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : NOT_RESOLVED;
  }
  if (NOT_FINITE.test(source)) throw new NotFiniteError(source);
  return NOT_RESOLVED;
}

const never = (): boolean => false;

const numberTag = defineScalarTag('tag:yaml.org,2002:int', {
  implicit: true,
  implicitFirstChars: NUMBER_STARTS,
  resolve: resolveNumber,
  identify: never,
});

const explicitFloatTag = defineScalarTag('tag:yaml.org,2002:float', { resolve: resolveNumber, identify: never });

const binaryAsTextTag = defineScalarTag('tag:yaml.org,2002:binary', {
  resolve: (source) => {
    const text = source.replace(/\s/g, '');
    if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return NOT_RESOLVED;
    return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
  },
  identify: never,
});

/** A key of any scalar type becomes the string that JSON would need; null and collections cannot be keys. */
const kubernetesMapTag = defineMappingTag<Record<string, unknown>>('tag:yaml.org,2002:map', {
  create: () => ({}),
  addPair: (carrier, key, value) => (key === null ? 'null cannot be a key' : mapTag.addPair(carrier, key, value)),
  has: mapTag.has,
  keys: mapTag.keys,
  get: mapTag.get,
  identify: never,
});

/** go-yaml leaves what an unknown tag (`!Ref`, `!!timestamp`) marks as it is: a string, a list or a map. */
const anyTag = { matchByTagPrefix: true, identify: never } as const;
const anyScalarTag = defineScalarTag('', { ...anyTag, resolve: (source) => source });
const anySequenceTag = defineSequenceTag<unknown[]>('', { ...anyTag, create: () => [], addItem: seqTag.addItem });
const anyMappingTag = defineMappingTag<Record<string, unknown>>('', {
  ...anyTag,
  create: kubernetesMapTag.create,
  addPair: kubernetesMapTag.addPair,
  has: mapTag.has,
  keys: mapTag.keys,
  get: mapTag.get,
});

export const KUBERNETES_SCHEMA = new Schema([
  strTag,
  seqTag,
  kubernetesMapTag,
  mergeTag,
  nullYaml11Tag,
  boolYaml11Tag,
  numberTag,
  explicitFloatTag,
  binaryAsTextTag,
  anyScalarTag,
  anySequenceTag,
  anyMappingTag,
]);
