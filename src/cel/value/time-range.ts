import { CelError } from '../error.ts';
import { CelDuration, CelTimestamp } from './cel-value.ts';

const BILLION = 1_000_000_000;

/** 0001-01-01T00:00:00Z, the first instant of a timestamp (Protocol Buffers' and cel-go's), in Unix seconds. */
export const TIMESTAMP_MIN_SECONDS = -62_135_596_800;
/** 9999-12-31T23:59:59Z; the last instant has 999,999,999 nanoseconds more. */
export const TIMESTAMP_MAX_SECONDS = 253_402_300_799;
/** A duration is an int64 count of nanoseconds, as in cel-go: about ±292 years. */
export const DURATION_MAX_SECONDS = 9_223_372_036;
const DURATION_MAX_NANOS = 854_775_807;

/**
 * The timestamp of these seconds and nanoseconds (any sum of the two, `nanos` within ±2⁵³), normalised to
 * 0 ≤ nanos < 10⁹; `timestamp_overflow` outside the years 1–9999. `offset` is in minutes.
 */
export function checkTimestamp(seconds: number, nanos: number, offset = 0): CelTimestamp | CelError {
  const carry = Math.floor(nanos / BILLION);
  const whole = seconds + carry;
  if (!(whole >= TIMESTAMP_MIN_SECONDS && whole <= TIMESTAMP_MAX_SECONDS)) {
    return new CelError('timestamp_overflow', 'timestamp out of range: years 1 to 9999 are possible');
  }
  return new CelTimestamp(whole, nanos - carry * BILLION, offset);
}

/**
 * The duration of these seconds and nanoseconds (any sum of the two, `nanos` within ±2⁵³), normalised so that both have
 * the same sign; `overflow` when the whole does not fit int64 nanoseconds.
 */
export function checkDuration(seconds: number, nanos: number): CelDuration | CelError {
  const carry = Math.trunc(nanos / BILLION);
  let whole = seconds + carry;
  let rest = nanos - carry * BILLION;
  if (whole > 0 && rest < 0) {
    whole -= 1;
    rest += BILLION;
  } else if (whole < 0 && rest > 0) {
    whole += 1;
    rest -= BILLION;
  }
  const tooLong =
    !(Math.abs(whole) <= DURATION_MAX_SECONDS) ||
    (whole === DURATION_MAX_SECONDS && rest > DURATION_MAX_NANOS) ||
    (whole === -DURATION_MAX_SECONDS && rest < -DURATION_MAX_NANOS - 1);
  if (tooLong) return new CelError('overflow', 'duration out of range: 64-bit nanoseconds are possible');
  // `+ 0` turns −0 into 0, so that equal durations are equal field by field.
  return new CelDuration(whole + 0, rest + 0);
}

/** The whole duration in nanoseconds; always within int64. */
export function durationNanos(duration: CelDuration): bigint {
  return BigInt(duration.seconds) * 1_000_000_000n + BigInt(duration.nanos);
}

/** The duration of a count of nanoseconds; `overflow` outside int64. */
export function durationOfNanos(nanos: bigint): CelDuration | CelError {
  return checkDuration(Number(nanos / 1_000_000_000n), Number(nanos % 1_000_000_000n));
}
