/** What a stranger writes against the published entry; strings, since it runs where nothing of the checkout is. */

const WORK = `
const environment = cel.createEnvironment({ variables: { obj: 'dyn' }, codegen: CODEGEN });
const compiled = environment.compile('has(obj.spec) && obj.spec.name.matches("^w[a-z]+$") && obj.spec.replicas > 1');
const { program } = compiled;
const explained = program.explain({ obj: { spec: { name: 'web', replicas: 1 } } });
const wrong = environment.compile('obj.spec +');
const loop = environment.compile('obj.list.filter(e, e.?n.orValue(0) > 1).map(e, e.n * 2)').program;
const report = {
  backend: program.backend,
  yes: program.evaluate({ obj: { spec: { name: 'web', replicas: 2 } } }),
  cost: program.lastCost,
  error: cel.isCelError(program.evaluate({ obj: { spec: {} } })),
  loop: loop.evaluate({ obj: { list: [{}, { n: 1 }, { n: 2 }] } }),
  because: tools.explainText(explained),
  lint: tools.lint(environment, 'obj.a.b == 1')[0]?.code,
  format: tools.format('1+ 1'),
  estimate: tools.estimateCost(program).min <= program.lastCost,
  complete: tools.complete(environment, 'ob', 2)[0]?.label,
  describe: tools.describe(environment).length > 100,
  broken: tools.describe(environment).flatMap(({ examples }) => examples).map(({ expression }) => expression).filter((expression) => {
    const example = environment.compile(expression);
    return !example.ok || example.program.evaluate({})?.code === 'internal';
  }),
  issue: wrong.ok ? 'none' : wrong.issues[0].line + ':' + wrong.issues[0].column,
};
`;

/** A module for Node that prints its report. */
export function nodeProgram(): string {
  return `import * as cel from 'convoy/cel';\nimport * as tools from 'convoy/cel/tools';\n${WORK.replace('CODEGEN', "'eager'")}\nconsole.log(JSON.stringify(report));\n`;
}

/** A page that puts its report into its body; closures alone, for a policy that forbids code from text. */
export function page(): string {
  return `<!doctype html><meta http-equiv="content-security-policy" content="script-src 'self' 'unsafe-inline'">
<body></body><script type="module">import * as cel from './index.js';\nimport * as tools from './tools.js';\n${WORK.replace('CODEGEN', "'eager'")}
document.body.textContent = JSON.stringify(report);</script>`;
}

export const EXPECTED = {
  yes: true,
  cost: 11,
  error: true,
  loop: [4],
  because: 'obj.spec.replicas is 1',
  lint: 'unguarded_field',
  format: '1 + 1',
  estimate: true,
  complete: 'obj',
  describe: true,
  broken: [],
  issue: '1:11',
};

/** Types as a stranger meets them. */
export const TYPED_PROGRAM = `import { type CelResult, createEnvironment, isCelError, type Program } from 'convoy/cel';
import { lint } from 'convoy/cel/tools';

export function judge(source: string, obj: unknown): string {
  const environment = createEnvironment({ variables: { obj: 'dyn' } });
  for (const { message, hint } of lint(environment, source)) console.warn(message, hint);
  const compiled = environment.compile(source, { resultType: 'bool' });
  if (!compiled.ok) return compiled.issues.map(({ message }) => message).join();
  const program: Program = compiled.program;
  const result: CelResult = program.evaluate({ obj });
  return isCelError(result) ? result.code : String(result);
}
// @ts-expect-error: a source is a string
judge(1, {});
`;
