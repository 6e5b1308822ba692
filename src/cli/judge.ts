import type { RuleSet } from '../core/health/rule.ts';
import type { Verdict } from '../core/health/verdict.ts';
import type { KubernetesObject } from '../core/object/kubernetes-object.ts';
import type { RuleDocument } from './read-inputs.ts';

export interface JudgeOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds. Unset: time alone never makes an object Degraded. */
  readonly deadline?: number;
  /** Objects that are known but not judged. */
  readonly context?: readonly KubernetesObject[];
}

export interface JudgedVerdict {
  readonly verdict: Verdict;
  /** Why an unhealthy object is so, from the objects beside it. */
  readonly cause?: string;
}

/** Judges objects with each other as context; the result has the order of the input. */
export type JudgeObjects = (objects: readonly KubernetesObject[], options: JudgeOptions) => readonly JudgedVerdict[];

export interface PreparedJudge {
  readonly judge: JudgeObjects;
  /** The rules it judges by. */
  readonly sets: readonly RuleSet[];
}

/** The judge that knows the built-in rules and those given, or lines that say what is wrong with the given ones. */
export type PrepareJudge = (
  rules: readonly RuleDocument[],
) => Promise<PreparedJudge | { readonly problems: readonly string[] }>;
