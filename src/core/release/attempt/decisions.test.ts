import { describe, expect, it } from 'vitest';
import { type InventoryEntry, type Release, readRelease } from '../../api/index.ts';
import { adoptionPatch } from './adoption.ts';
import { paceOf, retryAt, retryDelay, timeoutAt } from './back-off.ts';
import { checkDependencies } from './dependencies.ts';
import { gateOf } from './gate.ts';
import { isScaledBy, withLiveValues } from './live-values.ts';
import { fateOf } from './protection.ts';
import { conditionsOf, failed, progressing } from './report.ts';
import { annotatedRequest } from './sync-request.ts';

const NOW = Date.parse('2026-01-01T00:10:00Z');
const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString();

function release(
  name: string,
  { spec = {}, status = {}, metadata = {} }: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
): Release {
  const read = readRelease({
    metadata: { name, namespace: 'shop', generation: 1, ...metadata },
    spec: { source: {}, ...spec },
    status,
  });
  if ('problem' in read) throw new Error(read.problem);
  return read.value;
}

function entry(changed: Partial<InventoryEntry> = {}): InventoryEntry {
  const identity = {
    group: '',
    kind: 'ConfigMap',
    namespace: 'shop',
    name: 'a',
    version: 'v1',
    resource: 'configmaps',
  };
  return { ...identity, wave: 0, renderRef: 'r', assessedRenderRef: 'r', state: 'Healthy', ...changed };
}

describe('a gate', () => {
  const health = { configured: true, deadline: 60_000 };
  const degraded = { state: 'Degraded', reason: 'DeadlineExceeded' } as const;

  it.each<[string, string, Partial<InventoryEntry>]>([
    ['is open when all is healthy', 'open', {}],
    ['is closed before the observer has seen this render', 'closed', { assessedRenderRef: 'old' }],
    ['is closed before the apply', 'closed', { renderRef: 'old' }],
    ['is closed while it progresses', 'closed', { state: 'Progressing' }],
    ['is closed while it is unknown', 'closed', { state: 'Unknown' }],
    ['fails by what a rule calls failed', 'failed', { state: 'Progressing', reason: 'Failed' }],
    ['does not fail by what failed before this render', 'closed', { reason: 'Failed', assessedRenderRef: 'old' }],
    ['fails when the deadline has passed since the apply', 'failed', { ...degraded, appliedAt: at(-60) }],
    ['is closed while it has not', 'closed', { ...degraded, appliedAt: at(-59) }],
    ['counts an apply in the future as now', 'closed', { ...degraded, appliedAt: at(3600) }],
    ['goes by the deadline of the object', 'failed', { ...degraded, appliedAt: at(-5), deadline: '5s' }],
    ['does not look at what ignores health', 'open', { state: 'Degraded', ignoreHealth: true }],
    ['does not look at what will be pruned', 'open', { state: 'Degraded', prune: true }],
    ['does not look at hooks', 'open', { state: 'Degraded', hook: 'preSync' }],
    ['does not look at other waves', 'open', { state: 'Degraded', wave: 1 }],
  ])('%s', (_, kind, changed) => {
    expect(gateOf([entry(changed)], 0, 'r', health, NOW).kind).toBe(kind);
  });

  it('is open in any case when health is not configured', () => {
    const off = { configured: false, deadline: undefined };
    expect(gateOf([entry({ state: 'Degraded', reason: 'Failed' })], 0, 'r', off, NOW)).toEqual({ kind: 'open' });
  });

  it('says when time alone will decide', () => {
    const gate = gateOf([entry({ ...degraded, appliedAt: at(-20) })], 'all', 'r', health, NOW);
    expect(gate).toMatchObject({ kind: 'closed', recheckAt: NOW + 40_000 });
  });

  it('without any deadline never fails by one', () => {
    const none = { configured: true, deadline: undefined };
    expect(gateOf([entry({ ...degraded, appliedAt: at(-9999) })], 0, 'r', none, NOW)).toMatchObject({
      kind: 'closed',
      recheckAt: undefined,
    });
  });
});

describe('back-off', () => {
  it.each([
    [30_000, [30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000]],
    [900_000, [900_000, 900_000]],
  ])('from %i ms doubles up to ten minutes, and never below what was asked for', (retryInterval, waits) => {
    expect(waits.map((_, index) => retryDelay(retryInterval, index + 1))).toEqual(waits);
  });

  it('counts from the end of the attempt, and is over when the end lies in the future', () => {
    const pace = paceOf(release('web'));
    const attempt = { renderRef: 'r', revision: '', time: at(-600), attempt: 1, total: 1, phase: 'Done' } as const;
    expect(retryAt({ ...attempt, endedAt: at(-10), failures: 2 }, pace, NOW)).toBe(NOW + 50_000);
    expect(retryAt({ ...attempt, endedAt: at(3600), failures: 2 }, pace, NOW)).toBe(NOW);
    expect(timeoutAt(attempt, pace, NOW)).toBe(NOW);
    expect(timeoutAt({ ...attempt, time: at(3600) }, pace, NOW)).toBe(NOW + 600_000);
  });
});

