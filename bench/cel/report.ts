import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform } from 'node:os';
import { dirname } from 'node:path';
import type { Measured } from './engine-process.ts';
import { GOALS, type Goal, type Round } from './goals.ts';
import { lowest, median } from './statistics.ts';

export interface Measurements {
  /** Of each engine, every round that counts. */
  readonly rounds: ReadonlyMap<string, readonly Measured[]>;
  readonly figures: Readonly<Record<string, number>>;
}

/** How far a ratio wanders between runs on a shared machine: a miss by less is no failure. */
export const NOISE = 0.25;

export interface Judged {
  readonly figure: string;
  readonly backend: Goal['backend'];
  readonly unit: Goal['unit'];
  readonly goal: number;
  /** Median of the rounds' values. */
  readonly median: number | undefined;
  readonly lowest: number | undefined;
  readonly baseline: number | undefined;
  /** `near`: missed, but by less than the noise. `left out`: a peer is not here. */
  readonly verdict: 'met' | 'near' | 'FAILED' | 'left out';
  /** Worse than the baseline by more than the noise. */
  readonly worse: boolean;
}

function roundAt({ rounds, figures }: Measurements, index: number): Round {
  return {
    time: (engine, name) => rounds.get(engine)?.[index]?.nanoseconds[name],
    figure: (name) => figures[name],
  };
}

export function judge(measurements: Measurements, baseline: Readonly<Record<string, number>>): readonly Judged[] {
  const count = Math.min(...Array.from(measurements.rounds.values(), ({ length }) => length));
  const rounds = Array.from({ length: count }, (_, index) => roundAt(measurements, index));
  return GOALS.map((goal) => {
    const values = rounds.map(goal.of).filter((value) => value !== undefined);
    const middle = values.length > 0 ? median(values) : undefined;
    return {
      figure: goal.figure,
      backend: goal.backend,
      unit: goal.unit,
      goal: goal.most,
      median: middle,
      lowest: values.length > 0 ? lowest(values) : undefined,
      baseline: baseline[keyOf(goal)],
      verdict: verdictOf(goal.most, middle),
      worse: middle !== undefined && middle > (baseline[keyOf(goal)] ?? Infinity) * (1 + NOISE),
    };
  });
}

function keyOf({ figure, backend }: { readonly figure: string; readonly backend: string }): string {
  return `${figure} (${backend})`;
}

function verdictOf(goal: number, value: number | undefined): Judged['verdict'] {
  if (value === undefined) return 'left out';
  if (value <= goal) return 'met';
  return value <= goal * (1 + NOISE) ? 'near' : 'FAILED';
}

function short(value: number | undefined): string {
  if (value === undefined) return '–';
  return value >= 100
    ? value.toFixed(0)
    : value >= 10
      ? value.toFixed(1)
      : value >= 1
        ? value.toFixed(2)
        : value.toFixed(3);
}

function unitOf(unit: Goal['unit']): string {
  return unit === 'ratio' ? '' : ` ${unit}`;
}

function table(judged: readonly Judged[]): string[] {
  return [
    '| figure | back end | goal | median | lowest | baseline | |',
    '|---|---|---|---|---|---|---|',
    ...judged.map(
      (row) =>
        `| ${row.figure} | ${row.backend} | ≤ ${short(row.goal)}${unitOf(row.unit)} | ${short(row.median)} | ${short(row.lowest)} | ${short(row.baseline)} | ${row.verdict}${row.worse ? ', worse than the baseline' : ''} |`,
    ),
  ];
}

/** Times by engine: median (lowest) in nanoseconds. For information; no time is judged. */
function times({ rounds }: Measurements): string[] {
  const names = [
    'r1',
    'r1shapes',
    'r1o',
    'r2',
    'r2shapes',
    'error',
    'miss',
    'affected',
    'parse',
    'compile',
    'extend',
    'r1kubernetes',
    'r2kubernetes',
  ];
  const cell = (measured: readonly Measured[], name: string): string => {
    const found = measured.map(({ nanoseconds }) => nanoseconds[name]).filter((value) => value !== undefined);
    return found.length > 0 ? `${short(median(found))} (${short(lowest(found))})` : '–';
  };
  return [
    `| ns: median (lowest) | ${Array.from(rounds.keys()).join(' | ')} |`,
    `|---|${'---|'.repeat(rounds.size)}`,
    ...names.map((name) => `| ${name} | ${Array.from(rounds.values(), (each) => cell(each, name)).join(' | ')} |`),
  ];
}

export function print(judged: readonly Judged[], measurements: Measurements): void {
  for (const line of [...table(judged), '', ...times(measurements)]) console.log(line);
  const count = (verdict: Judged['verdict']): number => judged.filter((row) => row.verdict === verdict).length;
  console.log(
    `\n${count('met')} met, ${count('near')} missed within the noise of ${NOISE * 100} %, ${count('FAILED')} failed, ${count('left out')} left out`,
  );
}

const BEGIN = '<!-- results: written by npm run bench:cel -- --write -->';
const END = '<!-- end of results -->';

/** Keeps the medians as the baseline and puts the tables between the marks of the README. */
export function writeBaseline(
  judged: readonly Judged[],
  measurements: Measurements,
  baselinePath: string,
  readmePath: string,
): void {
  const kept = Object.fromEntries(
    judged.flatMap((row) => (row.median === undefined ? [] : [[keyOf(row), Number(row.median.toPrecision(3))]])),
  );
  mkdirSync(dirname(baselinePath), { recursive: true });
  writeFileSync(baselinePath, `${JSON.stringify(kept, null, 2)}\n`);
  const machine = `Node ${process.versions.node}, ${platform()} ${arch()}, ${cpus().length} processors (${cpus()[0]?.model ?? 'unknown'}), shared with other work.`;
  const results = [BEGIN, machine, '', ...table(judged), '', ...times(measurements), END].join('\n');
  const text = readFileSync(readmePath, 'utf8');
  const [head, rest] = text.split(BEGIN);
  const tail = rest?.split(END)[1];
  if (head === undefined || tail === undefined) throw new Error(`${readmePath} has no marks for the results`);
  writeFileSync(readmePath, `${head}${results}${tail}`);
}
