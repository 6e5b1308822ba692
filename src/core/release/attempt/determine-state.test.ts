import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type InventoryEntry, type Release, readInventory, readRelease } from '../../api/index.ts';
import type { KubernetesObject } from '../../object/kubernetes-object.ts';
import { entriesOf, newPage } from '../inventory/index.ts';
import { entriesOfPlan, planOf } from '../plan.ts';
import { type Render, renderOf } from '../render.ts';
import { determineState } from './determine-state.ts';
import { nextAction } from './next-action.ts';
import type { Observed } from './observed.ts';

const NOW = Date.parse('2026-01-01T00:10:00Z');
const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString();
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function annotated(kind: string, name: string, annotations: Readonly<Record<string, string>> = {}): KubernetesObject {
  const own = Object.entries(annotations).map(([key, text]) => [`convoy.kumodo.io/${key}`, text]);
  return { apiVersion: 'v1', kind, metadata: { name, annotations: Object.fromEntries(own) } };
}

const OBJECTS = [annotated('ConfigMap', 'a'), annotated('ConfigMap', 'b', { 'sync-wave': '1' })];
const PRE = annotated('Pod', 'pre', { hook: 'preSync' });
const SYNC_FAIL = annotated('Pod', 'clean', { hook: 'syncFail' });
const PRE_DELETE = annotated('Pod', 'bye', { hook: 'preDelete' });

function rendered(objects: readonly KubernetesObject[]): Render {
  const documents = objects.map((object, index) => ({ object, source: 'test', document: index + 1, line: 0 }));
  const kinds = (_: string, __: string, kind: string) => ({ namespaced: true, resource: `${kind.toLowerCase()}s` });
  const render = renderOf(documents, { namespace: 'shop', kinds, sha256 });
  if ('problems' in render) throw new Error(render.problems[0]?.message);
  return render;
}

/** What a situation says of itself; everything else is a Release of two waves that has succeeded and is healthy. */
interface Situation {
  readonly objects?: readonly KubernetesObject[];
  readonly spec?: KubernetesObject;
  readonly metadata?: KubernetesObject;
  /** Of the attempt; null: there was none. */
  readonly attempt?: KubernetesObject | null;
  readonly status?: KubernetesObject;
  readonly entries?: (entry: InventoryEntry) => Partial<InventoryEntry>;
  /** No page at all, or pages with other metadata. */
  readonly pages?: 'none' | KubernetesObject;
  /** Another render is asked for. */
  readonly newRender?: boolean;
  readonly observed?: Partial<Observed>;
}

function observe(situation: Situation): Observed {
  const render = rendered(situation.objects ?? OBJECTS);
  const { renderRef } = render;
  const plan = planOf(render, { attempt: 1, appliedBefore: false });
  const planned = entriesOfPlan(plan);
  const time = at(-60);
  const attempt = {
    renderRef,
    revision: '1',
    time,
    attempt: 1,
    total: 2,
    phase: 'Done',
    outcome: 'Succeeded',
    endedAt: at(-30),
  };
  const known = { renderRef, revision: '1', time };
  const read = readRelease({
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'uid-of-web',
      generation: 1,
      finalizers: ['convoy.kumodo.io/release'],
      ...situation.metadata,
    },
    spec: { source: {}, healthAssessment: {}, ...situation.spec },
    status:
      situation.attempt === null
        ? {}
        : {
            observedGeneration: 1,
            lastAttempted: { ...attempt, ...situation.attempt },
            lastApplied: known,
            lastHealthy: known,
            history: [{ renderRef, revision: '1', appliedAt: time }],
            ...situation.status,
          },
  });
  if ('problem' in read) throw new Error(read.problem);
  const page = pageOf(read.value, planned, renderRef, situation);
  const entries = page === undefined ? [] : entriesOf([page]);
  const stored = [
    { renderRef, revision: '1', inputs: ['inputs'] },
    { renderRef: 'sha256:new', revision: '2', inputs: ['new'] },
  ];
  return {
    now: NOW,
    release: read.value,
    pages: page === undefined ? [] : [page],
    entries,
    stored: situation.newRender === true ? stored : stored.slice(0, 1),
    source: {
      kind: 'read',
      inputs: situation.newRender === true ? 'new' : 'inputs',
      revision: '1',
      nextAt: NOW + 300_000,
    },
    dependencies: { kind: 'ready' },
    requests: [],
    plan: { renderRef, plan, entries: planned },
    swept: false,
    namespaceTerminating: false,
    targetLost: '',
    ...situation.observed,
  };
}

