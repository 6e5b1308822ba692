/** One named sub-expression of a rule, read as `variables.NAME` by the expressions after it. */
export interface RuleVariable {
  readonly name: string;
  /** CEL of any type. Evaluated at most once per object, and only when an expression that runs mentions it. */
  readonly expression: string;
}

/** An object that a rule wants to see beside the judged one. Read by name; never a Secret. */
export interface RelatedReference {
  /** Bound as `related.NAME`; null when the object is not there. */
  readonly name: string;
  readonly apiVersion: string;
  /** Plural resource name. */
  readonly resource: string;
  /** CEL, string: the name of the object. It is cluster-scoped or in the judged object's namespace. */
  readonly object: string;
}

/** The expressions of a rule, by field name. */
export type RuleField = 'healthy' | 'message' | 'failed' | 'suspended' | 'reason';

export interface Rule {
  /** Unique in its set. */
  readonly name: string;
  /** `group/version` each; `*` and `group/*` only in generic sets. */
  readonly apiVersions: readonly string[];
  /** Plural resource names; `*` only in generic sets. */
  readonly resources: readonly string[];
  /** Kinds, where the rule knows them; without, a kind matches by the plural that kubectl would guess. */
  readonly kinds?: readonly string[];
  readonly variables: readonly RuleVariable[];
  readonly related: readonly RelatedReference[];
  /** CEL, bool: the object works. */
  readonly healthy: string;
  /** CEL, string: evaluated only when `healthy` is false. */
  readonly message?: string;
  /** CEL, bool: it will not recover by itself. */
  readonly failed?: string;
  /** CEL, bool: it waits because someone asked it to. */
  readonly suspended?: string;
  /** CEL, string: `NoSignal` beside a healthy verdict, `NoStatus` beside a failing one, or '' for the reason of the state. */
  readonly reason?: string;
  /** Documentation of the fields that the rule reads. */
  readonly links: readonly string[];
}

/** Whose promises a set makes: convoy's own, or those of a k0rdent rule ConfigMap (only `obj` is bound, deleting objects are healthy). */
export type RuleContract = 'convoy' | 'k0rdent';

export interface RuleSet {
  /** metadata.name; `namespace/name` for a ConfigMap. */
  readonly name: string;
  /** '' for a global set. */
  readonly namespace: string;
  /** Where the set was read, for messages: a file name, or `built in`. */
  readonly source: string;
  readonly contract: RuleContract;
  /** Standard: deletion and stale status are judged before the rules. */
  readonly preamble: 'None' | 'Standard';
  /** A fallback: applies only where no rule of another set does. */
  readonly generic: boolean;
  readonly rules: readonly Rule[];
}

/** `SET#RULE`: how a rule is named to people. */
export function ruleId(set: RuleSet, rule: Rule): string {
  return `${set.name}#${rule.name}`;
}

/** Something wrong in a rule document, in the author's terms. */
export interface RuleProblem {
  /** The file, as given. */
  readonly source: string;
  /** Where in the document, e.g. `spec.rules[0].healthy`. */
  readonly path: string;
  /** What is wrong and how to mend it, one sentence. */
  readonly message: string;
}

/** An expression that does not compile, or compiles with a warning. */
export interface RuleIssue {
  readonly severity: 'error' | 'warning';
  readonly set: string;
  readonly rule: string;
  readonly source: string;
  /** `healthy`, `variables.NAME`, `related.NAME`, … */
  readonly field: string;
  /** The expression, as written. */
  readonly expression: string;
  /** One-based, within the expression. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** The message with the source line and a caret under the place. */
  readonly text: string;
}
