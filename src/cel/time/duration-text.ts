import { CelError } from '../error.ts';
import type { CelDuration } from '../value/cel-value.ts';
import { durationOfNanos } from '../value/time-range.ts';

/** Nanoseconds per unit, as Go's `time.ParseDuration` knows them; both micro signs. There is no `d`. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['ns', 1],
  ['us', 1e3],
  ['µs', 1e3],
  ['μs', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['m', 6e10],
  ['h', 3.6e12],
]);

const WHOLE = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)[a-zµμ]+)+)$/u;
const PART = /(\d*)(?:\.(\d*))?([a-zµμ]+)/gu;

/**
 * A duration of Go's notation: an optional sign, then numbers with units (`1h30m`, `1.5s`, `-250ms`), or `0`.
 * `bad_conversion` when it is none or does not fit int64 nanoseconds. Fractions are computed as Go does, in double.
 */
export function parseDuration(text: string): CelDuration | CelError {
  if (text === '0' || text === '+0' || text === '-0') return durationOfNanos(0n);
  const match = WHOLE.exec(text);
  if (match === null) return notDuration();
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of (match[2] ?? '').matchAll(PART)) {
    const scale = UNITS.get(unit);
    const digits = whole.replace(/^0+/, '');
    // Twenty digits overflow int64 even as nanoseconds.
    if (scale === undefined || digits.length > 19) return notDuration();
    nanos += BigInt(digits) * BigInt(scale) + BigInt(fractionNanos(fraction, scale));
  }
  const duration = durationOfNanos(match[1] === '-' ? -nanos : nanos);
  return duration instanceof CelError ? notDuration() : duration;
}

function fractionNanos(fraction: string, scale: number): number {
  // Eighteen digits always fit int64; Go drops what does not.
  const digits = fraction.slice(0, 18);
  return digits === '' ? 0 : Math.trunc(Number(digits) * (scale / 10 ** digits.length));
}

function notDuration(): CelError {
  return new CelError('bad_conversion', 'the string is no duration such as 1h30m or 1.5s');
}

/** Seconds as the shortest decimal that reads back, and `s`: `5400s`, `1.5s` (the reference computes it in double). */
export function formatDuration(duration: CelDuration): string {
  const seconds = duration.seconds + duration.nanos / 1e9;
  const text = String(seconds);
  return `${text.includes('e') ? plain(seconds) : text}s`;
}

/** Below a microsecond JavaScript writes an exponent; nine fraction digits hold every nanosecond. */
function plain(seconds: number): string {
  return seconds.toFixed(9).replace(/0+$/, '');
}
