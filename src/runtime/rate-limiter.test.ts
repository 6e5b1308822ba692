import { describe, expect, it } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { BucketRateLimiter, controllerRateLimiter, ExponentialRateLimiter } from './rate-limiter.ts';

describe('waits of one key', () => {
  it('double from 5 ms up to 1,000 s', () => {
    const limiter = new ExponentialRateLimiter<string>();
    const waits = Array.from({ length: 20 }, () => limiter.when('a'));
    expect(waits.slice(0, 5)).toEqual([5, 10, 20, 40, 80]);
    expect(waits.slice(17)).toEqual([655_360, 1_000_000, 1_000_000]);
    expect(limiter.retries('a')).toBe(20);
  });

  it('start anew once the key is forgotten, and do not touch another key', () => {
    const limiter = new ExponentialRateLimiter<string>();
    limiter.when('a');
    limiter.when('a');
    expect(limiter.when('b')).toBe(5);
    limiter.forget('a');
    expect(limiter.retries('a')).toBe(0);
    expect(limiter.when('a')).toBe(5);
    expect(limiter.retries('b')).toBe(1);
  });

  it('stay at the cap after thousands of failures', () => {
    const limiter = new ExponentialRateLimiter<string>();
    for (let i = 0; i < 5000; i++) limiter.when('a');
    expect(limiter.when('a')).toBe(1_000_000);
  });
});

describe('the bucket of all keys', () => {
  it('lets 100 pass at once, then one in 100 ms', () => {
    const limiter = new BucketRateLimiter<string>(new FakeClock());
    const waits = Array.from({ length: 103 }, () => limiter.when());
    expect(new Set(waits.slice(0, 100))).toEqual(new Set([0]));
    expect(waits.slice(100)).toEqual([100, 200, 300]);
  });

  it('fills up with time, never above its size', async () => {
    const clock = new FakeClock();
    const limiter = new BucketRateLimiter<string>(clock);
    for (let i = 0; i < 100; i++) limiter.when();
    await clock.advance(1000);
    expect(Array.from({ length: 11 }, () => limiter.when())).toEqual([...Array(10).fill(0), 100]);
    await clock.advance(3_600_000);
    expect(Array.from({ length: 101 }, () => limiter.when()).at(-1)).toBe(100);
  });
});

describe('the limiter of controllers', () => {
  it('takes the longer of both waits', () => {
    const limiter = controllerRateLimiter<number>(new FakeClock());
    expect(limiter.when(0)).toBe(5);
    for (let i = 1; i < 100; i++) limiter.when(i);
    expect(limiter.when(100)).toBe(100);
    expect(limiter.retries(100)).toBe(1);
  });
});
