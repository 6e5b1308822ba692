import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CelError } from '../error.ts';
import { CelDuration, CelTimestamp } from '../value/cel-value.ts';
import { checkDuration, checkTimestamp, TIMESTAMP_MAX_SECONDS, TIMESTAMP_MIN_SECONDS } from '../value/time-range.ts';
import { civilFromSeconds, dayOfWeek, dayOfYear, isRealDate, secondsFromCivil } from './civil.ts';
import { formatDuration, parseDuration } from './duration-text.ts';
import { formatTimestamp, parseTimestamp } from './rfc3339.ts';
import { civilInZone } from './time-zone.ts';

function timestamp(text: string): CelTimestamp {
  const parsed = parseTimestamp(text);
  if (parsed instanceof CelError) throw new Error(parsed.message);
  return parsed;
}

describe('the calendar', () => {
  it('agrees with the host on every instant of the range, and back', () => {
    fc.assert(
      fc.property(fc.integer({ min: TIMESTAMP_MIN_SECONDS, max: TIMESTAMP_MAX_SECONDS }), (seconds) => {
        const time = civilFromSeconds(seconds);
        const host = new Date(seconds * 1000);
        expect([time.year, time.month, time.day]).toEqual([
          host.getUTCFullYear(),
          host.getUTCMonth() + 1,
          host.getUTCDate(),
        ]);
        expect([time.hour, time.minute, time.second, dayOfWeek(time)]).toEqual([
          host.getUTCHours(),
          host.getUTCMinutes(),
          host.getUTCSeconds(),
          host.getUTCDay(),
        ]);
        expect(secondsFromCivil(time)).toBe(seconds);
      }),
    );
  });

  it('numbers the days of a year from 0', () => {
    expect(dayOfYear(civilFromSeconds(timestamp('2024-12-31T00:00:00Z').seconds))).toBe(365);
    expect(dayOfYear(civilFromSeconds(timestamp('2023-12-31T00:00:00Z').seconds))).toBe(364);
    expect(dayOfYear(civilFromSeconds(timestamp('2023-01-01T23:59:59Z').seconds))).toBe(0);
  });

  it.each([
    [2024, 2, 29, true],
    [2023, 2, 29, false],
    [1900, 2, 29, false],
    [2000, 2, 29, true],
    [2023, 4, 31, false],
    [2023, 13, 1, false],
    [2023, 0, 1, false],
    [2023, 1, 0, false],
  ])('%i-%i-%i is a real date: %s', (year, month, day, real) => {
    expect(isRealDate(year, month, day)).toBe(real);
  });
});

describe('a timestamp as text', () => {
  it.each([
    ['2009-02-13T23:31:30Z', 1234567890, 0, '2009-02-13T23:31:30Z'],
    ['2009-02-13T23:31:30.5Z', 1234567890, 500_000_000, '2009-02-13T23:31:30.5Z'],
    ['2009-02-13T23:31:30.123456789987Z', 1234567890, 123_456_789, '2009-02-13T23:31:30.123456789Z'],
    ['2009-02-13T16:01:30-07:30', 1234567890, 0, '2009-02-13T16:01:30-07:30'],
    ['2009-02-14T01:31:30.000000010+02:00', 1234567890, 10, '2009-02-14T01:31:30.00000001+02:00'],
    ['2009-02-13T23:31:30+00:00', 1234567890, 0, '2009-02-13T23:31:30Z'],
    ['1969-12-31T23:59:59.25Z', -1, 250_000_000, '1969-12-31T23:59:59.25Z'],
    ['0001-01-01T00:00:00Z', TIMESTAMP_MIN_SECONDS, 0, '0001-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59.999999999Z', TIMESTAMP_MAX_SECONDS, 999_999_999, '9999-12-31T23:59:59.999999999Z'],
  ])('%s is read and written', (text, seconds, nanos, written) => {
    expect(timestamp(text)).toMatchObject({ seconds, nanos });
    expect(formatTimestamp(timestamp(text))).toBe(written);
  });

  it.each([
    '2009-02-13',
    '2009-02-13T23:31:30',
    '2009-02-13 23:31:30Z',
    '2009-02-13t23:31:30Z',
    '2009-02-30T00:00:00Z',
    '2009-02-13T24:00:00Z',
    '2009-02-13T23:31:60Z',
    '2009-02-13T23:31:30+0100',
    '2009-02-13T23:31:30+24:00',
    ' 2009-02-13T23:31:30Z',
    '2009-02-13T23:31:30.Z',
    '',
  ])('%j is none', (text) => {
    expect(parseTimestamp(text)).toMatchObject({ code: 'bad_conversion' });
  });

  it.each(['0000-12-31T23:59:59Z', '0001-01-01T00:00:00+01:00', '9999-12-31T23:59:59-00:01'])(
    '%s lies outside the range',
    (text) => {
      expect(parseTimestamp(text)).toMatchObject({ code: 'timestamp_overflow' });
    },
  );
});

