import { describe, expect, it } from 'vitest';
import { type Directives, readDirectives } from './annotations.ts';
import type { HookPhase, HookUse } from './hook-annotations.ts';

const PLAIN: Directives = {
  leftOut: false,
  wave: 0,
  hooks: [],
  runAfter: 'Applied',
  deletePolicies: [],
  hookOnRollback: false,
  ignoreHealth: false,
  deadline: undefined,
  prune: undefined,
  adopt: false,
};

function read(annotations: Record<string, unknown>): unknown {
  return readDirectives({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'migrate', annotations } });
}

function hook(phase: HookPhase, when: HookUse['when'] = 'always'): HookUse {
  return { phase, when };
}

describe('annotations of convoy', () => {
  it.each<[string, Record<string, unknown>, Partial<Directives>]>([
    ['none', {}, {}],
    ['a wave', { 'convoy.kumodo.io/sync-wave': '-5' }, { wave: -5 }],
    ['a wave with a sign and spaces', { 'convoy.kumodo.io/sync-wave': ' +7 ' }, { wave: 7 }],
    ['minus zero', { 'convoy.kumodo.io/sync-wave': '-0' }, { wave: 0 }],
    [
      'a hook, deleted before it is created unless it says otherwise',
      { 'convoy.kumodo.io/hook': 'preSync' },
      { hooks: [hook('preSync')], deletePolicies: ['BeforeCreation'] },
    ],
    [
      'two hooks, each once',
      { 'convoy.kumodo.io/hook': 'preSync, postSync,preSync', 'convoy.kumodo.io/hook-run-after': 'Healthy' },
      { hooks: [hook('preSync'), hook('postSync')], deletePolicies: ['BeforeCreation'], runAfter: 'Healthy' },
    ],
    [
      'delete policies',
      { 'convoy.kumodo.io/hook': 'syncFail', 'convoy.kumodo.io/hook-delete-policy': 'Succeeded,Failed' },
      { hooks: [hook('syncFail')], deletePolicies: ['Succeeded', 'Failed'] },
    ],
    ['a hook for rollbacks', { 'convoy.kumodo.io/hook-on-rollback': 'true' }, { hookOnRollback: true }],
    ['no part in health', { 'convoy.kumodo.io/ignore-health': 'true' }, { ignoreHealth: true }],
    ['an own deadline, malformed or not', { 'convoy.kumodo.io/deadline': 'soon' }, { deadline: 'soon' }],
    ['kept from pruning', { 'convoy.kumodo.io/prune': 'false' }, { prune: 'false' }],
    ['pruned although it is protected', { 'convoy.kumodo.io/prune': 'true' }, { prune: 'true' }],
    ['taken over', { 'convoy.kumodo.io/adopt': 'true' }, { adopt: true }],
    ['one that is null', { 'convoy.kumodo.io/adopt': null }, {}],
  ])('%s', (_, annotations, expected) => {
    expect(read(annotations)).toEqual({ ...PLAIN, ...expected });
  });

  it.each<[string, Record<string, unknown>, string]>([
    [
      'a wave that is no number',
      { 'convoy.kumodo.io/sync-wave': 'first' },
      'annotation convoy.kumodo.io/sync-wave is "first": write a whole number, e.g. "-1" or "10"',
    ],
    [
      'a wave beyond 32 bits',
      { 'convoy.kumodo.io/sync-wave': '2147483648' },
      'annotation convoy.kumodo.io/sync-wave is "2147483648": write a whole number, e.g. "-1" or "10"',
    ],
    [
      'a number without quotes',
      { 'convoy.kumodo.io/sync-wave': 5 },
      'annotation convoy.kumodo.io/sync-wave is no text: write its value in quotes',
    ],
    [
      'a phase that is not known',
      { 'convoy.kumodo.io/hook': 'PreSync' },
      'annotation convoy.kumodo.io/hook is "PreSync": it may be preSync, postSync, syncFail, preDelete, postDelete',
    ],
    [
      'an empty hook',
      { 'convoy.kumodo.io/hook': '' },
      'annotation convoy.kumodo.io/hook is empty: it may be preSync, postSync, syncFail, preDelete, postDelete',
    ],
    [
      'a truth in other words',
      { 'convoy.kumodo.io/prune': 'no' },
      'annotation convoy.kumodo.io/prune is "no": it may be true, false',
    ],
    [
      'a deadline that the inventory cannot hold',
      { 'convoy.kumodo.io/deadline': '1'.repeat(65) },
      'annotation convoy.kumodo.io/deadline is longer than 64 characters: write it like 5m',
    ],
  ])('%s is told', (_, annotations, problem) => {
    expect(read(annotations)).toEqual({ problem });
  });
});

