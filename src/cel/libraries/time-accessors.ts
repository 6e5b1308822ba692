import type { CallContext, FunctionDeclaration } from '../declarations.ts';
import { CelError } from '../error.ts';
import { type CivilTime, civilFromSeconds, dayOfWeek, dayOfYear } from '../time/civil.ts';
import { civilInZone } from '../time/time-zone.ts';
import { DURATION, INT, STRING, TIMESTAMP } from '../value/cel-type.ts';
import type { CelDuration, CelTimestamp } from '../value/cel-value.ts';
import { intFromBigInt } from '../value/number.ts';
import { durationNanos } from '../value/time-range.ts';
import { declare, memberForm } from './declare.ts';

type Part = (time: CivilTime, nanos: number) => number;

/** A part of a timestamp and, where it has one, the unit in nanoseconds that the same name counts in a duration. */
type Row = readonly [name: string, id: string, doc: string, part: Part, durationUnit?: bigint];

const ROWS: readonly Row[] = [
  ['getFullYear', 'timestamp_to_year', 'The year.', (time) => time.year],
  ['getMonth', 'timestamp_to_month', 'The month, January is 0.', (time) => time.month - 1],
  ['getDayOfYear', 'timestamp_to_day_of_year', 'The day of the year, the first is 0.', dayOfYear],
  ['getDayOfMonth', 'timestamp_to_day_of_month', 'The day of the month, the first is 0.', (time) => time.day - 1],
  ['getDate', 'timestamp_to_day_of_month_1_based', 'The day of the month, the first is 1.', (time) => time.day],
  ['getDayOfWeek', 'timestamp_to_day_of_week', 'The day of the week, Sunday is 0.', dayOfWeek],
  [
    'getHours',
    'timestamp_to_hours',
    'Hour of the day; whole hours of a duration.',
    (time) => time.hour,
    3_600_000_000_000n,
  ],
  [
    'getMinutes',
    'timestamp_to_minutes',
    'Minute; whole minutes of a duration.',
    (time) => time.minute,
    60_000_000_000n,
  ],
  ['getSeconds', 'timestamp_to_seconds', 'Second; whole seconds of a duration.', (time) => time.second, 1_000_000_000n],
  [
    'getMilliseconds',
    'timestamp_to_milliseconds',
    'Millisecond of the second; whole milliseconds of a duration.',
    (_time, nanos) => Math.floor(nanos / 1_000_000),
    1_000_000n,
  ],
];

function accessor([name, id, doc, part, unit]: Row): FunctionDeclaration {
  const utc = (_context: CallContext, timestamp: CelTimestamp): number =>
    part(civilFromSeconds(timestamp.seconds), timestamp.nanos);
  const inZone = (_context: CallContext, timestamp: CelTimestamp, zone: string): number | CelError => {
    const time = civilInZone(timestamp, zone);
    return time instanceof CelError ? time : part(time, timestamp.nanos);
  };
  const overloads = [
    memberForm(id, [TIMESTAMP], INT, utc),
    // cel-go's id of this one lacks the "with".
    memberForm(name === 'getSeconds' ? `${id}_tz` : `${id}_with_tz`, [TIMESTAMP, STRING], INT, inZone),
  ];
  if (unit !== undefined) {
    const whole = (_context: CallContext, duration: CelDuration): number | bigint =>
      intFromBigInt(durationNanos(duration) / unit);
    overloads.push(memberForm(id.replace('timestamp', 'duration'), [DURATION], INT, whole));
  }
  return declare(name, doc, overloads);
}

/** The `get…` functions of timestamps (UTC, or a zone by name or offset) and durations. */
export function timeAccessors(): readonly FunctionDeclaration[] {
  return ROWS.map(accessor);
}
