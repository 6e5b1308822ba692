import type { CallContext, FunctionDeclaration, Overload } from '../declarations.ts';
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
type Row = readonly [name: string, part: Part, durationUnit?: bigint];

const ROWS: readonly Row[] = [
  ['getFullYear', (time) => time.year],
  ['getMonth', (time) => time.month - 1],
  ['getDayOfYear', dayOfYear],
  ['getDayOfMonth', (time) => time.day - 1],
  ['getDate', (time) => time.day],
  ['getDayOfWeek', dayOfWeek],
  ['getHours', (time) => time.hour, 3_600_000_000_000n],
  ['getMinutes', (time) => time.minute, 60_000_000_000n],
  ['getSeconds', (time) => time.second, 1_000_000_000n],
  ['getMilliseconds', (_time, nanos) => Math.floor(nanos / 1_000_000), 1_000_000n],
];

function accessors([, part, unit]: Row): readonly Overload[] {
  const utc = (_context: CallContext, timestamp: CelTimestamp): number =>
    part(civilFromSeconds(timestamp.seconds), timestamp.nanos);
  const inZone = (_context: CallContext, timestamp: CelTimestamp, zone: string): number | CelError => {
    const time = civilInZone(timestamp, zone);
    return time instanceof CelError ? time : part(time, timestamp.nanos);
  };
  const overloads = [memberForm([TIMESTAMP], INT, utc), memberForm([TIMESTAMP, STRING], INT, inZone)];
  if (unit !== undefined) {
    const whole = (_context: CallContext, duration: CelDuration): number | bigint =>
      intFromBigInt(durationNanos(duration) / unit);
    overloads.push(memberForm([DURATION], INT, whole));
  }
  return overloads;
}

/** The `get…` functions of timestamps (UTC, or a zone by name or offset) and durations. */
export function timeAccessors(): readonly FunctionDeclaration[] {
  return ROWS.map((row) => declare(row[0], () => accessors(row)));
}
