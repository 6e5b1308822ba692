import { ConvoyError } from '../../core/errors/index.ts';
import { parseDeadline } from '../../core/health/deadline.ts';

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|[+-](\d\d):(\d\d))$/;

const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Milliseconds since 1970 of an RFC 3339 time. Throws TimeInvalid for anything else, a 30th of February too. */
export function parseTime(flag: string, value: string): number {
  const match = RFC_3339.exec(value);
  const [, year, month, day, hour, minute, second, offsetHour, offsetMinute] = (match ?? []).map(Number);
  const fits = (part: number | undefined, limit: number): boolean => !(part !== undefined && part > limit);
  const exists =
    match !== null &&
    year !== undefined &&
    month !== undefined &&
    day !== undefined &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysIn(year, month) &&
    fits(hour, 23) &&
    fits(minute, 59) &&
    fits(second, 59) &&
    fits(offsetHour, 23) &&
    fits(offsetMinute, 59);
  if (!exists) throw new ConvoyError('TimeInvalid', { flag, value });
  const time = Date.parse(value.toUpperCase().replace(' ', 'T'));
  // The years that a timestamp of CEL can have.
  if (time < FIRST || time > LAST) throw new ConvoyError('TimeInvalid', { flag, value });
  return time;
}

/** Milliseconds of the value of `--deadline`. Throws DurationInvalid. */
export function parseDeadlineFlag(value: string, command: string): number {
  const deadline = parseDeadline(value);
  if (typeof deadline === 'number') return deadline;
  throw new ConvoyError('DurationInvalid', { reason: `--${deadline.problem}`, command });
}
