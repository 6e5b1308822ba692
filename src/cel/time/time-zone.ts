import { CelError } from '../error.ts';
import type { CelTimestamp } from '../value/cel-value.ts';
import { type CivilTime, civilFromSeconds } from './civil.ts';

const FIXED_OFFSET = /^([+-]?)(\d\d?):(\d\d)$/;
const CAPACITY = 64;
/** One formatter per IANA zone, as making one is slow; null for a name the host does not know. */
const formatters = new Map<string, Intl.DateTimeFormat | null>();

/** Date and time of an instant in a zone: an IANA name, or `[+-]HH:MM` with optional sign. `bad_timezone` for others. */
export function civilInZone(timestamp: CelTimestamp, zone: string): CivilTime | CelError {
  if (zone === '' || zone === 'UTC') return civilFromSeconds(timestamp.seconds);
  const fixed = FIXED_OFFSET.exec(zone);
  if (fixed !== null) {
    const [, sign, hours, minutes] = fixed;
    if (Number(hours) > 23 || Number(minutes) > 59) return unknownZone();
    const offset = Number(hours) * 3600 + Number(minutes) * 60;
    return civilFromSeconds(timestamp.seconds + (sign === '-' ? -offset : offset));
  }
  const formatter = formatterOf(zone);
  return formatter === null ? unknownZone() : civilOf(formatter, timestamp.seconds);
}

function unknownZone(): CelError {
  return new CelError('bad_timezone', 'unknown time zone: an IANA name such as Europe/Berlin, or +02:00');
}

function formatterOf(zone: string): Intl.DateTimeFormat | null {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const made = makeFormatter(zone);
  if (formatters.size >= CAPACITY) formatters.clear();
  formatters.set(zone, made);
  return made;
}

function makeFormatter(zone: string): Intl.DateTimeFormat | null {
  // Names only, as the zone files have them: the host also takes +0100 and utc, which the reference refuses.
  if (!/^[A-Z]/.test(zone)) return null;
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return null; // RangeError: the only way to learn that a zone is unknown
  }
}

function civilOf(formatter: Intl.DateTimeFormat, seconds: number): CivilTime {
  const parts: Record<string, string> = {};
  for (const part of formatter.formatToParts(seconds * 1000)) parts[part.type] = part.value;
  const year = Number(parts['year']);
  return {
    year: parts['era'] === 'BC' ? 1 - year : year,
    month: Number(parts['month']),
    day: Number(parts['day']),
    hour: Number(parts['hour']),
    minute: Number(parts['minute']),
    second: Number(parts['second']),
  };
}
