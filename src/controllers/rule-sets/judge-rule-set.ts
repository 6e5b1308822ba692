import { compileRuleSets, type RuleIssue, type RuleProblem, readRuleSet } from '../../core/health/index.ts';
import { asString, field } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';

/** Rules that a message tells of; whoever mends ten sees the next ten. */
const TOLD = 10;
/** Characters of a message; a status holds no book. */
const LONGEST = 4_096;

/** What the condition Ready says of a rule set. */
export interface RuleSetJudgement {
  readonly status: 'True' | 'False';
  /** Every rule can be used, or not. */
  readonly reason: 'RulesCompile' | 'RuleInvalid';
  readonly message: string;
}

/** Whether every rule of a rule set can be used; of those that cannot, where and why, with a caret under the place. */
export function judgeRuleSet(object: KubernetesObject): RuleSetJudgement {
  const { set, problems } = readRuleSet(object, asString(field(object['metadata'], 'name')));
  const issues = set === undefined ? [] : compileRuleSets([set]).compileAll();
  const wrong = [...problemsByPlace(problems), ...issuesByRule(issues)];
  if (wrong.length === 0) {
    const count = set?.rules.length ?? 0;
    return {
      status: 'True',
      reason: 'RulesCompile',
      message: count === 1 ? '1 rule compiles' : `${count} rules compile`,
    };
  }
  const more = wrong.length > TOLD ? [`and ${wrong.length - TOLD} more`] : [];
  return { status: 'False', reason: 'RuleInvalid', message: cut([...wrong.slice(0, TOLD), ...more].join('\n')) };
}

/** What the document says wrong, one text each. */
function problemsByPlace(problems: readonly RuleProblem[]): readonly string[] {
  return problems.map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
}

/** One text for each rule that does not compile: `SET#RULE FIELD LINE:COLUMN: …`, the line, the caret. */
function issuesByRule(issues: readonly RuleIssue[]): readonly string[] {
  const first = new Map<string, RuleIssue>();
  for (const issue of issues) {
    const id = `${issue.set}#${issue.rule}`;
    if (issue.severity === 'error' && !first.has(id)) first.set(id, issue);
  }
  return [...first].map(([id, { field: where, text }]) => `${id} ${where} ${text}`);
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length <= LONGEST ? text : `${characters.slice(0, LONGEST - 1).join('')}…`;
}
