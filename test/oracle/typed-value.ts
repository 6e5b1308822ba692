import {
  CelDouble,
  CelDuration,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelType,
  CelUint,
  type CelValue,
} from '../../src/cel/index.ts';
import { CelConcatList, listItems } from '../../src/cel/value/list.ts';
import { isMap, mapEntries } from '../../src/cel/value/map.ts';
import { durationNanos } from '../../src/cel/value/time-range.ts';

/** A value as the oracle writes it: every value with its type, maps as sorted lists of entries. */
export function typedValue(value: CelValue): unknown {
  switch (typeof value) {
    case 'boolean':
      return { bool: value };
    case 'string':
      return { string: value };
    case 'bigint':
      return { int: String(value) };
    case 'number':
      return Number.isInteger(value) ? { int: String(value) } : { double: doubleText(value) };
    default:
      return value === null ? { null: true } : typedObject(value);
  }
}

/** As Go's strconv.FormatFloat(v, 'g', -1, 64). */
function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const [mantissa, exponent] = value.toExponential().split('e') as [string, string];
  const power = Number(exponent);
  const sign = power < 0 ? '-' : '+';
  if (power < -4 || power >= 6) return `${mantissa}e${sign}${String(Math.abs(power)).padStart(2, '0')}`;
  return Object.is(value, -0) ? '-0' : plainText(value);
}

function plainText(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(20).replace(/0+$/, '') : text;
}

function typedObject(value: object): unknown {
  if (Array.isArray(value) || value instanceof CelConcatList)
    return { list: listItems(value as CelConcatList).map(typedValue) };
  if (value instanceof CelDouble) return { double: doubleText(value.value) };
  if (value instanceof CelUint) return { uint: String(value.value) };
  if (value instanceof CelTimestamp) return { timestamp: `${value.seconds}.${String(value.nanos).padStart(9, '0')}` };
  if (value instanceof CelDuration) return { duration: String(durationNanos(value)) };
  if (value instanceof CelOptional) return { optional: value.present ? typedValue(value.value) : null };
  if (value instanceof CelType) return { type: value.name };
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') };
  if (value instanceof CelMap || isMap(value)) return { map: sortedEntries(value as CelMap) };
  return { opaque: value.constructor.name };
}

/** In the oracle's order: by the text of the key as Go prints it, `map[string:a]`. */
function sortedEntries(value: CelMap): unknown[] {
  const entries = mapEntries(value).map(({ key, value: each }) => [typedValue(key), typedValue(each)] as const);
  const rank = (key: unknown): string =>
    Object.entries(key as object)
      .map(([type, text]) => `map[${type}:${text}]`)
      .join();
  return entries.sort((a, b) => (rank(a[0]) < rank(b[0]) ? -1 : 1));
}