describe('dependencies', () => {
  const ready = { type: 'Ready', status: 'True', reason: 'Succeeded', message: '', lastTransitionTime: at(0) };
  const rendered = (renderRef: string) => ({ renderRef, revision: '', time: at(0) });
  const attempted = { ...rendered('r'), attempt: 1, total: 1, phase: 'Done' };
  const done = {
    observedGeneration: 1,
    conditions: [{ ...ready, observedGeneration: 1 }],
    lastAttempted: attempted,
    lastApplied: rendered('r'),
  };
  const check = (other: Release | undefined, crossNamespace = true) =>
    checkDependencies(release('web', { spec: { dependsOn: [{ name: 'db' }] } }), {
      find: (key) => (key === 'shop/db' ? other : undefined),
      crossNamespace,
    });

  it.each<[string, string | undefined, Release | undefined]>([
    ['that is not there', 'waiting: Release shop/db is not there', undefined],
    ['that was never attempted', 'waiting: Release shop/db is not ready', release('db')],
    ['that is applied, without health', undefined, release('db', { status: done })],
    [
      'that is applied for an older spec',
      'waiting: Release shop/db is not ready for its latest spec',
      release('db', { status: done, metadata: { generation: 2 } }),
    ],
    [
      'whose health is not known yet',
      'waiting: Release shop/db is not healthy',
      release('db', { status: done, spec: { healthAssessment: {} } }),
    ],
    [
      'that was healthy in an older render',
      'waiting: Release shop/db is not healthy',
      release('db', { status: { ...done, lastHealthy: rendered('old') }, spec: { healthAssessment: {} } }),
    ],
    [
      'that is healthy',
      undefined,
      release('db', { status: { ...done, lastHealthy: rendered('r') }, spec: { healthAssessment: {} } }),
    ],
    [
      'that is being deleted',
      'waiting: Release shop/db is being deleted',
      release('db', { status: done, metadata: { deletionTimestamp: at(0) } }),
    ],
  ])('on one %s', (_, message, other) => {
    const found = check(other);
    expect('message' in found ? found.message : undefined).toBe(message);
  });

  it('in a circle are told with the way; a circle that one only leads to is not its own', () => {
    const all = new Map([
      ['shop/a', release('a', { spec: { dependsOn: [{ name: 'b' }] } })],
      ['shop/b', release('b', { spec: { dependsOn: [{ name: 'c' }] } })],
      ['shop/c', release('c', { spec: { dependsOn: [{ name: 'b' }] } })],
    ]);
    const options = { find: (key: string) => all.get(key), crossNamespace: true };
    const of = (name: string) => checkDependencies(all.get(name) as Release, options);
    expect(of('shop/b')).toMatchObject({
      kind: 'impossible',
      message: expect.stringContaining('shop/b → shop/c → shop/b'),
    });
    expect(of('shop/a').kind).toBe('waiting');
  });

  it('in another namespace are refused where that is not allowed', () => {
    const away = release('web', { spec: { dependsOn: [{ name: 'db', namespace: 'data' }] } });
    const options = { find: () => undefined, crossNamespace: false };
    expect(checkDependencies(away, options)).toMatchObject({ kind: 'impossible' });
  });
});

describe('live values', () => {
  const rendered = { spec: { replicas: 2, template: { spec: { containers: [{ name: 'app', image: 'a:1' }] } } } };
  const live = {
    spec: {
      replicas: 7,
      template: {
        spec: {
          containers: [
            { name: 'proxy', image: 'p:1' },
            { name: 'app', image: 'a:9' },
          ],
        },
      },
    },
  };

  it('take the place of the rendered ones in the paths that both have', () => {
    expect(withLiveValues(rendered, live, ['/spec/replicas'])).toMatchObject({ spec: { replicas: 7 } });
    expect(withLiveValues(rendered, undefined, ['/spec/replicas'])).toBe(rendered);
    expect(withLiveValues(rendered, { spec: {} }, ['/spec/replicas'])['spec']).not.toHaveProperty('replicas');
    expect(withLiveValues(rendered, live, ['/spec/paused', '/data/x~1y'])).toEqual(rendered);
  });

  it('of list items are found by their name', () => {
    const path = '/spec/template/spec/containers/0/image';
    expect(withLiveValues(rendered, live, [path])).toMatchObject({
      spec: { template: { spec: { containers: [{ name: 'app', image: 'a:9' }] } } },
    });
  });

  it('an autoscaler scales what it names, in its namespace and group', () => {
    const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'app' };
    const scaler = { metadata: { namespace: 'shop' }, spec: { scaleTargetRef: target } };
    const object = { apiVersion: 'apps/v1beta1', kind: 'Deployment', metadata: { name: 'app', namespace: 'shop' } };
    expect(isScaledBy(scaler, object)).toBe(true);
    expect(isScaledBy(scaler, { ...object, metadata: { name: 'app', namespace: 'other' } })).toBe(false);
    expect(isScaledBy(scaler, { ...object, apiVersion: 'example.com/v1' })).toBe(false);
  });
});

