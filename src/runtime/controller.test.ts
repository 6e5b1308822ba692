import { describe, expect, it } from 'vitest';
import { FakeClock, settled } from '../testing/fake-clock.ts';
import { Controller, type ControllerOptions, DONE, type Reconciler, type Result, TerminalError } from './controller.ts';
import { ExponentialRateLimiter } from './rate-limiter.ts';
import { WorkQueue } from './work-queue.ts';

class Setting {
  readonly clock = new FakeClock();
  readonly queue = new WorkQueue<string>({ clock: this.clock, rateLimiter: new ExponentialRateLimiter() });
  /** `key@ms` of each reconcile. */
  readonly begun: string[] = [];
  readonly outcomes: string[] = [];
  readonly #start = this.clock.now();
  readonly #stop = new AbortController();
  readonly ended: Promise<string>;

  constructor(reconcile: Reconciler<string>['reconcile'], options: Partial<ControllerOptions<string>> = {}) {
    const controller = new Controller<string>({
      name: 'test',
      clock: this.clock,
      queue: this.queue,
      reconciler: {
        reconcile: (key, signal) => {
          this.begun.push(`${key}@${this.clock.now() - this.#start}`);
          return reconcile(key, signal);
        },
      },
      onOutcome: (key, outcome) => this.outcomes.push(`${key} ${outcome.kind}`),
      ...options,
    });
    this.ended = controller.run(this.#stop.signal).then(
      () => 'stopped',
      (error: Error) => error.message,
    );
  }

  stop(): Promise<string> {
    this.#stop.abort();
    return this.ended;
  }
}

/** Gives one answer after the other, then `done`; an Error is thrown. */
function answers(...list: readonly (Result | Error)[]): Reconciler<string>['reconcile'] {
  const rest = [...list];
  return async () => {
    const answer = rest.shift() ?? DONE;
    if (answer instanceof Error) throw answer;
    return answer;
  };
}

describe('the outcome of a reconcile', () => {
  it('done: the key comes back with the next event only', async () => {
    const setting = new Setting(answers(DONE));
    setting.queue.add('a');
    await setting.clock.advance(3_600_000);
    expect(setting.begun).toEqual(['a@0']);
  });

  it('failed or again: the key comes back with a growing wait, until it is done', async () => {
    const setting = new Setting(answers(new Error('1'), new Error('2'), { kind: 'again' }, DONE, new Error('3')));
    setting.queue.add('a');
    await setting.clock.advance(1000);
    expect(setting.begun).toEqual(['a@0', 'a@5', 'a@15', 'a@35']);
    setting.queue.add('a');
    await setting.clock.advance(1000);
    expect(setting.begun.slice(4)).toEqual(['a@1000', 'a@1005']);
    expect(setting.outcomes).toEqual(['a failed', 'a failed', 'a again', 'a done', 'a failed', 'a done']);
  });

  it('terminal: the key does not come back by itself', async () => {
    const setting = new Setting(answers(new Error('1'), new TerminalError('spec is wrong')));
    setting.queue.add('a');
    await setting.clock.advance(3_600_000);
    expect(setting.outcomes).toEqual(['a failed', 'a terminal']);
    expect(setting.queue.retries('a')).toBe(0);
  });

  it('after: the key comes back at its time, and its failures are forgotten', async () => {
    const setting = new Setting(answers(new Error('1'), { kind: 'after', ms: 60_000 }, new Error('2')));
    setting.queue.add('a');
    await setting.clock.advance(100_000);
    expect(setting.begun).toEqual(['a@0', 'a@5', 'a@60005', 'a@60010']);
  });

  it('a throw of something that is no error counts as failed', async () => {
    const setting = new Setting(() => Promise.reject('text'));
    setting.queue.add('a');
    await settled();
    expect(setting.outcomes).toEqual(['a failed']);
  });
});

describe('a controller', () => {
  it('works on several keys at once, never on one key twice', async () => {
    const running = new Map<string, number>();
    let most = 0;
    let twice = false;
    const setting = new Setting(
      async (key) => {
        running.set(key, (running.get(key) ?? 0) + 1);
        twice ||= (running.get(key) ?? 0) > 1;
        most = Math.max(
          most,
          [...running.values()].reduce((sum, one) => sum + one, 0),
        );
        await setting.clock.sleep(10);
        running.set(key, (running.get(key) ?? 0) - 1);
        return DONE;
      },
      { workers: 3 },
    );
    for (let i = 0; i < 5; i++) {
      for (const key of ['a', 'b', 'c', 'd']) setting.queue.add(key);
      await setting.clock.advance(5);
    }
    expect(most).toBe(3);
    expect(twice).toBe(false);
  });

  it('begins when it is ready', async () => {
    let open: (ready: boolean) => void = () => {};
    const ready = new Promise<boolean>((resolve) => {
      open = resolve;
    });
    const setting = new Setting(answers(), { ready: () => ready });
    setting.queue.add('a');
    await settled();
    expect(setting.begun).toEqual([]);
    open(true);
    await settled();
    expect(setting.begun).toEqual(['a@0']);
  });

  it('tells running reconciles to stop, waits for them, begins nothing more and leaves no timer', async () => {
    let told = false;
    const setting = new Setting(async (_key, signal) => {
      await setting.clock.sleep(60_000, signal).catch(() => undefined);
      told = signal.aborted;
      await setting.clock.sleep(1000);
      throw new Error('stopped');
    });
    setting.queue.add('a');
    setting.queue.add('b');
    await settled();
    const ended = setting.stop();
    await setting.clock.advance(1000);
    expect(await ended).toBe('stopped');
    expect(told).toBe(true);
    expect(setting.begun).toEqual(['a@0']);
    expect(setting.clock.sleeping).toBe(0);
  });

  it('leaves a reconcile behind that does not end in its grace, and says so', async () => {
    const setting = new Setting(() => new Promise(() => {}));
    setting.queue.add('a');
    await settled();
    const ended = setting.stop();
    await setting.clock.advance(30_000);
    expect(await ended).toBe('test: 1 reconciles did not end 30000 ms after the stop');
  });

  it('stops while it waits to be ready, and while it is idle', async () => {
    const waiting = new Setting(answers(), {
      ready: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(false))),
    });
    expect(await waiting.stop()).toBe('stopped');
    const idle = new Setting(answers());
    await settled();
    expect(await idle.stop()).toBe('stopped');
    expect(idle.clock.sleeping).toBe(0);
  });
});