function pageOf(
  release: Release,
  planned: ReturnType<typeof entriesOfPlan>,
  renderRef: string,
  { pages, entries }: Situation,
) {
  if (pages === 'none') return undefined;
  const applied = planned.map((one) => {
    const { hook } = one;
    const base = {
      ...one,
      state: 'Healthy',
      renderRef,
      assessedRenderRef: renderRef,
      uid: 'u',
      appliedAt: at(-50),
    } as const;
    const entry: InventoryEntry = hook === undefined ? base : { ...one, uid: 'u' };
    return { ...entry, ...entries?.(entry) };
  });
  const object = newPage(release.metadata, 1, applied);
  const read = readInventory({ ...object, metadata: { ...(object['metadata'] as object), ...pages } });
  if ('problem' in read) throw new Error(read.problem);
  return read.value;
}

const running = (phase: string, more: KubernetesObject = {}): KubernetesObject => ({
  phase,
  outcome: undefined,
  endedAt: undefined,
  ...more,
});
const row = (phase: string, name: string, state: string) => ({
  name: `Pod shop/${name}`,
  phase,
  renderRef: 'r',
  state,
  startedAt: at(-40),
  completedAt: at(-20),
});
const deleting = { deletionTimestamp: at(-5) };
const rollback = (to: string) => ({ annotations: { 'convoy.kumodo.io/rollback-to': to } });
const unapplied = (names: readonly string[]) => (entry: InventoryEntry) =>
  names.includes(entry.name) ? { renderRef: undefined as never, appliedAt: undefined as never } : {};