describe('a duration as text', () => {
  it.each([
    ['0', 0, 0, '0s'],
    ['-0', 0, 0, '0s'],
    ['1h30m', 5400, 0, '5400s'],
    ['1.5s', 1, 500_000_000, '1.5s'],
    ['-1.5s', -1, -500_000_000, '-1.5s'],
    ['+2m', 120, 0, '120s'],
    ['.5s', 0, 500_000_000, '0.5s'],
    ['1.s', 1, 0, '1s'],
    ['250ms', 0, 250_000_000, '0.25s'],
    ['1us', 0, 1000, '0.000001s'],
    ['1µs', 0, 1000, '0.000001s'],
    ['1μs', 0, 1000, '0.000001s'],
    ['1ns', 0, 1, '0.000000001s'],
    ['-120ns', 0, -120, '-0.00000012s'],
    ['1h1h', 7200, 0, '7200s'],
    ['9223372036854775807ns', 9_223_372_036, 854_775_807, '9223372036.854776s'],
    ['-9223372036854775808ns', -9_223_372_036, -854_775_808, '-9223372036.854776s'],
  ])('%s is read and written', (text, seconds, nanos, written) => {
    const parsed = parseDuration(text);
    expect(parsed).toEqual(new CelDuration(seconds, nanos));
    if (!(parsed instanceof CelError)) expect(formatDuration(parsed)).toBe(written);
  });

  it.each(['', '1', '1d', '1 s', 's', '.s', '1h-30m', '--1s', '1S', '9223372036854775808ns', '2562048h', '1.5'])(
    '%j is none',
    (text) => {
      expect(parseDuration(text)).toMatchObject({ code: 'bad_conversion' });
    },
  );
});

describe('a zone', () => {
  const summer = new CelTimestamp(1_719_835_200, 0); // 2024-07-01T12:00:00Z
  it.each([
    ['', 12, 0],
    ['UTC', 12, 0],
    ['02:00', 14, 0],
    ['+02:00', 14, 0],
    ['-03:30', 8, 30],
    ['America/New_York', 8, 0],
    ['Asia/Kathmandu', 17, 45],
    ['US/Central', 7, 0],
    ['Etc/GMT+5', 7, 0],
  ])('%j moves noon of UTC to %i:%i', (zone, hour, minute) => {
    expect(civilInZone(summer, zone)).toMatchObject({ year: 2024, month: 7, day: 1, hour, minute });
  });

  it('keeps midnight 0 and the year before year 1', () => {
    expect(civilInZone(new CelTimestamp(1_719_806_400, 0), 'America/New_York')).toMatchObject({ day: 1, hour: 0 });
    expect(civilInZone(new CelTimestamp(TIMESTAMP_MIN_SECONDS, 0), 'America/New_York')).toMatchObject({
      year: 0,
      month: 12,
      day: 31,
    });
  });

  it.each(['Nowhere/City', '+0100', '25:00', '01:60', '+', 'a:b', ' UTC', 'utc'])('%j is unknown', (zone) => {
    expect(civilInZone(summer, zone)).toMatchObject({ code: 'bad_timezone' });
  });
});

describe('ranges', () => {
  it('carries nanoseconds into seconds and keeps one sign', () => {
    expect(checkTimestamp(10, -1)).toMatchObject({ seconds: 9, nanos: 999_999_999 });
    expect(checkTimestamp(10, 2_000_000_001)).toMatchObject({ seconds: 12, nanos: 1 });
    expect(checkDuration(1, -1)).toEqual(new CelDuration(0, 999_999_999));
    expect(checkDuration(-1, 1)).toEqual(new CelDuration(0, -999_999_999));
    expect(checkDuration(0, -0)).toEqual(new CelDuration(0, 0));
  });

  it('ends at the last value that is possible', () => {
    expect(checkTimestamp(TIMESTAMP_MAX_SECONDS, 999_999_999)).toBeInstanceOf(CelTimestamp);
    expect(checkTimestamp(TIMESTAMP_MAX_SECONDS, 1_000_000_000)).toMatchObject({ code: 'timestamp_overflow' });
    expect(checkTimestamp(TIMESTAMP_MIN_SECONDS, -1)).toMatchObject({ code: 'timestamp_overflow' });
    expect(checkTimestamp(Number.NaN, 0)).toMatchObject({ code: 'timestamp_overflow' });
    expect(checkDuration(9_223_372_036, 854_775_808)).toMatchObject({ code: 'overflow' });
    expect(checkDuration(-9_223_372_036, -854_775_809)).toMatchObject({ code: 'overflow' });
  });
});
