import { describe, expect, it } from 'vitest';
import { parseSchedule } from './cron-schedule.ts';

function next(schedule: string, from: string, timeZone?: string): string | undefined {
  const time = parseSchedule(schedule, timeZone).next(Date.parse(from));
  return time === undefined ? undefined : new Date(time).toISOString().slice(0, 16);
}

describe('a schedule', () => {
  // 2 March 2026 is a Monday.
  it.each([
    ['* * * * *', '2026-03-02T10:00:30Z', '2026-03-02T10:01'],
    ['*/15 * * * *', '2026-03-02T10:00:00Z', '2026-03-02T10:15'],
    ['5 4 * * *', '2026-03-02T10:00:00Z', '2026-03-03T04:05'],
    ['0 22 * * 1-5', '2026-03-06T23:00:00Z', '2026-03-09T22:00'],
    ['0 0 1,15 * *', '2026-03-02T00:00:00Z', '2026-03-15T00:00'],
    ['0 0 13 * 5', '2026-03-02T00:00:00Z', '2026-03-06T00:00'],
    ['0 0 29 2 *', '2026-03-02T00:00:00Z', '2028-02-29T00:00'],
    ['30 8 * JAN,Jul mon', '2026-03-02T00:00:00Z', '2026-07-06T08:30'],
    ['10-20/5 0-6/3 * * ?', '2026-03-02T03:15:00Z', '2026-03-02T03:20'],
    ['50/5 * * * *', '2026-03-02T03:50:00Z', '2026-03-02T03:55'],
    ['@hourly', '2026-03-02T10:00:00Z', '2026-03-02T11:00'],
    ['@weekly', '2026-03-02T10:00:00Z', '2026-03-08T00:00'],
    ['@yearly', '2026-03-02T10:00:00Z', '2027-01-01T00:00'],
    ['0 0 31 4 *', '2026-03-02T10:00:00Z', undefined],
  ])('%s after %s is due at %s', (schedule, from, due) => {
    expect(next(schedule, from)).toBe(due);
  });

  it('follows the clocks of its zone, over the days when they are put forward and back', () => {
    expect(next('0 9 * * *', '2026-03-02T00:00:00Z', 'Europe/Berlin')).toBe('2026-03-02T08:00');
    expect(next('0 9 * * *', '2026-03-29T00:00:00Z', 'Europe/Berlin')).toBe('2026-03-29T07:00');
    // Clocks leap from 2 to 3 that night: there is no half past two.
    expect(next('30 2 * * *', '2026-03-28T12:00:00Z', 'Europe/Berlin')).toBe('2026-03-30T00:30');
    expect(next('0 0 * * *', '2026-03-02T12:00:00Z', 'Asia/Tokyo')).toBe('2026-03-02T15:00');
  });

  it.each([
    '',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '5-1 * * * *',
    '*/0 * * * *',
    '1- * * * *',
    'a * * * *',
    '@never',
    '1,,2 * * * *',
  ])('%j is none', (schedule) => {
    expect(() => parseSchedule(schedule)).toThrow(/expected exactly 5 fields|failed to parse/);
  });

  it('of a zone that there is not is a RangeError', () => {
    expect(() => parseSchedule('* * * * *', 'Mars/Olympus')).toThrow(RangeError);
  });
});