describe('annotations of Argo CD', () => {
  it.each<[string, Record<string, unknown>, Partial<Directives>]>([
    ['a wave', { 'argocd.argoproj.io/sync-wave': '3' }, { wave: 3 }],
    [
      'behind a wave of convoy',
      { 'argocd.argoproj.io/sync-wave': '3', 'convoy.kumodo.io/sync-wave': '4' },
      { wave: 4 },
    ],
    [
      'a hook with its policy',
      {
        'argocd.argoproj.io/hook': 'PreSync',
        'argocd.argoproj.io/hook-delete-policy': 'HookSucceeded,BeforeHookCreation',
      },
      { hooks: [hook('preSync')], deletePolicies: ['Succeeded', 'BeforeCreation'] },
    ],
    [
      'Sync is an object of its wave',
      { 'argocd.argoproj.io/hook': 'Sync', 'argocd.argoproj.io/sync-wave': '2' },
      { wave: 2 },
    ],
    ['Skip is left out', { 'argocd.argoproj.io/hook': 'Skip' }, { leftOut: true }],
    [
      'behind a hook of convoy',
      { 'argocd.argoproj.io/hook': 'PreSync', 'convoy.kumodo.io/hook': 'postSync' },
      { hooks: [hook('postSync')], deletePolicies: ['BeforeCreation'] },
    ],
  ])('%s', (_, annotations, expected) => {
    expect(read(annotations)).toEqual({ ...PLAIN, ...expected });
  });
});

describe('annotations of Helm', () => {
  it.each<[string, string, Partial<Directives>]>([
    ['before the first success', 'pre-install', { hooks: [hook('preSync', 'first')] }],
    ['before each later one', 'pre-upgrade', { hooks: [hook('preSync', 'later')] }],
    ['before each', 'pre-install,pre-upgrade', { hooks: [hook('preSync')] }],
    [
      'before the first, behind the later ones',
      'pre-install,post-upgrade',
      { hooks: [hook('preSync', 'first'), hook('postSync', 'later')] },
    ],
    ['one of its uses is a rollback', 'post-upgrade, post-rollback', { hooks: [hook('postSync', 'later')] }],
    ['deletion', 'pre-delete,post-delete', { hooks: [hook('preDelete'), hook('postDelete')] }],
  ])('%s: %s', (_, text, expected) => {
    const annotations = {
      'helm.sh/hook': text,
      'helm.sh/hook-weight': '-7',
      'helm.sh/hook-delete-policy': 'hook-failed',
    };
    expect(read(annotations)).toEqual({ ...PLAIN, wave: -7, deletePolicies: ['Failed'], ...expected });
  });

  it.each(['test', 'test-success', 'test-failure', 'pre-rollback', 'post-rollback', 'test,pre-rollback'])(
    '%s is left out',
    (text) => {
      expect(read({ 'helm.sh/hook': text })).toEqual({ ...PLAIN, leftOut: true });
    },
  );

  it('crd-install is an object like any other, whose weight says nothing', () => {
    expect(read({ 'helm.sh/hook': 'crd-install', 'helm.sh/hook-weight': '9' })).toEqual(PLAIN);
  });

  it('a weight without a hook says nothing', () => {
    expect(read({ 'helm.sh/hook-weight': '9' })).toEqual(PLAIN);
  });

  it('resource-policy keep keeps from pruning, unless convoy is told otherwise', () => {
    expect(read({ 'helm.sh/resource-policy': 'keep' })).toEqual({ ...PLAIN, prune: 'false' });
    expect(read({ 'helm.sh/resource-policy': 'keep', 'convoy.kumodo.io/prune': 'true' })).toEqual({
      ...PLAIN,
      prune: 'true',
    });
  });

  it('a hook that Helm does not know is told', () => {
    expect(read({ 'helm.sh/hook': 'before-install' })).toMatchObject({
      problem: expect.stringMatching(
        /^annotation helm\.sh\/hook is "before-install": it may be crd-install, pre-install/,
      ),
    });
  });
});
