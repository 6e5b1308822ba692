import { type Annotations, knownWord, Misread, wordsOf } from './annotation-words.ts';
import * as names from './names.ts';

/**
 * - `preSync` before the first wave
 * - `postSync` behind the last wave
 * - `syncFail` when the attempt failed
 * - `preDelete` before the objects of a deleted Release go
 * - `postDelete` after they went
 */
export type HookPhase = 'preSync' | 'postSync' | 'syncFail' | 'preDelete' | 'postDelete';

/**
 * When a hook object is deleted:
 * - `BeforeCreation` before the next run creates it
 * - `Succeeded` once it succeeded
 * - `Failed` once it failed
 */
export type DeletePolicy = 'BeforeCreation' | 'Succeeded' | 'Failed';

/** A time at which a hook object runs. */
export interface HookUse {
  readonly phase: HookPhase;
  /** Helm's install hooks run until an attempt has succeeded (`first`), its upgrade hooks from then on (`later`). */
  readonly when: 'always' | 'first' | 'later';
}

/** What the annotations of one tool say about hooks. */
export interface HookReading {
  readonly uses: readonly HookUse[];
  readonly deletePolicies: readonly DeletePolicy[];
  readonly leftOut: boolean;
  /** An annotation that orders hooks of this tool when there is no sync-wave. */
  readonly waveFrom?: string;
}

const PHASES = ['preSync', 'postSync', 'syncFail', 'preDelete', 'postDelete'] as const;
const POLICIES = ['BeforeCreation', 'Succeeded', 'Failed'] as const;
const PLAIN: HookReading = { uses: [], deletePolicies: [], leftOut: false };
const LEFT_OUT: HookReading = { ...PLAIN, leftOut: true };

/** Undefined: the object carries no hook annotation of convoy's. */
export function readOwnHook(annotations: Annotations): HookReading | undefined {
  const text = annotations(names.HOOK);
  if (text === undefined) return undefined;
  const phases = wordsOf(text).map((word) => knownWord(names.HOOK, word, PHASES));
  if (phases.length === 0) throw new Misread(`annotation ${names.HOOK} is empty: it may be ${PHASES.join(', ')}`);
  const policies = wordsOf(annotations(names.HOOK_DELETE_POLICY)).map((word) =>
    knownWord(names.HOOK_DELETE_POLICY, word, POLICIES),
  );
  return reading(
    phases.map((phase) => ({ phase, when: 'always' as const })),
    policies,
  );
}

const ARGO_HOOKS = {
  PreSync: 'preSync',
  Sync: 'plain',
  Skip: 'leftOut',
  PostSync: 'postSync',
  SyncFail: 'syncFail',
  PreDelete: 'preDelete',
  PostDelete: 'postDelete',
} as const;
const ARGO_POLICIES = {
  BeforeHookCreation: 'BeforeCreation',
  HookSucceeded: 'Succeeded',
  HookFailed: 'Failed',
} as const;

/** Undefined: no hook annotation of Argo CD's. `Sync` is an object of its wave, `Skip` is left out. */
export function readArgoHook(annotations: Annotations): HookReading | undefined {
  const text = annotations(names.ARGO_HOOK);
  if (text === undefined) return undefined;
  const hooks = wordsOf(text).map((word) => ARGO_HOOKS[knownWord(names.ARGO_HOOK, word, keys(ARGO_HOOKS))]);
  if (hooks.includes('leftOut')) return LEFT_OUT;
  if (hooks.includes('plain')) return PLAIN;
  const uses = hooks.flatMap((hook) =>
    hook === 'plain' || hook === 'leftOut' ? [] : [{ phase: hook, when: 'always' as const }],
  );
  const policies = wordsOf(annotations(names.ARGO_HOOK_DELETE_POLICY)).map(
    (word) => ARGO_POLICIES[knownWord(names.ARGO_HOOK_DELETE_POLICY, word, keys(ARGO_POLICIES))],
  );
  return reading(uses, policies);
}

const ALWAYS = 'always' as const;
const HELM_HOOKS: Readonly<Record<string, HookUse | 'plain' | 'leftOut'>> = {
  'crd-install': 'plain',
  'pre-install': { phase: 'preSync', when: 'first' },
  'pre-upgrade': { phase: 'preSync', when: 'later' },
  'post-install': { phase: 'postSync', when: 'first' },
  'post-upgrade': { phase: 'postSync', when: 'later' },
  'pre-delete': { phase: 'preDelete', when: ALWAYS },
  'post-delete': { phase: 'postDelete', when: ALWAYS },
  'pre-rollback': 'leftOut',
  'post-rollback': 'leftOut',
  test: 'leftOut',
  'test-success': 'leftOut',
  'test-failure': 'leftOut',
};
const HELM_POLICIES = {
  'before-hook-creation': 'BeforeCreation',
  'hook-succeeded': 'Succeeded',
  'hook-failed': 'Failed',
} as const;

/** Undefined: no hook annotation of Helm's. Rollbacks are convoy's own business and tests are run by people: both are left out. */
export function readHelmHook(annotations: Annotations): HookReading | undefined {
  const text = annotations(names.HELM_HOOK);
  if (text === undefined || wordsOf(text).length === 0) return undefined;
  const hooks = wordsOf(text).map((word) => HELM_HOOKS[knownWord(names.HELM_HOOK, word, Object.keys(HELM_HOOKS))]);
  if (hooks.includes('plain')) return PLAIN;
  const uses = bothIsAlways(hooks.filter((hook) => typeof hook === 'object'));
  if (uses.length === 0) return LEFT_OUT;
  const policies = wordsOf(annotations(names.HELM_HOOK_DELETE_POLICY)).map(
    (word) => HELM_POLICIES[knownWord(names.HELM_HOOK_DELETE_POLICY, word, keys(HELM_POLICIES))],
  );
  return { ...reading(uses, policies), waveFrom: names.HELM_HOOK_WEIGHT };
}

/** `pre-install,pre-upgrade` is one hook that always runs. */
function bothIsAlways(uses: readonly HookUse[]): readonly HookUse[] {
  return PHASES.flatMap((phase) => {
    const whens = new Set(uses.filter((use) => use.phase === phase).map((use) => use.when));
    const [only] = whens;
    if (only === undefined) return [];
    return [{ phase, when: whens.size === 1 ? only : ALWAYS }];
  });
}

function reading(uses: readonly HookUse[], policies: readonly DeletePolicy[]): HookReading {
  return {
    uses: [...new Map(uses.map((use) => [use.phase, use])).values()],
    deletePolicies: policies.length === 0 ? ['BeforeCreation'] : [...new Set(policies)],
    leftOut: false,
  };
}

function keys<Name extends string>(table: Readonly<Record<Name, unknown>>): readonly Name[] {
  // Object.keys of a literal table gives its own names.
  return Object.keys(table) as Name[];
}
