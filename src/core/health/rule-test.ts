import { asString, field, isMap, type JsonMap } from '../object/fields.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';
import { assessObjects } from './assess-objects.ts';
import type { CompiledRules } from './compile.ts';
import { parseDeadline } from './deadline.ts';
import type { RuleProblem } from './rule.ts';
import { type HealthState, STATES_WORST_FIRST, type Verdict, type VerdictReason } from './verdict.ts';

/** One case of a rule.test.yaml. */
export interface RuleTestCase {
  /** The situation, in words. */
  readonly name: string;
  /** File with the judged object, relative to the rule's folder. */
  readonly object: string;
  /** Files with objects that are in view besides. */
  readonly with: readonly string[];
  readonly state: HealthState;
  readonly reason?: VerdictReason;
  /** The exact message. */
  readonly message?: string;
  /** ms since 1970; default: the time the runner is given. */
  readonly now?: number;
  /** ms. */
  readonly deadline?: number;
}

export interface RuleTestResult {
  readonly name: string;
  readonly passed: boolean;
  readonly verdict: Verdict;
  /** Lines `field: expected X, got Y`; empty when passed. */
  readonly differences: readonly string[];
}

const CASE_FIELDS = ['name', 'object', 'with', 'state', 'reason', 'message', 'now', 'deadline'];

/** Reads a rule.test.yaml: `cases: [{name, object, state, …}]`. Never throws. */
export function readRuleTests(
  document: unknown,
  source: string,
): { readonly cases: readonly RuleTestCase[]; readonly problems: readonly RuleProblem[] } {
  const problems: RuleProblem[] = [];
  for (const key of isMap(document) ? Object.keys(document) : []) {
    if (key !== 'cases') problems.push({ source, path: key, message: 'is no field here; known is cases' });
  }
  const list = field(document, 'cases');
  if (!Array.isArray(list) || list.length === 0) {
    problems.push({ source, path: 'cases', message: 'is empty: a rule is tested by a list of cases' });
    return { cases: [], problems };
  }
  const cases: RuleTestCase[] = [];
  list.forEach((entry, index) => {
    const wrong = (path: string, message: string): void => {
      problems.push({ source, path: `cases[${index}]${path}`, message });
    };
    const read = isMap(entry) ? readCase(entry, wrong) : wrong('', 'has to be a map with name, object and state');
    if (read !== undefined) cases.push(read);
  });
  return { cases, problems };
}

function readCase(entry: JsonMap, wrong: (path: string, message: string) => void): RuleTestCase | undefined {
  for (const key of Object.keys(entry)) {
    if (!CASE_FIELDS.includes(key)) wrong(`.${key}`, `is no field of a case; known are ${CASE_FIELDS.join(', ')}`);
  }
  const state = STATES_WORST_FIRST.find((candidate) => candidate === entry['state']);
  if (state === undefined) wrong('.state', `has to be one of ${STATES_WORST_FIRST.join(', ')}`);
  const object = asString(entry['object']);
  if (object === '') wrong('.object', 'is missing: the file that holds the object');
  if (state === undefined || object === '') return undefined;
  const { name, message, now, deadline } = entry;
  const files = entry['with'];
  const parsedNow = typeof now === 'string' ? Date.parse(now) : undefined;
  if (now !== undefined && (parsedNow === undefined || Number.isNaN(parsedNow))) wrong('.now', 'is no RFC 3339 time');
  const parsedDeadline = typeof deadline === 'string' ? parseDeadline(deadline) : undefined;
  if (typeof parsedDeadline === 'object') wrong('.deadline', parsedDeadline.problem);
  return {
    name: typeof name === 'string' ? name : object,
    object,
    with: Array.isArray(files) ? files.filter((file) => typeof file === 'string') : [],
    state,
    ...(typeof entry['reason'] === 'string' ? { reason: entry['reason'] as VerdictReason } : {}), // compared as text only
    ...(typeof message === 'string' ? { message } : {}),
    ...(parsedNow === undefined || Number.isNaN(parsedNow) ? {} : { now: parsedNow }),
    ...(typeof parsedDeadline === 'number' ? { deadline: parsedDeadline } : {}),
  };
}

/**
 * Judges a case as `convoy health` judges a file: failFast, the other objects in view.
 * @param objects the judged object first, then those of `with`
 * @param now ms since 1970, for a case that names no time
 */
export function runRuleTest(
  test: RuleTestCase,
  objects: readonly KubernetesObject[],
  rules: CompiledRules,
  now: number,
): RuleTestResult {
  const assessed = assessObjects(objects, rules, {
    now: test.now ?? now,
    failFast: true,
    ...(test.deadline === undefined ? {} : { deadline: test.deadline }),
  });
  const verdict: Verdict = assessed[0]?.verdict ?? {
    state: 'Unknown',
    reason: 'NotFound',
    message: 'the case has no object',
  };
  const differences: string[] = [];
  for (const name of ['state', 'reason', 'message'] as const) {
    const expected = test[name];
    if (expected !== undefined && expected !== verdict[name]) {
      differences.push(`${name}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(verdict[name])}`);
    }
  }
  if (differences.length > 0 && !differences.some((line) => line.startsWith('message')) && verdict.message !== '') {
    differences.push(`it says: ${verdict.message}`);
  }
  return { name: test.name, passed: differences.length === 0, verdict, differences };
}