describe('adoption', () => {
  const field = (manager: string, operation: string, fieldsV1: unknown, more = {}) => ({
    manager,
    operation,
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...more,
  });

  it('moves what former managers hold by Update, and nothing else', () => {
    const others = [
      field('helm', 'Update', { 'f:status': {} }, { subresource: 'status' }),
      field('kubectl-edit', 'Update', { 'f:data': { 'f:c': {} } }),
    ];
    const managedFields = [
      field('kubectl-client-side-apply', 'Update', { 'f:data': { 'f:a': {}, 'f:b': {} } }),
      field('before-first-apply', 'Update', { 'f:data': { 'f:b': {} }, 'f:metadata': {} }),
      ...others,
    ];
    expect(adoptionPatch({ metadata: { resourceVersion: '7', managedFields } })).toEqual([
      { op: 'test', path: '/metadata/resourceVersion', value: '7' },
      {
        op: 'replace',
        path: '/metadata/managedFields',
        value: [
          field('convoy-controller', 'Apply', { 'f:data': { 'f:a': {}, 'f:b': {} }, 'f:metadata': {} }),
          ...others,
        ],
      },
    ]);
    expect(adoptionPatch({ metadata: { managedFields: others } })).toBeUndefined();
  });
});

describe('the fate of an object that is not wanted any more', () => {
  const owner = { id: 'home/shop/web', label: 'x' };
  const live = (annotations: Readonly<Record<string, string>>, more = {}) => ({
    metadata: { annotations: { 'convoy.kumodo.io/release-id': owner.id, ...annotations }, ...more },
  });
  const plain = { group: '', kind: 'ConfigMap' };
  const claim = { group: '', kind: 'PersistentVolumeClaim' };

  it.each([
    ['goes', 'delete', plain, live({}), true],
    ['stays where the Release prunes nothing', 'keep', plain, live({}), false],
    ['stays where it says so', 'keep', plain, live({ 'convoy.kumodo.io/prune': 'false' }), true],
    ['stays when it is a claim', 'keep', claim, live({}), true],
    ['goes when it is a claim that says so', 'delete', claim, live({ 'convoy.kumodo.io/prune': 'true' }), true],
    ['is another’s', 'foreign', plain, live({ 'convoy.kumodo.io/release-id': 'home/shop/other' }), true],
    ['is nobody’s', 'foreign', plain, { metadata: {} }, true],
    ['goes already', 'terminating', plain, live({}, { deletionTimestamp: at(0) }), true],
  ])('%s', (_, fate, kind, object, prune) => {
    expect(fateOf(kind, object, owner, prune).kind).toBe(fate);
  });
});

describe('conditions', () => {
  it('keep their time while their status stays, and Reconciling goes when it is over', () => {
    const first = conditionsOf(progressing('a'), [], 1, at(0));
    expect(first.map(({ type }) => type)).toEqual(['Ready', 'Reconciling']);
    const second = conditionsOf(progressing('b'), first, 2, at(5));
    expect(second[0]).toMatchObject({ message: 'b', lastTransitionTime: at(0), observedGeneration: 2 });
    const third = conditionsOf(failed('ApplyFailed', 'x'.repeat(5000), true), second, 2, at(9));
    expect(third.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
      ['Ready', at(9)],
      ['Stalled', at(9)],
    ]);
    expect(third[0]?.message).toHaveLength(4096);
  });
});

describe('a request by annotation', () => {
  const annotated = (text: string, lastSyncRequest?: string) =>
    annotatedRequest(
      release('web', {
        metadata: { annotations: { 'convoy.kumodo.io/sync-requested': text } },
        status: lastSyncRequest === undefined ? {} : { lastSyncRequest },
      }),
    );

  it.each([
    [`${at(0)} Drift`, undefined, 'Drift'],
    [`${at(0)} please`, undefined, 'Manual'],
    [at(0), undefined, 'Manual'],
    [`${at(0)} Drift`, `${at(0)} Drift`, undefined],
    [`${at(1)} Drift`, `${at(0)} Drift`, 'Drift'],
    ['', undefined, undefined],
  ])('%j behind %j is %j', (text, served, reason) => {
    expect(annotated(text, served)).toBe(reason);
  });
});
