import { fromJs } from '../../cel/index.ts';
import { assertNever } from '../object/assert-never.ts';
import { asMap, asString } from '../object/fields.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';
import { bindObject, type RuleBindings } from './bindings.ts';
import type { CompiledRule, CompiledRules } from './compile.ts';
import { type DeadlineClock, failingSince, remaining } from './deadline.ts';
import { evaluateRule, type RelatedLookup, type RuleOutcome } from './evaluate-rule.ts';
import { fitMessage } from './message.ts';
import { preambleFailure } from './preamble.ts';
import { type HealthState, STATES_WORST_FIRST, type Verdict, type VerdictReason } from './verdict.ts';

export interface AssessInput extends DeadlineClock {
  readonly object: KubernetesObject;
  readonly rules: CompiledRules;
  /** The plural resource name, where the caller knows it. */
  readonly resource?: string;
  /** A true `failed` is Degraded at once (wave gates, `convoy health`); false: at the deadline. */
  readonly failFast: boolean;
  /** Finds related objects; without it each is null. */
  readonly related?: RelatedLookup;
}

/** A verdict and what to remember for the next look at the same object. */
export interface Judgement {
  readonly verdict: Verdict;
  /** ms since 1970; undefined: it passes (or waits suspended), so its clock does not run. */
  readonly firstUnhealthy: number | undefined;
}

/** Is this object working, and if not, why? Pure: the same input gives the same verdict. Never throws. */
export function assess(input: AssessInput): Verdict {
  return judge(input).verdict;
}

/** One rule's (or the preamble's) say, as a state; `definite`: a failure, so the deadline runs. */
interface Finding {
  readonly state: HealthState;
  readonly reason: VerdictReason;
  readonly message: string;
  readonly rule: string;
  readonly definite: boolean;
}

/** As `assess`, with the start of the failing time that an observer keeps beside the verdict. */
export function judge(input: AssessInput): Judgement {
  const { object, rules, resource } = input;
  const selected = rules.select(asString(object['apiVersion']), asString(object['kind']), resource);
  if (selected.length === 0) {
    return { verdict: { state: 'Healthy', reason: 'NoRule', message: '' }, firstUnhealthy: undefined };
  }
  const findings = collectFindings(input, selected);
  return verdictOf(findings, input);
}

const NOTHING_RELATED: RelatedLookup = () => null;
let boundNow: { readonly ms: number; readonly value: unknown } | undefined;

/** `now` is one value for a whole pass: converted once, not once per object. */
function timestampOf(ms: number): unknown {
  if (boundNow?.ms !== ms) boundNow = { ms, value: fromJs(new Date(ms)) };
  return boundNow.value;
}

/** The bindings of one object for the rules of one set. */
export function bindingsFor(input: Pick<AssessInput, 'object' | 'now'>, rule: CompiledRule): RuleBindings {
  return bindObject(
    input.object,
    timestampOf(input.now),
    rule.readsConditions,
    rule.set.namespace !== '' && rule.set.contract === 'convoy' ? 'empty' : 'masked',
  );
}

function collectFindings(input: AssessInput, selected: readonly CompiledRule[]): readonly Finding[] {
  const preamble = selected.some((rule) => rule.set.preamble === 'Standard')
    ? preambleFailure(input.object)
    : undefined;
  const deleting = asMap(input.object['metadata'])['deletionTimestamp'] != null;
  const findings: Finding[] = [];
  for (const rule of selected) {
    if (rule.set.contract === 'k0rdent' && deleting) {
      findings.push({ state: 'Healthy', reason: 'AllRulesPass', message: '', rule: rule.id, definite: false });
    } else if (preamble !== undefined && rule.set.preamble === 'Standard') {
      // The rules of the set are not asked: their answer would be about a status that is no longer true.
      const { reason, message } = preamble;
      findings.push({ state: failing(input).state, reason, message, rule: rule.id, definite: true });
    } else {
      const outcome = evaluateRule(rule, bindingsFor(input, rule), input.related ?? NOTHING_RELATED);
      findings.push(findingOf(outcome, rule, input));
    }
  }
  return findings;
}

/** A failure that only time can make worse. */
function failing(input: AssessInput): { readonly state: HealthState; readonly expired: boolean } {
  const left = remaining(input);
  const expired = left !== undefined && left <= 0;
  return { state: expired ? 'Degraded' : 'Progressing', expired };
}

function findingOf(outcome: RuleOutcome, rule: CompiledRule, input: AssessInput): Finding {
  switch (outcome.outcome) {
    case 'pass':
      return { state: 'Healthy', reason: outcome.reason, message: '', rule: rule.id, definite: false };
    case 'failed': {
      const state = input.failFast ? 'Degraded' : failing(input).state;
      return { state, reason: outcome.reason, message: outcome.message, rule: rule.id, definite: true };
    }
    case 'suspended':
      return { state: 'Progressing', reason: outcome.reason, message: outcome.message, rule: rule.id, definite: false };
    case 'failing': {
      const { state, expired } = failing(input);
      const reason = expired && outcome.reason === 'RuleFailed' ? 'DeadlineExceeded' : outcome.reason;
      return { state, reason, message: outcome.message, rule: rule.id, definite: true };
    }
    case 'error':
      return { state: 'Unknown', reason: outcome.reason, message: outcome.message, rule: rule.id, definite: false };
    default:
      return assertNever(outcome);
  }
}

function verdictOf(findings: readonly Finding[], input: AssessInput): Judgement {
  const worst = worstFinding(findings);
  const definite = findings.some((finding) => finding.definite);
  const errored = findings.some((finding) => finding.state === 'Unknown');
  const firstUnhealthy = definite ? failingSince(input) : errored ? input.firstUnhealthy : undefined;
  const left = definite && worst.state !== 'Degraded' ? remaining(input) : undefined;
  const verdict: Verdict = {
    state: worst.state,
    reason: worst.reason,
    message: fitMessage(worst.message),
    ...(worst.state === 'Healthy' ? {} : { rule: worst.rule }),
    ...(left === undefined ? {} : { recheckAfter: Math.max(0, left) }),
  };
  return { verdict, firstUnhealthy };
}

/** The first finding of the worst state: it gives reason and message. `NoSignal` yields to a rule that knows. */
function worstFinding(findings: readonly Finding[]): Finding {
  for (const state of STATES_WORST_FIRST) {
    const ofState = findings.filter((finding) => finding.state === state);
    const first = ofState.find((finding) => finding.reason !== 'NoSignal') ?? ofState[0];
    if (first !== undefined) return first;
  }
  throw new Error('no finding: assess is only asked with at least one rule');
}
