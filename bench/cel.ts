/**
 * The CEL engine beside its peers: every figure of its goals in one run. One process for each engine, rounds in turn, so that a busy
 * machine slows all alike; every ratio is taken within a round. Ends with 1 when a goal is missed by more than the noise.
 *
 *   npm run -s bench:cel -- [--rounds 9] [--json] [--write]
 *
 * `--write` makes the results the baseline, and writes them into bench/README.md.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { engineTexts } from '../scripts/build-cel.ts';
import { buildEngines } from './cel/bundles.ts';
import { EngineProcess, type Measured } from './cel/engine-process.ts';
import { judge, type Measurements, print, writeBaseline } from './cel/report.ts';
import { median } from './cel/statistics.ts';
import { DEPLOYMENT, POD, R1, R1O, R2 } from './cel/subjects.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const wanted = Number(values.rounds);
/** A round counts as quiet when other processes took less than this share of one processor. */
const QUIET = 0.2;
const root = join(import.meta.dirname, '..');
const worker = join(import.meta.dirname, 'cel', 'worker.ts');

function note(text: string): void {
  if (!values.json) console.log(text);
}

function referenceProcess(): EngineProcess | undefined {
  if (spawnSync('go', ['version']).status !== 0) {
    note('cel-go is left out: there is no Go toolchain here');
    return undefined;
  }
  const binary = join(root, '.cache', 'cel-bench');
  mkdirSync(join(root, '.cache'), { recursive: true });
  const options = { cwd: join(root, 'test', 'oracle'), encoding: 'utf8' } as const;
  const built = spawnSync('go', ['build', '-o', binary, './bench'], options);
  if (built.status !== 0) {
    note(`cel-go is left out: ${built.stderr.trim().split('\n').at(-1)}`);
    return undefined;
  }
  const rules = [
    { name: 'r1', source: R1, object: DEPLOYMENT },
    { name: 'r1o', source: R1O, object: DEPLOYMENT },
    { name: 'r2', source: R2, object: POD },
  ];
  return new EngineProcess(binary, [], JSON.stringify(rules));
}

/** Milliseconds that all processors of the machine were busy since it started. */
function machineTime(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

async function measure(engines: ReadonlyMap<string, EngineProcess>): Promise<Map<string, Measured[]>> {
  const quiet = new Map<string, Measured[]>(Array.from(engines.keys(), (name) => [name, []]));
  const all = new Map<string, Measured[]>(Array.from(engines.keys(), (name) => [name, []]));
  let quietRounds = 0;
  for (let count = 0; quietRounds < wanted && count < 2 * wanted; count += 1) {
    const began = performance.now();
    const before = machineTime();
    const round = new Map<string, Measured>();
    for (const [name, engine] of engines) round.set(name, await engine.round());
    const ours = Array.from(round.values()).reduce((sum, { processor }) => sum + processor, 0);
    const others = (machineTime() - before - ours) / (performance.now() - began);
    for (const [name, measured] of round) all.get(name)?.push(measured);
    if (others > QUIET) continue;
    quietRounds += 1;
    for (const [name, measured] of round) quiet.get(name)?.push(measured);
  }
  if (quietRounds >= wanted) return quiet;
  note(`only ${quietRounds} quiet rounds: the machine is busy, so all rounds count`);
  return all;
}

function separateProcess(bundle: string, backend: string): { bytesPerProgram: number; firstEnvironment: number } {
  const args = ['--expose-gc', join(import.meta.dirname, 'cel', 'memory.ts'), bundle, backend];
  const ran = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(ran.stderr);
  return JSON.parse(ran.stdout);
}

/** The figures that are no times of a round. */
async function figures(bundle: string): Promise<Record<string, number>> {
  const closures = Array.from({ length: 5 }, () => separateProcess(bundle, 'closures'));
  const code = Array.from({ length: 3 }, () => separateProcess(bundle, 'code'));
  const compressed = async (whole: boolean): Promise<number> =>
    (await engineTexts(whole)).reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0) / 1000;
  return {
    heapClosures: median(closures.map(({ bytesPerProgram }) => bytesPerProgram)) / 1000,
    heapCode: median(code.map(({ bytesPerProgram }) => bytesPerProgram)) / 1000,
    firstEnvironment: median(closures.map(({ firstEnvironment }) => firstEnvironment)),
    packageAlone: await compressed(false),
    packageWhole: await compressed(true),
  };
}

const { charging, free } = await buildEngines();
const engines = new Map<string, EngineProcess>();
const start = (name: string, engine: string, bundle: string): void => {
  engines.set(name, new EngineProcess(process.execPath, [worker, engine, bundle]));
};
try {
  start('closures', 'closures', charging);
  start('closures-free', 'closures', free);
  start('code', 'code', charging);
  start('code-free', 'code', free);
  start('floor', 'floor', '');
  start('cel-js', 'cel-js', '');
  start('bufbuild', 'bufbuild', '');
  const reference = referenceProcess();
  if (reference) engines.set('cel-go', reference);
  for (const engine of engines.values()) await engine.ready();
  const rounds = await measure(engines);
  const measurements: Measurements = { rounds, figures: await figures(charging) };
  const baselinePath = join(import.meta.dirname, 'baseline', 'cel.json');
  const baseline: Record<string, number> = existsSync(baselinePath)
    ? JSON.parse(readFileSync(baselinePath, 'utf8'))
    : {};
  const judged = judge(measurements, baseline);
  if (values.json) console.log(JSON.stringify(judged, null, 2));
  else print(judged, measurements);
  if (values.write) writeBaseline(judged, measurements, baselinePath, join(import.meta.dirname, 'README.md'));
  process.exitCode = judged.some(({ verdict }) => verdict === 'FAILED') ? 1 : 0;
} finally {
  for (const engine of engines.values()) engine.end();
}
