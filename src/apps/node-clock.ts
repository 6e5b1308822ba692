import type { Clock } from '../ports/clock.ts';

/** The longest wait of setTimeout, about 25 days: a longer one fires at once. */
const LONGEST = 2 ** 31 - 1;

/** The time of the machine when the process began; from there on a monotonic clock counts. */
const BEGIN = Date.now() - performance.now();

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** The clock of the machine. */
export const nodeClock: Clock = {
  now: () => Math.floor(BEGIN + performance.now()),
  random: () => Math.random(),
  sleep: async (ms, signal) => {
    let left = ms;
    for (; left > LONGEST; left -= LONGEST) await wait(LONGEST, signal);
    await wait(left, signal);
  },
};
