/** Where the waits of a Release that is not healthy stand. */
export interface Cadence {
  /** How often the wait was doubled. */
  readonly step: number;
  /** ms since 1970: the next look that no event asks for. */
  readonly due: number;
}

/** ms. */
const FIRST_WAIT = 2_000;
/** 2, 4, 8, 16, 32 s, then staying. */
const LAST_STEP = 4;

export interface CadenceInput {
  /** ms since 1970. */
  readonly now: number;
  /** ms: `spec.syncPolicy.interval`. */
  readonly interval: number;
  readonly healthy: boolean;
  /** The render or the state of an entry is another than at the last look. */
  readonly changed: boolean;
}

/** The next look. A pass that an event asked for neither moves the next one nor counts as one of the doubling waits. */
export function nextCadence(before: Cadence | undefined, { now, interval, healthy, changed }: CadenceInput): Cadence {
  if (healthy) {
    const stands = before?.step === 0 && before.due > now && before.due <= now + interval && !changed;
    return stands ? before : { step: 0, due: now + interval };
  }
  const wait = (step: number): number => Math.min(FIRST_WAIT * 2 ** step, interval);
  if (before === undefined || changed) return { step: 0, due: now + wait(0) };
  if (before.due > now && before.due <= now + wait(before.step)) return before;
  const step = before.due > now ? 0 : Math.min(before.step + 1, LAST_STEP);
  return { step, due: now + wait(step) };
}
