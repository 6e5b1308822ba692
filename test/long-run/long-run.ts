/**
 * The long form of the test beside it: 10⁶ compiles and 10⁸ evaluations, whose heap has to stay flat. Takes some minutes.
 *
 *   npm run -s long-run -- [--compiles N] [--evaluations N]
 */
import { parseArgs } from 'node:util';
import { BAND, type Heap, longRun } from './run.ts';

const { values } = parseArgs({
  options: {
    compiles: { type: 'string', default: '1000000' },
    evaluations: { type: 'string', default: '100000000' },
  },
});

let failed = 0;
function report(what: string, { early, late }: Heap): void {
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(2);
  const flat = late - early < BAND;
  if (!flat) failed += 1;
  console.log(`${what}: ${megabytes(early)} MB early, ${megabytes(late)} MB late: ${flat ? 'flat' : 'GROWS'}`);
}

const { compiling, evaluating } = longRun(Number(values.compiles), Number(values.evaluations));
report(`${values.compiles} compiles`, compiling);
report(`${values.evaluations} evaluations`, evaluating);
console.log(`${2 - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
