import { isDeepStrictEqual } from 'node:util';
import { createEnvironment, type Environment, isCelError, toJs } from '../../src/cel/index.ts';
import { bindObject, RULE_VARIABLES } from '../../src/core/health/bindings.ts';
import { type Rule, readRuleSet, readRuleTests } from '../../src/core/health/index.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';
import { readObject, ruleFolders } from '../rules/rule-folders.ts';
import { casesPresent, type PeerCase, readLines } from '../rules/third-party-cases.ts';

/** An expression of a shipped rule over a recorded object, with the variables that it mentions, as JSON. */
export interface RuleQuestion {
  readonly expr: string;
  readonly vars: Readonly<Record<string, unknown>>;
}

/** The questions of one rule document. */
export interface RuleQuestions {
  readonly path: string;
  readonly questions: readonly RuleQuestion[];
}

const THIRD_PARTY = ['argo.open.jsonl', 'gitops-engine.open.jsonl', 'kstatus.open.jsonl'];

/** All variables `dyn`, as the reference declares them. */
export const ruleLanguage: Environment = createEnvironment({
  variables: Object.fromEntries(Object.keys(RULE_VARIABLES).map((name) => [name, 'dyn' as const])),
});

/** Every expression of every shipped rule over its own test objects, and over those of other projects where they are there. */
export function* ruleQuestions(): Generator<RuleQuestions> {
  const strangers = THIRD_PARTY.filter(casesPresent).flatMap((file) => readLines<PeerCase>(file));
  for (const folder of ruleFolders('rules')) {
    const { set } = readRuleSet(folder.rule, folder.path);
    if (set === undefined) continue;
    const own = readRuleTests(folder.tests, folder.path).cases.map(({ object, with: others }) =>
      [object, ...others].map((file) => readObject(`${folder.path}/${file}`)),
    );
    const questions = set.rules.flatMap((rule) => [
      ...own.flatMap(([object, related]) => (object ? questionsOf(rule, object, related ?? null) : [])),
      ...strangers
        .filter(({ kind }) => set.generic || rule.kinds?.includes(kind))
        .flatMap(({ object }) => questionsOf(rule, object, null)),
    ]);
    yield { path: folder.path, questions };
  }
}

/** The time of a pass is no JSON; what reads it is left out. */
const OUTSIDE_OF_JSON = /\bnow\b/;

function questionsOf(rule: Rule, object: KubernetesObject, related: KubernetesObject | null): readonly RuleQuestion[] {
  const bindings = bindObject(object, null, true, 'masked');
  for (const { name } of rule.related) bindings.related[name] = related;
  const questions: RuleQuestion[] = [];
  const ask = (expr: string): RuleQuestion | undefined => {
    if (OUTSIDE_OF_JSON.test(expr)) return undefined;
    const question = { expr, vars: mentioned(expr, bindings) };
    questions.push(question);
    return question;
  };
  for (const { name, expression } of rule.variables) {
    const question = ask(expression);
    const value = question && jsonOf(question);
    if (value !== undefined) bindings.variables[name] = value;
  }
  for (const expr of [rule.healthy, rule.message, rule.failed, rule.suspended, rule.reason]) if (expr) ask(expr);
  return questions;
}

function mentioned(expr: string, bindings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = Object.keys(RULE_VARIABLES).filter((name) => new RegExp(`\\b${name}\\b`).test(expr));
  const vars = Object.fromEntries(names.map((name) => [name, bindings[name]]));
  const variables = (vars['variables'] ?? {}) as Readonly<Record<string, unknown>>;
  if (names.includes('variables')) {
    vars['variables'] = Object.fromEntries(
      Object.entries(variables).filter(([name]) => new RegExp(`\\bvariables\\.\\??${name}\\b`).test(expr)),
    );
  }
  // As both engines get it.
  return JSON.parse(JSON.stringify(vars)) as Record<string, unknown>;
}

/** The value of a variable for those after it, where JSON holds it whole; an error, as any other value, is not bound. */
function jsonOf({ expr, vars }: RuleQuestion): unknown {
  const compiled = ruleLanguage.compile(expr);
  const result = compiled.ok ? compiled.program.evaluate(vars) : undefined;
  if (result === undefined || isCelError(result)) return undefined;
  try {
    const plain = toJs(result);
    return isDeepStrictEqual(JSON.parse(JSON.stringify(plain)), plain) ? plain : undefined;
  } catch {
    return undefined;
  }
}
