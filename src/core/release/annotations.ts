import { asMap, field } from '../object/fields.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';
import { type Annotations, knownWord, Misread } from './annotation-words.ts';
import { type DeletePolicy, type HookUse, readArgoHook, readHelmHook, readOwnHook } from './hook-annotations.ts';
import * as names from './names.ts';

/** What the annotations of a rendered object ask for. */
export interface Directives {
  /** Not part of the render at all: a Helm test, an Argo `Skip`. */
  readonly leftOut: boolean;
  readonly wave: number;
  /** When it runs as a hook; empty for an object that is applied and kept. */
  readonly hooks: readonly HookUse[];
  /** Of a postSync hook. */
  readonly runAfter: 'Applied' | 'Healthy';
  /** Never empty for a hook. */
  readonly deletePolicies: readonly DeletePolicy[];
  readonly hookOnRollback: boolean;
  readonly ignoreHealth: boolean;
  /** As it is written: whether it is a duration is told where health is assessed. */
  readonly deadline: string | undefined;
  /** `true`: prune it even if it is of a protected kind; `false`: never. */
  readonly prune: 'true' | 'false' | undefined;
  /** Take it over from another Release. */
  readonly adopt: boolean;
}

/** One sentence: which annotation, what it says, what it may say. */
export interface DirectiveProblem {
  readonly problem: string;
}

/** A wave fits an int32, as Kubernetes' own integers of this sort do. */
const WAVES = 2 ** 31;
/** Bound of the field in the inventory. */
const LONGEST_DEADLINE = 64;

/** What the object's annotations ask for; those of Argo CD and Helm are read where there is none of convoy's. */
export function readDirectives(object: KubernetesObject): Directives | DirectiveProblem {
  try {
    return directivesOf(annotationsOf(object));
  } catch (error) {
    if (error instanceof Misread) return { problem: error.message };
    throw error;
  }
}

function annotationsOf(object: KubernetesObject): Annotations {
  const annotations = asMap(field(object['metadata'], 'annotations'));
  return (name) => {
    const value = field(annotations, name);
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string') return value;
    throw new Misread(`annotation ${name} is no text: write its value in quotes`);
  };
}

function directivesOf(annotations: Annotations): Directives {
  const hook = readOwnHook(annotations) ?? readArgoHook(annotations) ?? readHelmHook(annotations);
  const keep = annotations(names.HELM_RESOURCE_POLICY)?.trim().toLowerCase() === 'keep';
  const prune = readTruth(annotations, names.PRUNE);
  return {
    leftOut: hook?.leftOut ?? false,
    wave: readWave(annotations, hook?.waveFrom),
    hooks: hook?.uses ?? [],
    runAfter: readWord(annotations, names.HOOK_RUN_AFTER, ['Applied', 'Healthy']) ?? 'Applied',
    deletePolicies: hook?.deletePolicies ?? [],
    hookOnRollback: readTruth(annotations, names.HOOK_ON_ROLLBACK) ?? false,
    ignoreHealth: readTruth(annotations, names.IGNORE_HEALTH) ?? false,
    deadline: readDeadline(annotations),
    prune: prune === undefined ? (keep ? 'false' : undefined) : prune ? 'true' : 'false',
    adopt: readTruth(annotations, names.ADOPT) ?? false,
  };
}

function readWave(annotations: Annotations, hookWeight: string | undefined): number {
  for (const name of [names.SYNC_WAVE, names.ARGO_SYNC_WAVE, hookWeight]) {
    const text = name === undefined ? undefined : annotations(name);
    if (text === undefined) continue;
    const wave = /^\s*[+-]?\d{1,10}\s*$/.test(text) ? Number(text) : Number.NaN;
    if (wave >= -WAVES && wave < WAVES) return wave === 0 ? 0 : wave;
    throw new Misread(`annotation ${name} is "${text}": write a whole number, e.g. "-1" or "10"`);
  }
  return 0;
}

function readDeadline(annotations: Annotations): string | undefined {
  const text = annotations(names.DEADLINE);
  if (text === undefined || text.length <= LONGEST_DEADLINE) return text;
  throw new Misread(`annotation ${names.DEADLINE} is longer than ${LONGEST_DEADLINE} characters: write it like 5m`);
}

function readTruth(annotations: Annotations, name: string): boolean | undefined {
  const word = readWord(annotations, name, ['true', 'false']);
  return word === undefined ? undefined : word === 'true';
}

function readWord<const Word extends string>(
  annotations: Annotations,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const text = annotations(name);
  if (text === undefined) return undefined;
  return knownWord(name, text.trim(), words);
}
