import { createEnvironment } from '../../src/cel/index.ts';
import { lint } from '../../src/cel/tools.ts';

/**
 * Run by `small-stack.test.ts` under `node --stack-size=480`: compiles, lints and evaluates the deepest expressions the
 * limits allow, prints a line for each that is not refused, and dies when one overflows the stack.
 */
const environment = createEnvironment({ variables: { a: 'dyn', x: 'int' } });
const N = 240;
const DEEPEST: Readonly<Record<string, string>> = {
  parentheses: `${'('.repeat(N)}x${')'.repeat(N)}`,
  lists: `${'['.repeat(N)}x${']'.repeat(N)}`,
  maps: `${'{1:'.repeat(N)}1${'}'.repeat(N)}`,
  calls: `${'dyn('.repeat(N)}1${')'.repeat(N)}`,
  negations: `${'!('.repeat(N)}true${')'.repeat(N)}`,
  conditions: `${'x == 1 ? 1 : '.repeat(N)}2`,
  sums: `x${' + x'.repeat(N)}`,
  fields: `(a${'.a'.repeat(N)})${'.a'.repeat(N)}`,
  indexes: `${'a['.repeat(N)}0${']'.repeat(N)}`,
  mixed: `${'[!has(a.b) ? dyn(1 < 2 + 3 * x) : {1: ['.repeat(45)}x${']}]'.repeat(45)}`,
  disjunction: `x == 1${' || x == 1'.repeat(8_000)}`,
  comprehensions: `${'[1].map(y, '.repeat(8)}x${')'.repeat(8)}`,
};

for (const [name, source] of Object.entries(DEEPEST)) {
  const compiled = environment.compile(source);
  if (!compiled.ok) {
    console.log(`${name}: ${compiled.issues[0]?.message}`);
    continue;
  }
  lint(environment, source);
  compiled.program.evaluate({ a: {}, x: 1 });
  console.log(`${name}: ok`);
}
