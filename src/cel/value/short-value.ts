import { CelError } from '../error.ts';
import { CelType } from './cel-type.ts';
import { CelDouble, CelDuration, CelOpaque, CelOptional, type CelResult, CelTimestamp, CelUint } from './cel-value.ts';
import { isList, listItems } from './list.ts';
import { isMap, mapEntries } from './map.ts';

/** Longest value that is written out. */
const WIDTH = 60;

/** A value on one line, at most about 60 characters. */
export function shortValue(value: CelResult | undefined): string {
  const text = rendered(value);
  return text.length > WIDTH ? `${text.slice(0, WIDTH - 1)}…` : text;
}

/** Data with getters or proxies that throw are shown as `?`: an explanation is no place to fail. */
function rendered(value: CelResult | undefined): string {
  try {
    return render(value, 0);
  } catch {
    return '?';
  }
}

function render(value: CelResult | undefined, depth: number): string {
  if (value === undefined) return 'not evaluated';
  if (value instanceof CelError) return `error: ${value.message}`;
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth > 3) return '…';
  if (value instanceof CelDouble) return value.value.toFixed(1);
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof CelOptional) return value.present ? `optional(${render(value.value, depth + 1)})` : 'none';
  if (value instanceof CelType) return value.toString();
  if (value instanceof CelTimestamp)
    return new Date(value.seconds * 1000 + Math.trunc(value.nanos / 1e6)).toISOString();
  if (value instanceof CelDuration) return `${value.seconds + value.nanos / 1e9}s`;
  if (value instanceof CelOpaque) return value.text() ?? value.type.toString();
  if (value instanceof Uint8Array) return `bytes(${value.length})`;
  if (isList(value)) {
    const items = listItems(value);
    return `[${items
      .slice(0, 5)
      .map((item) => render(item, depth + 1))
      .join(', ')}${items.length > 5 ? ', …' : ''}]`;
  }
  if (!isMap(value)) return '?';
  const entries = mapEntries(value);
  const shown = entries
    .slice(0, 5)
    .map(({ key, value: each }) => `${render(key, depth + 1)}: ${render(each, depth + 1)}`);
  return `{${shown.join(', ')}${entries.length > 5 ? ', …' : ''}}`;
}
