/** Something that is measured: runs `count` times and returns what keeps the optimiser from dropping the work. */
export type Case = (count: number) => unknown;

/** Length of one measured batch; long enough for the clock, short enough for many rounds. */
const BATCH_MILLISECONDS = 15;
const WARM_UP_MILLISECONDS = 150;

/** Takes every result. Exported, so that no optimiser may take it for unused. @public */
export let sink: unknown;

function time(run: Case, count: number): number {
  const start = performance.now();
  sink = run(count);
  return performance.now() - start;
}

/** Warms every case up and finds how often each runs in a batch. */
export function warmUp(cases: Readonly<Record<string, Case>>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  // Twice over: code that was optimised for the first cases alone is thrown away when the others come.
  for (let pass = 0; pass < 2; pass += 1) {
    for (const [name, run] of Object.entries(cases)) {
      let count = 1;
      let spent = 0;
      let last = 0;
      while (spent < WARM_UP_MILLISECONDS || last < BATCH_MILLISECONDS / 2) {
        last = time(run, count);
        spent += last;
        if (last < BATCH_MILLISECONDS / 2) count *= 2;
      }
      counts.set(name, Math.max(1, Math.round((count * BATCH_MILLISECONDS) / last)));
    }
  }
  return counts;
}

/** Nanoseconds per operation of every case, once: the lower of two batches. */
export function round(
  cases: Readonly<Record<string, Case>>,
  counts: ReadonlyMap<string, number>,
): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [name, run] of Object.entries(cases)) {
    const count = counts.get(name) ?? 1;
    found[name] = (Math.min(time(run, count), time(run, count)) * 1e6) / count;
  }
  return found;
}

/** Calls `evaluate` with each of `inputs` in turn. */
export function inTurn<T>(inputs: readonly T[], evaluate: (input: T) => unknown): Case {
  const { length } = inputs;
  return (count) => {
    let last: unknown;
    for (let index = 0; index < count; index += 1) last = evaluate(inputs[index % length]!);
    return last;
  };
}