const table: readonly (readonly [string, string, string, Situation])[] = [
  ['nothing is to be done', 'Settled', 'hold', {}],
  ['it is new', 'Unclaimed', 'claim-release', { metadata: { finalizers: [] }, attempt: null, pages: 'none' }],
  ['its source is not known', 'SourceDue', 'fetch-source', { observed: { source: { kind: 'due' } } }],
  ['its inputs gave no render yet', 'RenderDue', 'render', { observed: { stored: [] } }],
  ['it was never attempted', 'AttemptDue', 'begin-attempt', { attempt: null, pages: 'none' }],
  ['the source gives another render', 'AttemptDue', 'begin-attempt', { newRender: true }],
  [
    'the source gives another render while one waits',
    'AttemptDue',
    'begin-attempt',
    { newRender: true, attempt: running('Waves', { wave: 0 }) },
  ],
  [
    'the source gives another render while a hook runs',
    'HookOutlasts',
    'hold',
    {
      newRender: true,
      objects: [...OBJECTS, PRE],
      attempt: running('PreSync'),
      status: { hooks: [row('preSync', 'pre', 'Running')] },
    },
  ],
  [
    'the source gives another render and that hook has ended',
    'AttemptDue',
    'begin-attempt',
    {
      newRender: true,
      objects: [...OBJECTS, PRE],
      attempt: running('PreSync'),
      status: { hooks: [row('preSync', 'pre', 'Running')] },
      entries: ({ hook }) => (hook === undefined ? {} : { state: 'Degraded', assessedUid: 'u' }),
    },
  ],
  [
    'the source gives another render and that hook has had its time',
    'AttemptDue',
    'begin-attempt',
    {
      newRender: true,
      objects: [...OBJECTS, PRE],
      attempt: running('PreSync', { time: at(-600) }),
      status: { hooks: [row('preSync', 'pre', 'Running')] },
    },
  ],
  [
    'what it depends on is not ready',
    'DependenciesWaiting',
    'hold',
    { newRender: true, observed: { dependencies: { kind: 'waiting', message: '' } } },
  ],
  [
    'what it depends on is lost while nothing is to begin',
    'Settled',
    'hold',
    { observed: { dependencies: { kind: 'waiting', message: '' } } },
  ],
  ['it is suspended with another render', 'Suspended', 'hold', { newRender: true, spec: { suspend: true } }],
  [
    'the source fails',
    'SourceBroken',
    'hold',
    { observed: { source: { kind: 'failed', step: 'SourceFailed', message: '', terminal: false, retryAt: NOW + 1 } } },
  ],
  [
    'the source fails while an attempt runs',
    'WaveUnapplied',
    'apply-wave',
    {
      attempt: running('Waves', { wave: 0 }),
      entries: unapplied(['a', 'b']),
      observed: { source: { kind: 'failed', step: 'SourceFailed', message: '', terminal: true, retryAt: NOW + 1 } },
    },
  ],
  ['its inventory is gone', 'InventoryLost', 'rebuild-inventory', { pages: 'none' }],
  [
    'its inventory has lost what it said of an object',
    'InventoryIncomplete',
    'restore-entries',
    { entries: unapplied(['a']) },
  ],
  [
    'its inventory has lost something of an attempt that failed: the next one writes it',
    'BackingOff',
    'hold',
    { entries: unapplied(['a']), attempt: { outcome: 'ApplyFailed', failures: 9 } },
  ],
  [
    'its inventory was not written yet',
    'PlanUnwritten',
    'write-inventory',
    { attempt: running('Waves', { wave: 0 }), pages: 'none' },
  ],
  ['somebody deletes its inventory', 'InventoryDying', 'renew-inventory', { pages: { deletionTimestamp: at(-1) } }],
  ['somebody took the finalizer off its inventory', 'InventoryDying', 'renew-inventory', { pages: { finalizers: [] } }],
  [
    'its render is stored no more',
    'RenderLost',
    'fail-attempt',
    { attempt: running('Waves'), observed: { plan: undefined } },
  ],
  ['a preSync hook is next', 'HookDue', 'run-hook', { objects: [...OBJECTS, PRE], attempt: running('PreSync') }],
  [
    'a preSync hook failed',
    'AttemptFailing',
    'fail-attempt',
    { objects: [...OBJECTS, PRE], attempt: running('PreSync'), status: { hooks: [row('preSync', 'pre', 'Failed')] } },
  ],
  [
    'the preSync hooks are done',
    'PhaseDone',
    'enter-phase',
    {
      objects: [...OBJECTS, PRE],
      attempt: running('PreSync'),
      status: { hooks: [row('preSync', 'pre', 'Succeeded')] },
    },
  ],
  [
    'a wave is applied in part',
    'WaveUnapplied',
    'apply-wave',
    { attempt: running('Waves', { wave: 1 }), entries: unapplied(['b']) },
  ],
  [
    'a wave was applied in an earlier attempt alone',
    'WaveUnapplied',
    'apply-wave',
    { attempt: running('Waves', { wave: 0, time: at(-49) }) },
  ],
  [
    'a wave is healthy',
    'PhaseDone',
    'enter-phase',
    { attempt: running('Waves', { wave: 0 }), entries: unapplied(['b']) },
  ],
  [
    'a wave is not healthy yet',
    'GateClosed',
    'hold',
    { attempt: running('Waves', { wave: 0 }), entries: () => ({ state: 'Progressing' }) },
  ],
  ['the last wave is healthy', 'AttemptDone', 'finish-attempt', { attempt: running('Waves', { wave: 1 }) }],
  [
    'the last wave is healthy when nobody has looked for longer than the attempt may take',
    'AttemptDone',
    'finish-attempt',
    { attempt: running('Waves', { wave: 1, time: at(-3600) }) },
  ],
  [
    'the last wave is not healthy when the attempt has had its time',
    'AttemptFailing',
    'fail-attempt',
    { attempt: running('Waves', { wave: 1, time: at(-3600) }), entries: () => ({ state: 'Progressing' }) },
  ],
  [
    'the last wave is not healthy and something is to go',
    'GateClosed',
    'hold',
    { attempt: running('Waves', { wave: 1 }), entries: () => ({ state: 'Unknown' }) },
  ],
  [
    'it failed and its syncFail hook is next',
    'HookDue',
    'run-hook',
    { objects: [...OBJECTS, SYNC_FAIL], attempt: { outcome: 'ApplyFailed', phase: 'Waves', failures: 1 } },
  ],
  [
    'it failed and its syncFail hook failed as well',
    'PhaseDone',
    'enter-phase',
    {
      objects: [...OBJECTS, SYNC_FAIL],
      attempt: { outcome: 'ApplyFailed', phase: 'Waves', failures: 1 },
      status: { hooks: [row('syncFail', 'clean', 'Failed')] },
    },
  ],
  ['it failed and waits', 'BackingOff', 'hold', { attempt: { outcome: 'ApplyFailed', failures: 2 } }],
  ['it failed and has waited', 'AttemptDue', 'begin-attempt', { attempt: { outcome: 'ApplyFailed', failures: 1 } }],
  [
    'it failed by health and recovery decides',
    'BackingOff',
    'hold',
    { attempt: { outcome: 'WaveDegraded', failures: 1 }, spec: { remediation: {} } },
  ],
  [
    'it failed otherwise, although recovery decides about health',
    'AttemptDue',
    'begin-attempt',
    { attempt: { outcome: 'ApplyFailed', failures: 1 }, spec: { remediation: {} } },
  ],
  [
    'recovery asks for a retry',
    'AttemptDue',
    'begin-attempt',
    { attempt: { outcome: 'WaveDegraded', failures: 1 }, spec: { remediation: {} }, observed: { requests: ['Retry'] } },
  ],
  ['somebody asks for an attempt', 'AttemptDue', 'begin-attempt', { observed: { requests: ['Manual'] } }],
  ['somebody asks for a look', 'Settled', 'hold', { observed: { requests: ['Observed'] } }],
  ['drift is reported', 'DriftReported', 'correct-drift', { observed: { requests: ['Drift'] } }],
  [
    'drift is reported while an attempt runs',
    'GateClosed',
    'hold',
    {
      attempt: running('Waves', { wave: 0 }),
      entries: () => ({ state: 'Progressing' }),
      observed: { requests: ['Drift'] },
    },
  ],
  ['it has become healthy', 'HealthUnrecorded', 'record-health', { status: { lastHealthy: undefined } }],
  [
    'it has become healthy while it is suspended',
    'HealthUnrecorded',
    'record-health',
    { status: { lastHealthy: undefined }, spec: { suspend: true } },
  ],
  [
    'it is healthy for less than settle',
    'Settled',
    'hold',
    {
      status: { lastHealthy: undefined },
      spec: { remediation: { settle: '1m' } },
      entries: () => ({ stateSince: at(-59) }),
    },
  ],
  [
    'it is healthy for settle',
    'HealthUnrecorded',
    'record-health',
    {
      status: { lastHealthy: undefined },
      spec: { remediation: { settle: '1m' } },
      entries: () => ({ stateSince: at(-61), appliedAt: at(-61) }),
    },
  ],
  [
    'health is not configured',
    'Settled',
    'hold',
    { status: { lastHealthy: undefined }, spec: { healthAssessment: undefined } },
  ],
  ['objects are still to go', 'Sweeping', 'sweep', { entries: ({ name }) => (name === 'b' ? { prune: true } : {}) }],
  [
    'a render is stored for nobody',
    'RendersUnneeded',
    'collect-renders',
    {
      observed: {
        stored: [
          { renderRef: rendered(OBJECTS).renderRef, revision: '1', inputs: ['inputs'] },
          { renderRef: 'sha256:old', revision: '0', inputs: ['old'] },
        ],
      },
    },
  ],
  [
    'a rollback to what is stored is asked for',
    'AttemptDue',
    'begin-attempt',
    { newRender: true, metadata: rollback(rendered(OBJECTS).renderRef) },
  ],
  [
    'a rollback to what is not stored is asked for',
    'RollbackImpossible',
    'hold',
    { metadata: rollback('sha256:none') },
  ],
  [
    'a rollback to what the source gives is asked for',
    'RollbackOver',
    'end-rollback',
    { metadata: rollback(rendered(OBJECTS).renderRef) },
  ],
  [
    'a rollback holds',
    'BackingOff',
    'hold',
    {
      newRender: true,
      metadata: rollback(rendered(OBJECTS).renderRef),
      attempt: { outcome: 'ApplyFailed', failures: 3 },
      status: { held: { renderRef: rendered(OBJECTS).renderRef, from: 'sha256:new' } },
    },
  ],
  [
    'the source gives what a rollback was not meant for',
    'RollbackOver',
    'end-rollback',
    {
      newRender: true,
      metadata: rollback(rendered(OBJECTS).renderRef),
      status: { held: { renderRef: rendered(OBJECTS).renderRef, from: 'sha256:other' } },
    },
  ],
  [
    'the annotation of a rollback was removed',
    'AttemptDue',
    'begin-attempt',
    { newRender: true, status: { held: { renderRef: rendered(OBJECTS).renderRef, from: 'sha256:new' } } },
  ],
  ['it is deleted', 'ObjectsLeft', 'delete-objects', { metadata: deleting }],
  ['it is deleted with a hook', 'HookDue', 'run-hook', { metadata: deleting, objects: [...OBJECTS, PRE_DELETE] }],
  [
    'it is deleted and its hook failed',
    'DeletionBackingOff',
    'hold',
    { metadata: deleting, objects: [...OBJECTS, PRE_DELETE], status: { hooks: [row('preDelete', 'bye', 'Failed')] } },
  ],
  [
    'it is deleted with a hook that is to be left out',
    'ObjectsLeft',
    'delete-objects',
    {
      metadata: { ...deleting, annotations: { 'convoy.kumodo.io/skip-hooks': 'true' } },
      objects: [...OBJECTS, PRE_DELETE],
    },
  ],
  [
    'its namespace is deleted',
    'ObjectsLeft',
    'delete-objects',
    { metadata: deleting, objects: [...OBJECTS, PRE_DELETE], observed: { namespaceTerminating: true } },
  ],
  [
    'it is deleted and its objects are to stay',
    'Orphaning',
    'disown',
    { metadata: { ...deleting, annotations: { 'convoy.kumodo.io/orphan': 'true' } } },
  ],
  [
    'it is deleted and nobody reaches its cluster',
    'Deletable',
    'release-finalizers',
    { metadata: deleting, observed: { targetLost: 'gone' } },
  ],
  [
    'it is deleted before its first attempt',
    'Deletable',
    'release-finalizers',
    { metadata: deleting, attempt: null, pages: 'none' },
  ],
  [
    'it is deleted and its inventory is gone',
    'InventoryLost',
    'rebuild-inventory',
    { metadata: deleting, pages: 'none' },
  ],
  [
    'its namespace is deleted and its inventory is gone',
    'Deletable',
    'release-finalizers',
    { metadata: deleting, pages: 'none', observed: { namespaceTerminating: true } },
  ],
  [
    'it is deleted and others hold it',
    'Settled',
    'hold',
    { metadata: { ...deleting, finalizers: ['example.com/other'] } },
  ],
];

describe('a Release', () => {
  it.each(table)('of which %s is %s: %s', (_, kind, action, situation) => {
    const observed = observe(situation);
    const state = determineState(observed);
    expect([state.kind, nextAction(state, observed).kind]).toEqual([kind, action]);
  });
});
