import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock, settled } from '../testing/fake-clock.ts';
import { ExponentialRateLimiter } from './rate-limiter.ts';
import { WorkQueue } from './work-queue.ts';

function queueWith(groupOf?: (key: string) => string): { clock: FakeClock; queue: WorkQueue<string> } {
  const clock = new FakeClock();
  const rateLimiter = new ExponentialRateLimiter<string>();
  return { clock, queue: new WorkQueue({ clock, rateLimiter, ...(groupOf && { groupOf }) }) };
}

/** Takes what is there, in order. */
async function takeAll(queue: WorkQueue<string>): Promise<string[]> {
  const keys: string[] = [];
  while (queue.numbers.depth > 0) keys.push((await queue.get()) as string);
  return keys;
}

describe('a work queue', () => {
  it('holds a key once, however often it is added', async () => {
    const { queue } = queueWith();
    for (const key of ['a', 'b', 'a', 'b']) queue.add(key);
    expect(await takeAll(queue)).toEqual(['a', 'b']);
    expect(queue.numbers.adds).toBe(2);
  });

  it('gives a key that was added while it ran back when it is done, once', async () => {
    const { queue } = queueWith();
    queue.add('a');
    await queue.get();
    queue.add('a');
    queue.add('a');
    expect(queue.numbers.depth).toBe(0);
    queue.done('a');
    expect(await takeAll(queue)).toEqual(['a']);
    queue.done('a');
    expect(queue.numbers).toMatchObject({ depth: 0, running: 0 });
  });

  it('wakes those who wait in the order in which they came', async () => {
    const { queue } = queueWith();
    const taken: string[] = [];
    for (const name of ['first', 'second']) void queue.get().then((key) => taken.push(`${name}:${key}`));
    queue.add('a');
    queue.add('b');
    await settled();
    expect(taken).toEqual(['first:a', 'second:b']);
  });

  it('lets one who waits go when the signal aborts, and gives the key to the next', async () => {
    const { queue } = queueWith();
    const stop = new AbortController();
    const gone = queue.get(stop.signal);
    const staying = queue.get();
    stop.abort();
    queue.add('a');
    expect(await gone).toBeUndefined();
    expect(await staying).toBe('a');
    expect(await queue.get(stop.signal)).toBeUndefined();
  });

  it('adds a delayed key at the earliest of its times', async () => {
    const { clock, queue } = queueWith();
    queue.addAfter('a', 100);
    queue.addAfter('a', 30);
    queue.addAfter('a', 50);
    await clock.advance(29);
    expect(queue.numbers).toMatchObject({ depth: 0, delayed: 1 });
    await clock.advance(1);
    expect(await takeAll(queue)).toEqual(['a']);
    queue.done('a');
    await clock.advance(1000);
    expect(queue.numbers).toMatchObject({ depth: 0, delayed: 0, adds: 1 });
  });

  it('adds at once what is delayed by nothing', () => {
    const { queue } = queueWith();
    queue.addAfter('a', 0);
    queue.addAfter('b', -5);
    queue.addAfter('c', Number.NaN);
    expect(queue.numbers.depth).toBe(3);
  });

  it('backs off a key that fails until it is forgotten', async () => {
    const { clock, queue } = queueWith();
    const waits: number[] = [];
    for (let i = 0; i < 5; i++) {
      if (i === 3) queue.forget('a');
      queue.addRateLimited('a');
      const start = clock.now();
      await clock.advanceUntil(() => queue.numbers.depth === 1, 10_000);
      waits.push(clock.now() - start);
      await queue.get();
      queue.done('a');
    }
    expect(waits).toEqual([5, 10, 20, 5, 10]);
    expect(queue.retries('a')).toBe(2);
  });

  it('lets groups take turns: one that floods it delays itself alone', async () => {
    const { queue } = queueWith((key) => key[0] ?? '');
    for (const key of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) queue.add(key);
    expect(await takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });
});

describe('a work queue that is shut down', () => {
  it('takes nothing in, drops what is delayed, hands out what waits and then says that it is over', async () => {
    const { clock, queue } = queueWith();
    queue.add('a');
    queue.addAfter('later', 10);
    queue.shutDown();
    queue.add('b');
    queue.addAfter('b', 10);
    queue.addRateLimited('b');
    await clock.advance(100);
    expect(clock.sleeping).toBe(0);
    expect(await queue.get()).toBe('a');
    expect(await queue.get()).toBeUndefined();
  });

  it('wakes those who wait with nothing', async () => {
    const { queue } = queueWith();
    const taken = queue.get();
    queue.shutDown();
    expect(await taken).toBeUndefined();
  });

  it('is drained when the last key is done, with what was added while it ran', async () => {
    const { queue } = queueWith();
    queue.add('a');
    await queue.get();
    queue.add('a');
    let drained = false;
    const draining = queue.shutDownWithDrain().then(() => {
      drained = true;
    });
    queue.done('a');
    await settled();
    expect(drained).toBe(false);
    expect(await queue.get()).toBe('a');
    queue.done('a');
    await draining;
    expect(await queue.get()).toBeUndefined();
  });

  it('is drained at once when it is idle', async () => {
    const { queue } = queueWith();
    await queue.shutDownWithDrain();
    expect(queue.shuttingDown).toBe(true);
  });
});

/** The queue as its laws tell it, with lists instead of clever structures. */
class Model {
  now = 0;
  waiting: string[] = [];
  again: string[] = [];
  running: string[] = [];
  delayed: { key: string; due: number }[] = [];
  failures: Record<string, number> = {};
  takers = 0;
  down = false;
  readonly handed: (string | undefined)[] = [];

  add(key: string): void {
    if (this.down || this.waiting.includes(key) || this.again.includes(key)) return;
    if (this.running.includes(key)) this.again.push(key);
    else this.wait(key);
  }

  wait(key: string): void {
    this.waiting.push(key);
    if (this.takers > 0) {
      this.takers -= 1;
      this.hand();
    }
  }

  hand(): void {
    const key = this.waiting.shift();
    this.handed.push(key);
    if (key !== undefined) this.running.push(key);
  }

  get(): void {
    if (this.waiting.length > 0 || this.down) this.hand();
    else this.takers += 1;
  }

  done(key: string): void {
    this.running = this.running.filter((one) => one !== key);
    if (!this.again.includes(key)) return;
    this.again = this.again.filter((one) => one !== key);
    this.wait(key);
  }

  addAfter(key: string, ms: number): void {
    if (this.down) return;
    if (ms <= 0) {
      this.add(key);
      return;
    }
    const due = this.now + ms;
    const there = this.delayed.find((one) => one.key === key);
    if (there && there.due <= due) return;
    this.delayed = [...this.delayed.filter((one) => one !== there), { key, due }];
  }

  addRateLimited(key: string): void {
    if (this.down) return;
    const failures = this.failures[key] ?? 0;
    this.failures[key] = failures + 1;
    this.addAfter(key, 5 * 2 ** failures);
  }

  advance(ms: number): void {
    this.now += ms;
    const due = this.delayed.filter((one) => one.due <= this.now).sort((a, b) => a.due - b.due);
    this.delayed = this.delayed.filter((one) => one.due > this.now);
    for (const { key } of due) this.add(key);
  }

  shutDown(): void {
    this.down = true;
    this.delayed = [];
    while (this.takers > 0) {
      this.takers -= 1;
      this.handed.push(undefined);
    }
  }
}

type Step =
  | { readonly do: 'add' | 'addRateLimited' | 'forget' | 'done'; readonly key: string }
  | { readonly do: 'addAfter'; readonly key: string; readonly ms: number }
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'get' | 'shutDown' };

