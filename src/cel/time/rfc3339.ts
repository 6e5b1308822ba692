import { CelError } from '../error.ts';
import type { CelTimestamp } from '../value/cel-value.ts';
import { checkTimestamp } from '../value/time-range.ts';
import { civilFromSeconds, isRealDate, secondsFromCivil } from './civil.ts';

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

/**
 * A timestamp of RFC 3339 text with `T` and a zone; digits beyond nanoseconds are cut. `bad_conversion` when it is none,
 * `timestamp_overflow` outside the years 1–9999.
 */
export function parseTimestamp(text: string): CelTimestamp | CelError {
  const match = RFC3339.exec(text);
  if (match === null) return notRfc3339();
  const part = (group: number): number => Number(match[group] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const [offsetHours, offsetMinutes] = [part(9), part(10)];
  const realTime = hour <= 23 && minute <= 59 && second <= 59 && offsetHours <= 23 && offsetMinutes <= 59;
  if (!realTime || !isRealDate(year, month, day)) return notRfc3339();
  const offset = (match[8] === '-' ? -1 : 1) * (offsetHours * 60 + offsetMinutes);
  const nanos = Number((match[7] ?? '').slice(0, 9).padEnd(9, '0'));
  const local = secondsFromCivil({ year, month, day, hour, minute, second });
  return checkTimestamp(local - offset * 60, nanos, offset + 0);
}

function notRfc3339(): CelError {
  return new CelError('bad_conversion', 'the string is no RFC 3339 timestamp such as 2024-01-31T12:00:00Z');
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

/** `.` and the nanoseconds without trailing zeros, or nothing. */
function fraction(nanos: number): string {
  return nanos === 0 ? '' : `.${digits(nanos, 9).replace(/0+$/, '')}`;
}

/** RFC 3339 text in the timestamp's own offset, `Z` for zero, with up to 9 fraction digits and no trailing zeros. */
export function formatTimestamp(timestamp: CelTimestamp, offset: number = timestamp.offset): string {
  const time = civilFromSeconds(timestamp.seconds + offset * 60);
  const date = `${digits(time.year, 4)}-${digits(time.month, 2)}-${digits(time.day, 2)}`;
  const clock = `${digits(time.hour, 2)}:${digits(time.minute, 2)}:${digits(time.second, 2)}`;
  const minutes = Math.abs(offset);
  const zone = `${offset < 0 ? '-' : '+'}${digits(Math.floor(minutes / 60), 2)}:${digits(minutes % 60, 2)}`;
  return `${date}T${clock}${fraction(timestamp.nanos)}${offset === 0 ? 'Z' : zone}`;
}
