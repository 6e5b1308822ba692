/**
 * Random expressions, answered by this engine and by the reference (`go build -o oracle . ` in this folder), compared in
 * value, error or not, and cost.
 *
 *   node test/oracle/differential.ts ORACLE [count] [seed] [mode]
 */
import { spawnSync } from 'node:child_process';
import { createEnvironment, type EnvironmentVersion, isCelError } from '../../src/cel/index.ts';
import { ExpressionWriter, SUBJECT } from './expressions.ts';
import { typedValue } from './typed-value.ts';

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
  readonly issue?: string;
  readonly type?: string;
  readonly cost?: number;
}

const [oracle = 'oracle', count = '1000', seed = String(Date.now() % 1e6), mode = '1.36'] = process.argv.slice(2);

const writer = new ExpressionWriter(Number(seed));
const expressions = Array.from({ length: Number(count) }, () => writer.write());
const input = expressions.map((expr, id) => JSON.stringify({ id, expr, mode, vars: { obj: SUBJECT } })).join('\n');
const run = spawnSync(oracle, { input, encoding: 'utf8', maxBuffer: 1 << 30 });
if (run.status !== 0) {
  console.error(`the oracle ${oracle} did not run: ${run.error?.message ?? run.stderr}`);
  process.exit(2);
}
const answers = run.stdout
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Answer);
const environment = createEnvironment({ version: mode as EnvironmentVersion, variables: { obj: 'dyn' } });

/** Deviations on purpose; docs/spec/cel.md has the reasons. Each tells by the difference itself, not by the expression. */
const DEVIATIONS: readonly { readonly id: string; readonly found: (difference: string, expr: string) => boolean }[] = [
  // The specification allows bool, int, uint and string as keys; cel-go takes anything.
  { id: 'D2', found: (difference) => /a (map )?key (of a map )?is a bool, int, uint or string/.test(difference) },
  { id: 'D2', found: (difference) => difference.includes('invalid qualifier type') },
  // A map walks in insertion order, in Go in a random one.
  {
    id: 'D5',
    found: (difference, expr) =>
      /\b(obj|m|c|\{.*\})\)?\.(map|filter|exists|all|exists_one)\(/.test(expr) && !difference.includes('compile'),
  },
  {
    id: 'D7',
    found: (difference, expr) =>
      difference.startsWith('cost') && /\.(map|filter)\(/.test(expr) && /\|\||&&|\?/.test(expr),
  },
  // The type of the elements of [] and of optional.none() is found a little differently.
  {
    id: 'D13',
    found: (difference, expr) => difference.includes('compile') && /\[\]|optional\.none\(\)/.test(expr),
  },
  // cel-go negates a duration that reaches `-` as dyn, though it declares no such overload.
  { id: 'D14', found: (difference) => difference.includes('no such overload: -_(google.protobuf.Duration)') },
  // An optional in an optional stays one, as its type says; cel-go unwraps it once in optMap.
  {
    id: 'D12',
    found: (difference, expr) =>
      expr.includes('.optMap(') && !difference.startsWith('cost') && !difference.includes('compile'),
  },
];

/** Why the two differ, or undefined. */
function difference(expr: string, answer: Answer): string | undefined {
  const compiled = environment.compile(expr);
  if (!compiled.ok) {
    return answer.issue === undefined
      ? `does not compile: ${compiled.issues[0]?.message}\n  reference: ${JSON.stringify(answer)}`
      : undefined;
  }
  if (answer.issue !== undefined) return `compiles, the reference says: ${answer.issue.split('\n')[0]}`;
  const { program } = compiled;
  const result = program.evaluate({ obj: SUBJECT });
  if (isCelError(result))
    return answer.error === undefined
      ? `error ${result.code}: ${result.message}\n  reference: ${JSON.stringify(answer)}`
      : undefined;
  const typed = JSON.stringify(typedValue(result));
  if (answer.error !== undefined) return `${typed}, the reference fails: ${answer.error}`;
  if (typed !== JSON.stringify(answer.value)) return `${typed}\n  reference: ${JSON.stringify(answer.value)}`;
  return program.lastCost === answer.cost ? undefined : `cost ${program.lastCost}, reference ${answer.cost}`;
}

let different = 0;
const listed = new Map<string, number>();
const tally = { value: 0, error: 0, issue: 0 };
expressions.forEach((expr, index) => {
  const answer = answers[index]!;
  tally[answer.issue !== undefined ? 'issue' : answer.error !== undefined ? 'error' : 'value'] += 1;
  const found = difference(expr, answer);
  if (found === undefined) return;
  const deviation = DEVIATIONS.find((each) => each.found(found, expr));
  if (deviation) {
    listed.set(deviation.id, (listed.get(deviation.id) ?? 0) + 1);
    return;
  }
  different += 1;
  if (different <= 30) console.log(`${expr}\n  ${found}`);
});
console.log(
  `${expressions.length} expressions (seed ${seed}, ${mode}): ${tally.value} values, ${tally.error} errors, ${tally.issue} refused; ${different} differ, listed deviations: ${JSON.stringify(Object.fromEntries(listed))}`,
);
process.exitCode = different > 0 ? 1 : 0;
