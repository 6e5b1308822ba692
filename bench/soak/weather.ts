import type { ChooseFault, Fault } from '../../src/sandbox/http/faults.ts';

/** Most bytes of an answer before it is cut: a head, some objects, or in the middle of one. */
const CUT_WITHIN = 30_000;

/** What each kind of fault happened how often. */
export type Tally = Record<string, number>;

/** Faults at random, repeatable for the same order of requests. About a sixth of the requests and half of the watches meet one. */
export function weather(random: () => number, tally: Tally): ChooseFault {
  const below = (limit: number): number => Math.floor(random() * limit);
  const choose = (watch: boolean): Fault | undefined => {
    const dice = random();
    if (watch && dice < 0.35) return { kind: 'cut', bytes: below(CUT_WITHIN) };
    if (watch && dice < 0.42) return { kind: 'status', reason: 'Expired' };
    if (dice < 0.45) return { kind: 'status', reason: 'InternalError' };
    if (dice < 0.48) return { kind: 'status', reason: 'TooManyRequests', retryAfter: 1 };
    if (dice < 0.51) return { kind: 'delay', milliseconds: below(3_000) };
    if (dice < 0.54) return { kind: 'drop' };
    if (dice < 0.56) return { kind: 'text', code: 502, body: '<html><body>Bad Gateway</body></html>' };
    if (!watch && dice < 0.6) return { kind: 'cut', bytes: below(CUT_WITHIN) };
    return undefined;
  };
  return ({ query }) => {
    const watch = query.get('watch') === 'true';
    // Watches are few and long, requests many and short.
    const fault = watch || random() < 0.3 ? choose(watch) : undefined;
    if (fault !== undefined) {
      const name = fault.kind === 'status' ? fault.reason : fault.kind;
      tally[name] = (tally[name] ?? 0) + 1;
    }
    return fault;
  };
}
