import { describe, expect, it } from 'vitest';
import { WorkQueue } from '../../runtime/work-queue.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { PassQueue } from './pass-queue.ts';

async function begun(queue: WorkQueue<string>, passes: PassQueue): Promise<number | undefined> {
  const key = (await queue.get()) ?? '';
  const since = passes.begin(key);
  queue.done(key);
  return since;
}

describe('events of a Release', () => {
  it('begin a pass at once; those behind it wait for each other', async () => {
    const clock = new FakeClock(1);
    const queue = new WorkQueue<string>({ clock });
    const passes = new PassQueue(clock, queue);
    passes.event('a');
    const first = clock.now();
    expect(await begun(queue, passes)).toBe(first);
    await clock.advance(10);
    passes.event('a');
    passes.event('a');
    expect(queue.numbers.depth).toBe(0);
    await clock.advance(90);
    expect(queue.numbers.depth).toBe(1);
    expect(await begun(queue, passes)).toBe(first + 10);
  });

  it('of one that is forgotten leave nothing behind', async () => {
    const clock = new FakeClock(1);
    const queue = new WorkQueue<string>({ clock });
    const passes = new PassQueue(clock, queue);
    passes.event('a');
    await begun(queue, passes);
    expect(passes.size).toBe(1);
    passes.forget('a');
    expect(passes.size).toBe(0);
  });
});
