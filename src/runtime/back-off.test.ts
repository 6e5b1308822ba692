import { describe, expect, it } from 'vitest';
import { ApiError, TransportError } from '../ports/errors.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { BackOff } from './back-off.ts';

const away = new TransportError('unreachable', 'away');
const refused = new ApiError('not now', 500, 'InternalError');

/** Longest waits, without the spread. */
function waits(errors: readonly Error[]): number[] {
  const clock = new FakeClock(1);
  clock.random = () => 1;
  const backOff = new BackOff(clock);
  return errors.map((error) => backOff.after(error));
}

describe('the waits between tries of a read', () => {
  it('double up to 30 s while the server answers with errors, and up to 3 s while it cannot be reached', () => {
    expect(waits(Array(8).fill(refused))).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
    expect(waits(Array(4).fill(away))).toEqual([800, 1600, 3000, 3000]);
  });

  it('begin anew with the first answer of a server that was away', () => {
    expect(waits([away, away, away, away, refused, refused])).toEqual([800, 1600, 3000, 3000, 800, 1600]);
  });

  it('are never shorter than the server asks for', () => {
    expect(waits([new ApiError('busy', 429, 'TooManyRequests', [], 5)])).toEqual([5000]);
  });
});
