import { describe, expect, it } from 'vitest';
import { FakeClock, settled } from './fake-clock.ts';

describe('a fake clock', () => {
  it('wakes sleepers in the order of their times, and those of one time in the order of their calls', async () => {
    const clock = new FakeClock();
    const woken: string[] = [];
    for (const [name, ms] of [
      ['late', 30],
      ['first', 10],
      ['second', 10],
    ] as const) {
      void clock.sleep(ms).then(() => woken.push(`${name}@${clock.now() - start}`));
    }
    const start = clock.now();
    await clock.advance(29);
    expect(woken).toEqual(['first@10', 'second@10']);
    await clock.advance(1);
    expect(woken).toEqual(['first@10', 'second@10', 'late@30']);
    expect(clock.sleeping).toBe(0);
  });

  it('rejects a sleep with the reason of the signal and forgets it', async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const sleep = clock.sleep(10, stop.signal);
    stop.abort(new Error('enough'));
    await expect(sleep).rejects.toThrow('enough');
    await expect(clock.sleep(10, stop.signal)).rejects.toThrow('enough');
    expect(clock.sleeping).toBe(0);
  });

  it('stops at the moment a condition holds', async () => {
    const clock = new FakeClock();
    const start = clock.now();
    let ticks = 0;
    const stop = new AbortController();
    const ticking = (async () => {
      for (;;) {
        await clock.sleep(7, stop.signal);
        ticks += 1;
      }
    })().catch(() => 'stopped');
    expect(await clock.advanceUntil(() => ticks === 3, 1000)).toBe(true);
    expect(clock.now() - start).toBe(21);
    expect(await clock.advanceUntil(() => false, 5)).toBe(false);
    expect(clock.now() - start).toBe(26);
    stop.abort();
    await settled();
    expect(await ticking).toBe('stopped');
  });

  it('gives the same chance for the same seed', () => {
    const [one, same, other] = [new FakeClock(7), new FakeClock(7), new FakeClock(8)];
    const three = (clock: FakeClock): number[] => [clock.random(), clock.random(), clock.random()];
    const drawn = three(one);
    expect(three(same)).toEqual(drawn);
    expect(three(other)).not.toEqual(drawn);
    expect(drawn.every((value) => value >= 0 && value < 1)).toBe(true);
  });
});
