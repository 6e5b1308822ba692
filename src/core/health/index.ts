export { type Aggregate, aggregate, type HealthSummary, summarize } from './aggregate.ts';
export { type AssessInput, assess, type Judgement, judge } from './assess.ts';
export {
  type Assessment,
  type AssessObjectsOptions,
  assessObjects,
  relatedAmong,
  tellsAlready,
  wantsCause,
  withCause,
} from './assess-objects.ts';
export { findCause } from './cause.ts';
export {
  type CompiledRule,
  type CompiledRules,
  type CompiledSet,
  compileRuleSets,
  compileSet,
  expressionOf,
  fieldsOf,
  indexSets,
} from './compile.ts';
export { parseDeadline } from './deadline.ts';
export { type ExplainInput, type ExpressionExplanation, explainRule, type RuleExplanation } from './explain.ts';
export { type FailingContainer, failingContainer } from './failing-container.ts';
export { fitMessage } from './message.ts';
export { isRuleDocument, type ReadRuleSetOptions, type ReadRuleSetResult, readRuleSet } from './read-rule-set.ts';
export {
  type RelatedReference,
  type Rule,
  type RuleContract,
  type RuleField,
  type RuleIssue,
  type RuleProblem,
  type RuleSet,
  type RuleVariable,
  ruleId,
} from './rule.ts';
export { type RuleTestCase, type RuleTestResult, readRuleTests, runRuleTest } from './rule-test.ts';
export { type HealthState, STATES_WORST_FIRST, type Verdict, type VerdictReason } from './verdict.ts';
