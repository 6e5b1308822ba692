import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { Deadlines } from './deadline.ts';

function calls() {
  const clock = new FakeClock(1);
  const deadlines = new Deadlines(clock);
  const called: string[] = [];
  const set = (name: string, ms: number): (() => void) => deadlines.set(ms, () => called.push(name));
  return { clock, called, set };
}

describe('deadlines by one timer', () => {
  it('are called each at its time, also those set later that come earlier', async () => {
    const { clock, called, set } = calls();
    set('late', 100);
    set('early', 40);
    await clock.advance(50);
    expect(called).toEqual(['early']);
    set('second', 20);
    await clock.advance(49);
    expect(called).toEqual(['early', 'second']);
    await clock.advance(1);
    expect(called).toEqual(['early', 'second', 'late']);
  });

  it('are not called when they were taken away, and those behind them are', async () => {
    const { clock, called, set } = calls();
    const cancel = set('first', 40);
    set('last', 100);
    cancel();
    await clock.advance(100);
    expect(called).toEqual(['last']);
  });

  it('are called in time also when one that is called sets a later one', async () => {
    const clock = new FakeClock(1);
    const deadlines = new Deadlines(clock);
    const called: string[] = [];
    deadlines.set(10, () => {
      called.push('first');
      deadlines.set(1_000, () => called.push('late'));
    });
    deadlines.set(50, () => called.push('second'));
    await clock.advance(100);
    expect(called).toEqual(['first', 'second']);
  });

  it('leave no timer behind when all were taken away, and work again after that', async () => {
    const { clock, called, set } = calls();
    set('first', 40)();
    await new Promise((resolve) => setImmediate(resolve));
    expect(clock.sleeping).toBe(0);
    set('second', 30);
    await clock.advance(30);
    expect(called).toEqual(['second']);
  });
});
