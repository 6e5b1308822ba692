/** Ratios and sizes that the bench judges. `of` gives the value of one round, undefined where an engine is not here. */
export interface Goal {
  readonly figure: string;
  readonly backend: 'closures' | 'code' | 'both';
  readonly most: number;
  readonly unit: 'ratio' | 'ms' | 'kB';
  readonly of: (round: Round) => number | undefined;
}

/** One round: nanoseconds of a case in an engine, and the numbers that are no times. */
export interface Round {
  time(engine: string, name: string): number | undefined;
  figure(name: string): number | undefined;
}

function ratio(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a / b;
}

/** Our time in a case as a share of a peer's. */
function against(peer: string, ours: string, theirs = ours): (backend: string) => Goal['of'] {
  return (backend) => (round) => ratio(round.time(backend, ours), round.time(peer, theirs));
}

type Pair = readonly [closures: number | undefined, code: number | undefined];

function rows(figure: string, [closures, code]: Pair, of: (backend: string) => Goal['of']): Goal[] {
  const made: Goal[] = [];
  if (closures !== undefined)
    made.push({ figure, backend: 'closures', most: closures, unit: 'ratio', of: of('closures') });
  if (code !== undefined) made.push({ figure, backend: 'code', most: code, unit: 'ratio', of: of('code') });
  return made;
}

function number(
  figure: string,
  most: number,
  unit: 'ms' | 'kB',
  name: string,
  backend: Goal['backend'] = 'both',
): Goal {
  return { figure, backend, most, unit, of: (round) => round.figure(name) };
}

export const GOALS: readonly Goal[] = [
  ...rows('R1, cost counted ÷ cel-js', [0.5, 0.1], against('cel-js', 'r1')),
  ...rows('R2, cost counted ÷ cel-js', [0.5, 0.1], against('cel-js', 'r2')),
  ...rows('R1 ÷ @bufbuild/cel', [0.1, 0.02], against('bufbuild', 'r1')),
  ...rows('R2 ÷ @bufbuild/cel', [0.1, 0.02], against('bufbuild', 'r2')),
  ...rows('R1 ÷ cel-go, optimised, without cost', [1, 0.2], against('cel-go', 'r1')),
  ...rows('R2 ÷ cel-go, optimised, without cost', [1, 0.2], against('cel-go', 'r2')),
  ...rows('R1 ÷ cel-go, Kubernetes 1.36, with cost', [0.1, 0.02], against('cel-go', 'r1', 'r1kubernetes')),
  ...rows('R2 ÷ cel-go, Kubernetes 1.36, with cost', [0.1, 0.02], against('cel-go', 'r2', 'r2kubernetes')),
  ...rows('R1 ÷ written by hand, 4 shapes', [25, 5], against('floor', 'r1shapes')),
  ...rows('R2 ÷ written by hand, 4 shapes', [25, 5], against('floor', 'r2shapes')),
  ...rows('cost counted ÷ not counted, R1, 4 shapes', [1.2, 1.3], (backend) =>
    against(`${backend}-free`, 'r1shapes')(backend),
  ),
  ...rows('error ÷ healthy, R1', [2, 3], (backend) => against(backend, 'error', 'r1')(backend)),
  ...rows('exists that finds nothing in 1,000 ÷ loop by hand', [15, 4], against('floor', 'miss')),
  {
    figure: 'generated code ÷ closures, R1, 4 shapes',
    backend: 'code',
    most: 1 / 3,
    unit: 'ratio',
    of: (round) => ratio(round.time('code', 'r1shapes'), round.time('closures', 'r1shapes')),
  },
  ...rows('parse R1 ÷ cel-js parse', [1.5, undefined], against('cel-js', 'parse')),
  ...rows('parse + check + plan R1 ÷ cel-go, 1.36', [0.2, 0.5], against('cel-go', 'compile')),
  ...rows('affectedBy, unchanged copy ÷ evaluate, R1, 4 shapes', [0.5, undefined], (backend) =>
    against(backend, 'affected', 'r1shapes')(backend),
  ),
  number('retained heap of a program, R1', 8, 'kB', 'heapClosures', 'closures'),
  number('retained heap of a program, R1', 24, 'kB', 'heapCode', 'code'),
  number('first environment of a process', 10, 'ms', 'firstEnvironment'),
  {
    figure: 'further environment',
    backend: 'both',
    most: 1,
    unit: 'ms',
    of: (round) => {
      const time = round.time('closures', 'extend');
      return time === undefined ? undefined : time / 1e6;
    },
  },
  number('package, minified and compressed, without the regex engine', 60, 'kB', 'packageAlone'),
  number('package, minified and compressed, with the regex engine', 130, 'kB', 'packageWhole'),
];
