/**
 * One engine in a process of its own. Warms up, says so, and measures every case once for each line on standard input, answering with
 * a line of JSON: nanoseconds by case, and the milliseconds of processor time that it took.
 */
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import type * as Cel from '../../src/cel/index.ts';
import { bufbuild, type Cases, celJs, convoy, floor } from './engines.ts';
import { round, warmUp } from './stopwatch.ts';

const [engine = '', bundle = ''] = process.argv.slice(2);

async function casesOf(name: string): Promise<Cases> {
  switch (name) {
    case 'closures':
    case 'code':
      return convoy((await import(pathToFileURL(bundle).href)) as typeof Cel, name === 'code');
    case 'cel-js':
      return celJs();
    case 'bufbuild':
      return bufbuild();
    case 'floor':
      return floor();
    default:
      throw new Error(`no engine is called ${name}`);
  }
}

const cases = await casesOf(engine);
const counts = warmUp(cases);
console.log('{"ready":true}');
for await (const _line of createInterface({ input: process.stdin })) {
  const before = process.cpuUsage();
  const nanoseconds = round(cases, counts);
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify({ nanoseconds, processor: (user + system) / 1000 }));
}