const key = fc.constantFrom('a', 'b', 'c', 'd');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('add' as const, 'addRateLimited' as const), key }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('done' as const), key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), key }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('addAfter' as const), key, ms: fc.integer({ min: -1, max: 60 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 80 }) }) },
  { weight: 6, arbitrary: fc.constant({ do: 'get' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'shutDown' as const }) },
);

async function perform(step: Step, model: Model, queue: WorkQueue<string>, clock: FakeClock): Promise<void> {
  if (step.do === 'add' || step.do === 'addRateLimited') {
    model[step.do](step.key);
    queue[step.do](step.key);
  } else if (step.do === 'forget') {
    model.failures[step.key] = 0;
    queue.forget(step.key);
  } else if (step.do === 'addAfter') {
    model.addAfter(step.key, step.ms);
    queue.addAfter(step.key, step.ms);
  } else if (step.do === 'advance') {
    model.advance(step.ms);
    await clock.advance(step.ms);
  } else if (step.do === 'shutDown') {
    model.shutDown();
    queue.shutDown();
  } else if (step.do === 'done' && model.running.includes(step.key)) {
    model.done(step.key);
    queue.done(step.key);
  }
}

describe('any history of a work queue', () => {
  it('is the history of its model', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const model = new Model();
        const { clock, queue } = queueWith();
        const handed: (string | undefined)[] = [];
        for (const one of steps) {
          if (one.do === 'get') {
            model.get();
            void queue.get().then((taken) => handed.push(taken));
          } else await perform(one, model, queue, clock);
          await settled();
          expect(handed).toEqual(model.handed);
          expect(queue.numbers).toMatchObject({
            depth: model.waiting.length,
            running: model.running.length,
            delayed: model.delayed.length,
          });
        }
        queue.shutDown();
        await settled();
        expect(clock.sleeping).toBe(0);
      }),
      { numRuns: 500 },
    );
  });
});
