import { afterEach, describe, expect, it, vi } from 'vitest';
import { nodeClock } from './node-clock.ts';

describe('the clock of the machine', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('shows the time of the machine, in whole ms', () => {
    expect(Math.abs(nodeClock.now() - Date.now())).toBeLessThan(60_000);
    expect(Number.isInteger(nodeClock.now())).toBe(true);
  });

  it('does not follow a step of the time of the machine', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const before = nodeClock.now();
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(nodeClock.now() - before).toBeLessThan(60_000);
  });

  it('sleeps longer than a timer of Node can', async () => {
    vi.useFakeTimers();
    let woken = false;
    const sleep = nodeClock.sleep(2 ** 31 + 1000).then(() => {
      woken = true;
    });
    await vi.advanceTimersByTimeAsync(2 ** 31 + 999);
    expect(woken).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await sleep;
    expect(woken).toBe(true);
  });

  it('rejects a sleep with the reason of the signal and leaves no timer', async () => {
    vi.useFakeTimers();
    const stop = new AbortController();
    const sleep = nodeClock.sleep(1000, stop.signal);
    stop.abort(new Error('enough'));
    await expect(sleep).rejects.toThrow('enough');
    await expect(nodeClock.sleep(1000, stop.signal)).rejects.toThrow('enough');
    expect(vi.getTimerCount()).toBe(0);
  });
});
