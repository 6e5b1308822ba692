import type * as Cel from '../../src/cel/index.ts';
import { deploymentIsReady, podIsReady } from './floor.ts';
import { type Case, inTurn } from './stopwatch.ts';
import {
  DEPLOYMENT,
  DEPLOYMENTS,
  EXPECTED,
  POD,
  PODS,
  R1,
  R1O,
  R2,
  THOUSAND,
  variantOfR1,
  WITHOUT_STATUS,
} from './subjects.ts';

export type Cases = Readonly<Record<string, Case>>;

type Evaluate = (bindings: { readonly obj: unknown }) => unknown;

/** A rule in one engine. */
interface Rules {
  readonly r1: Evaluate;
  readonly r1o?: Evaluate;
  readonly r2: Evaluate;
}

function mustGive(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what} gave ${String(actual)} instead of ${String(expected)}`);
}

const bound = (objects: readonly unknown[]) => objects.map((obj) => ({ obj }));

/** The cases that every engine has, after a look at the answers. */
function evaluations(rules: Rules): Cases {
  for (const input of bound(DEPLOYMENTS)) mustGive('R1', rules.r1(input), EXPECTED.r1);
  for (const input of bound(PODS)) mustGive('R2', rules.r2(input), EXPECTED.r2);
  mustGive('exists', rules.r2({ obj: THOUSAND }), EXPECTED.miss);
  const cases: Record<string, Case> = {
    r1: inTurn(bound([DEPLOYMENT]), rules.r1),
    r1shapes: inTurn(bound(DEPLOYMENTS), rules.r1),
    r2: inTurn(bound([POD]), rules.r2),
    r2shapes: inTurn(bound(PODS), rules.r2),
    miss: inTurn(bound([THOUSAND]), rules.r2),
  };
  const { r1o } = rules;
  if (r1o) {
    mustGive('R1o', r1o({ obj: DEPLOYMENT }), EXPECTED.r1o);
    cases['r1o'] = inTurn(bound([DEPLOYMENT]), r1o);
  }
  return cases;
}

/** Rules of other kinds: a process that judges a cluster runs many, and shares the code of one between all. */
const OTHERS: readonly string[] = [
  'obj.metadata.name.startsWith("web") || obj.metadata.namespace == "shop"',
  'obj.spec.replicas + 1 > 2 && !(obj.kind in ["Pod", "Job"])',
  'obj.?status.?conditions.orValue([]).filter(c, c.type == "Ready").size() <= 1',
  'has(obj.metadata.labels) ? obj.metadata.labels.all(k, k != "") : true',
];

function convoyProgram(environment: Cel.Environment, source: string): Cel.Program {
  const compiled = environment.compile(source);
  if (!compiled.ok) throw new Error(compiled.issues.map(({ message }) => message).join('; '));
  return compiled.program;
}

/** Evaluations after which any of the rules is hot, whatever it costs. */
const CERTAINLY_HOT = 60_000;

function heat(program: Cel.Program, obj: unknown): void {
  for (let count = 0; count < CERTAINLY_HOT && program.backend === 'closures'; count += 1) program.evaluate({ obj });
}

export function convoy(engine: typeof Cel, codegen: boolean): Cases {
  const environment = engine.createEnvironment({ variables: { obj: 'dyn' }, codegen });
  const kubernetes = engine.createEnvironment({ version: '1.36', variables: { obj: 'dyn' }, codegen });
  const [r1, r1o, r2] = [R1, R1O, R2].map((source) => convoyProgram(environment, source)) as [
    Cel.Program,
    Cel.Program,
    Cel.Program,
  ];
  const others = OTHERS.map((source) => convoyProgram(environment, source));
  for (let index = 0; index < 5_000; index += 1) {
    for (const program of others) program.evaluate({ obj: DEPLOYMENTS[index % DEPLOYMENTS.length] });
  }
  if (codegen) {
    for (const program of [r1, r1o, ...others]) heat(program, DEPLOYMENT);
    heat(r2, POD);
  }
  const failing = { obj: WITHOUT_STATUS };
  if (!engine.isCelError(r1.evaluate(failing))) throw new Error('R1 without status is no error');
  const copies = DEPLOYMENTS.map((before) => ({ before, after: JSON.parse(JSON.stringify(before)) as unknown }));
  mustGive('affectedBy', r1.affectedBy('obj', copies[0]?.before, copies[0]?.after), false);
  let variant = 0;
  return {
    ...evaluations({
      r1: (input) => r1.evaluate(input),
      r1o: (input) => r1o.evaluate(input),
      r2: (input) => r2.evaluate(input),
    }),
    error: inTurn([failing], (input) => r1.evaluate(input)),
    affected: inTurn(copies, ({ before, after }) => r1.affectedBy('obj', before, after)),
    parse: inTurn([R1], (source) => environment.parse(source)),
    compile: inTurn([0], () => {
      variant += 1;
      return kubernetes.compile(variantOfR1(variant)).ok;
    }),
    extend: inTurn([0], () => engine.createEnvironment({ variables: { obj: 'dyn' }, codegen })),
  };
}

export async function celJs(): Promise<Cases> {
  const { Environment } = await import('@marcbachmann/cel-js');
  const environment = new Environment({ unlistedVariablesAreDyn: true, enableOptionalTypes: true });
  const [r1, r1o, r2] = [R1, R1O, R2].map((source) => environment.parse(source)) as unknown as [
    Evaluate,
    Evaluate,
    Evaluate,
  ];
  return { ...evaluations({ r1, r1o, r2 }), parse: inTurn([R1], (source) => environment.parse(source)) };
}

export async function bufbuild(): Promise<Cases> {
  const { celEnv, parse, plan } = await import('@bufbuild/cel');
  const environment = celEnv();
  const [r1, r2] = [R1, R2].map((source) => plan(environment, parse(source))) as unknown as [Evaluate, Evaluate];
  return { ...evaluations({ r1, r2 }), parse: inTurn([R1], (source) => parse(source)) };
}

export function floor(): Cases {
  return evaluations({ r1: ({ obj }) => deploymentIsReady(obj), r2: ({ obj }) => podIsReady(obj) });
}
