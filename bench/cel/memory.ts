/**
 * Retained heap of a program, in bytes, and the milliseconds of the first environment of a process, each from a process of its own.
 * Started with --expose-gc: `memory.ts BUNDLE closures|code`.
 */
import { pathToFileURL } from 'node:url';
import type * as Cel from '../../src/cel/index.ts';
import { DEPLOYMENT, variantOfR1 } from './subjects.ts';

const [bundle = '', backend = ''] = process.argv.slice(2);
const PROGRAMS = 400;

const engine = (await import(pathToFileURL(bundle).href)) as typeof Cel;
const start = performance.now();
const environment = engine.createEnvironment({ variables: { obj: 'dyn' }, codegen: backend === 'code' && 'eager' });
const firstEnvironment = performance.now() - start;

function make(from: number, count: number): Cel.Program[] {
  return Array.from({ length: count }, (_, index) => {
    const compiled = environment.compile(variantOfR1(from + index));
    if (!compiled.ok) throw new Error('R1 does not compile');
    if (compiled.program.evaluate({ obj: DEPLOYMENT }) !== true) throw new Error('R1 is not true');
    return compiled.program;
  });
}

function heap(): number {
  if (!globalThis.gc) throw new Error('run with --expose-gc');
  for (let time = 0; time < 4; time += 1) globalThis.gc();
  return process.memoryUsage().heapUsed;
}

// What the first programs cause to be compiled and cached belongs to the engine, not to a program.
const kept = [make(10, 100)];
const before = heap();
kept.push(make(1000, PROGRAMS));
const bytesPerProgram = (heap() - before) / PROGRAMS;
if (kept.length !== 2) throw new Error('the programs are gone');
console.log(JSON.stringify({ bytesPerProgram, firstEnvironment }));
