import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../object/kubernetes-object.ts';
import { type Assessment, assessObjects, withCause } from './assess-objects.ts';
import { compileRuleSets } from './compile.ts';
import { ruleSet, widget, widgetRule } from './widget-rules.fixture.ts';

const failing = (apiVersion: string, resource: string) =>
  widgetRule({
    name: resource,
    apiVersions: [apiVersion],
    resources: [resource],
    healthy: 'spec.?fine.orValue(false)',
    message: '"not yet"',
  });

const RULES = compileRuleSets([
  ruleSet([
    failing('apps/v1', 'deployments'),
    failing('apps/v1', 'statefulsets'),
    failing('batch/v1', 'jobs'),
    failing('v1', 'pods'),
    failing('v1', 'persistentvolumeclaims'),
    failing('example.test/v1', 'widgets'),
  ]),
]);

function judged(...objects: KubernetesObject[]): readonly Assessment[] {
  return assessObjects(objects, RULES, { now: Date.parse('2026-01-01T12:00:00Z'), failFast: true });
}

function owned(
  apiVersion: string,
  kind: string,
  name: string,
  owner: { kind: string; name: string; uid?: string },
  more: object = {},
  metadata: object = {},
): KubernetesObject {
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      ownerReferences: [{ apiVersion: 'x', ...owner }],
      ...metadata,
    },
    ...more,
  };
}

const WEB = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop', uid: 'uid-web' } };
const revision = (number: string) => ({ annotations: { 'deployment.kubernetes.io/revision': number } });
const replicaSet = (name: string, number: string) =>
  owned('apps/v1', 'ReplicaSet', name, { kind: 'Deployment', name: 'web', uid: 'uid-web' }, {}, revision(number));
const pod = (name: string, owner: { kind: string; name: string }, container: object, metadata: object = {}) =>
  owned(
    'v1',
    'Pod',
    name,
    { ...owner, uid: `uid-${owner.name}` },
    { status: { containerStatuses: [{ name: 'main', ready: false, ...container }] } },
    metadata,
  );
const waiting = (reason: string, message = '') => ({ state: { waiting: { reason, message } } });

function warning(kind: string, name: string, reason: string, message: string, time: string): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${reason}`, namespace: 'shop' },
    type: 'Warning',
    involvedObject: { kind, namespace: 'shop', name },
    reason,
    message,
    lastTimestamp: time,
  };
}

describe('judging many objects', () => {
  it('keeps the order of the input and numbers it', () => {
    const assessed = judged(widget({ spec: { fine: true } }), WEB, widget({ spec: { fine: true } }));
    expect(assessed.map(({ index, verdict }) => [index, verdict.state])).toEqual([
      [0, 'Healthy'],
      [1, 'Progressing'],
      [2, 'Healthy'],
    ]);
  });

  it('starts the clock of an object at its own newest transition when there is a deadline', () => {
    const at = (time: string) =>
      widget({ status: { conditions: [{ type: 'A', status: 'False', lastTransitionTime: time }] } });
    const assessed = assessObjects([at('2026-01-01T11:00:00Z'), at('2026-01-01T11:59:00Z'), widget()], RULES, {
      now: Date.parse('2026-01-01T12:00:00Z'),
      deadline: 300_000,
      failFast: true,
    });
    expect(assessed.map(({ verdict }) => verdict.state)).toEqual(['Degraded', 'Progressing', 'Progressing']);
  });
});

describe('the cause of an unhealthy workload', () => {
  it('is the worst container of the pods of the current revision', () => {
    const [web] = judged(
      WEB,
      replicaSet('web-1', '1'),
      replicaSet('web-2', '2'),
      pod('web-1-a', { kind: 'ReplicaSet', name: 'web-1' }, waiting('InvalidImageName', 'old')),
      pod('web-2-a', { kind: 'ReplicaSet', name: 'web-2' }, waiting('ContainerCreating')),
      pod('web-2-b', { kind: 'ReplicaSet', name: 'web-2' }, waiting('ImagePullBackOff', 'shop/web:2.1 not found')),
    );
    expect(web?.cause).toBe('pod web-2-b ImagePullBackOff: shop/web:2.1 not found');
    expect(web?.verdict.message).toBe('not yet');
    expect(withCause('not yet', web?.cause)).toBe('not yet: pod web-2-b ImagePullBackOff: shop/web:2.1 not found');
  });

  it('of a crash loop is how the container ended, not how long the kubelet waits', () => {
    const last = { terminated: { exitCode: 137, reason: 'OOMKilled' } };
    const [job] = judged(
      { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'migrate', namespace: 'shop', uid: 'uid-migrate' } },
      pod(
        'migrate-x',
        { kind: 'Job', name: 'migrate' },
        { ...waiting('CrashLoopBackOff', 'back-off 5m'), lastState: last },
      ),
    );
    expect(job?.cause).toBe('pod migrate-x CrashLoopBackOff: exit code 137 (OOMKilled)');
  });

  it('is the exit of a container that has ended, and why a pod has no node', () => {
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'migrate', namespace: 'shop', uid: 'uid-migrate' },
    };
    const ended = pod(
      'm-1',
      { kind: 'Job', name: 'migrate' },
      { state: { terminated: { exitCode: 1, reason: 'Error', message: 'no table' } } },
    );
    expect(judged(job, ended)[0]?.cause).toBe('pod m-1 exit code 1: no table');
    const nowhere = owned(
      'v1',
      'Pod',
      'm-2',
      { kind: 'Job', name: 'migrate', uid: 'uid-migrate' },
      {
        status: {
          phase: 'Pending',
          conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }],
        },
      },
    );
    expect(judged(job, nowhere)[0]?.cause).toBe('pod m-2 Unschedulable: 0/3 nodes');
  });

  it('of a stateful set leaves out the pods of the old revision', () => {
    const db = {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db', namespace: 'shop', uid: 'uid-db' },
      status: { updateRevision: 'db-2' },
    };
    const owner = { kind: 'StatefulSet', name: 'db' };
    const [first] = judged(
      db,
      pod('db-0', owner, waiting('CrashLoopBackOff'), { labels: { 'controller-revision-hash': 'db-1' } }),
      pod('db-1', owner, waiting('ErrImagePull', 'gone'), { labels: { 'controller-revision-hash': 'db-2' } }),
    );
    expect(first?.cause).toBe('pod db-1 ErrImagePull: gone');
  });

  it('reaches through a custom resource to the pods below it', () => {
    const [top] = judged(
      { apiVersion: 'example.test/v1', kind: 'Widget', metadata: { name: 'one', namespace: 'shop', uid: 'uid-one' } },
      owned('apps/v1', 'Deployment', 'web', { kind: 'Widget', name: 'one', uid: 'uid-one' }),
      replicaSet('web-2', '2'),
      pod('web-2-b', { kind: 'ReplicaSet', name: 'web-2' }, waiting('ErrImagePull', 'gone')),
    );
    expect(top?.cause).toBe('pod web-2-b ErrImagePull: gone');
  });

  it('is found by name when the objects carry no uid', () => {
    const [job] = judged(
      { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'migrate', namespace: 'shop' } },
      owned(
        'v1',
        'Pod',
        'm-1',
        { kind: 'Job', name: 'migrate' },
        { status: { containerStatuses: [waiting('ErrImagePull', 'gone')] } },
      ),
    );
    expect(job?.cause).toBe('pod m-1 ErrImagePull: gone');
  });

  it('does not take the pods of a namesake with another uid', () => {
    const [job] = judged(
      { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'migrate', namespace: 'shop', uid: 'uid-new' } },
      pod('m-1', { kind: 'Job', name: 'migrate' }, waiting('ErrImagePull', 'gone')),
    );
    expect(job?.cause).toBeUndefined();
  });

  it('ends in a circle of owners', () => {
    const one = owned('example.test/v1', 'Widget', 'one', { kind: 'Widget', name: 'two', uid: 'uid-two' });
    const two = owned('example.test/v1', 'Widget', 'two', { kind: 'Widget', name: 'one', uid: 'uid-one' });
    expect(judged(one, two).map(({ cause }) => cause)).toEqual([undefined, undefined]);
  });

  it('is the newest warning event when no container tells more', () => {
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data', namespace: 'shop' } };
    const [pvc] = judged(
      claim,
      warning('PersistentVolumeClaim', 'data', 'ProvisioningFailed', 'quota', '2026-01-01T11:59:00Z'),
      warning('PersistentVolumeClaim', 'data', 'ProvisioningFailed', 'no capacity', '2026-01-01T11:59:30Z'),
      warning('PersistentVolumeClaim', 'other', 'ProvisioningFailed', 'else', '2026-01-01T11:59:59Z'),
    );
    expect(pvc?.cause).toBe('ProvisioningFailed: no capacity');
  });

  it('of a pod that waits for its volumes is what the kubelet complains of', () => {
    const own = pod('m-1', { kind: 'Job', name: 'migrate' }, waiting('ContainerCreating'));
    const event = warning('Pod', 'm-1', 'FailedMount', 'secret "db" not found', '2026-01-01T11:59:00Z');
    expect(judged(own, event)[0]?.cause).toBe('FailedMount: secret "db" not found');
  });

  it('of a pod whose container runs again is how it ended before; a state that the message names is not repeated', () => {
    const last = { terminated: { exitCode: 2, reason: 'Error' } };
    const again = pod('m-1', { kind: 'Job', name: 'migrate' }, { state: { running: {} }, lastState: last });
    expect(judged(again)[0]?.cause).toBe('restarted after exit code 2');
    const crashing = pod('m-2', { kind: 'Job', name: 'migrate' }, { ...waiting('CrashLoopBackOff'), lastState: last });
    const event = warning('Pod', 'm-2', 'BackOff', 'Back-off restarting failed container', '2026-01-01T11:59:00Z');
    expect(judged(crashing, event)[0]?.cause).toBeUndefined();
  });

  it('is none when the message tells it already', () => {
    const rule = widgetRule({ healthy: 'false', message: '"Unschedulable: 0/3 nodes fit"' });
    const event = warning('Widget', 'one', 'FailedScheduling', '0/3 nodes fit', '2026-01-01T11:59:00Z');
    const rules = compileRuleSets([ruleSet([rule])]);
    expect(assessObjects([widget(), event], rules, { now: 0, failFast: true })[0]?.cause).toBeUndefined();
  });

  it('of a pod event names the pod', () => {
    const [job] = judged(
      { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'migrate', namespace: 'shop', uid: 'uid-migrate' } },
      pod('m-1', { kind: 'Job', name: 'migrate' }, waiting('ContainerCreating')),
      warning('Pod', 'm-1', 'FailedMount', 'secret "db" not found', '2026-01-01T11:59:00Z'),
    );
    expect(job?.cause).toBe('pod m-1 FailedMount: secret "db" not found');
  });

  it('of the warnings of several pods and of its own is the newest; a pod that is ready has none that counts', () => {
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'migrate', namespace: 'shop', uid: 'uid-migrate' },
    };
    const waits = (name: string) => pod(name, { kind: 'Job', name: 'migrate' }, waiting('ContainerCreating'));
    const fine = owned(
      'v1',
      'Pod',
      'm-0',
      { kind: 'Job', name: 'migrate', uid: 'uid-migrate' },
      { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
    );
    const early = warning('Pod', 'm-1', 'FailedScheduling', '0/3 nodes', '2026-01-01T11:00:00Z');
    const late = warning('Pod', 'm-2', 'FailedMount', 'secret "db" not found', '2026-01-01T11:59:00Z');
    const over = warning('Pod', 'm-0', 'Unhealthy', 'probe failed', '2026-01-01T11:59:30Z');
    const own = warning('Job', 'migrate', 'FailedCreate', 'quota', '2026-01-01T11:59:45Z');
    const objects = [job, fine, waits('m-1'), waits('m-2'), over, early, late];
    expect(judged(...objects)[0]?.cause).toBe('pod m-2 FailedMount: secret "db" not found');
    expect(judged(...objects, own)[0]?.cause).toBe('FailedCreate: quota');
  });

  it('is the warning of what stands between it and its pods: a quota lets none come to be', () => {
    const quota = warning('ReplicaSet', 'web-2', 'FailedCreate', 'exceeded quota', '2026-01-01T11:59:00Z');
    const old = warning('ReplicaSet', 'web-1', 'FailedCreate', 'old', '2026-01-01T11:59:30Z');
    const [web] = judged(WEB, replicaSet('web-1', '1'), replicaSet('web-2', '2'), quota, old);
    expect(web?.cause).toBe('ReplicaSet web-2 FailedCreate: exceeded quota');
  });

  it('is at most 200 bytes, and nothing beside a healthy, deleting or suspended object', () => {
    const event = warning('Widget', 'one', 'Failed', 'x'.repeat(900), '2026-01-01T11:59:00Z');
    expect(new TextEncoder().encode(judged(widget(), event)[0]?.cause).length).toBe(200);
    expect(judged(widget({ spec: { fine: true } }), event)[0]?.cause).toBeUndefined();
    const suspended = compileRuleSets([ruleSet([widgetRule({ healthy: 'false', suspended: 'true' })])]);
    expect(assessObjects([widget(), event], suspended, { now: 0, failFast: true })[0]?.cause).toBeUndefined();
  });
});

describe('related objects of one input', () => {
  const rule = widgetRule({
    related: [{ name: 'class', apiVersion: 'example.test/v1', resource: 'classes', object: 'spec.class' }],
    healthy: 'related.class != null',
  });
  const rules = compileRuleSets([ruleSet([rule])]);
  const state = (...objects: KubernetesObject[]) =>
    assessObjects(objects, rules, { now: 0, failFast: true })[0]?.verdict.state;
  const asking = widget({ spec: { class: 'fast' } });
  const kind = (namespace?: string) => ({
    apiVersion: 'example.test/v1',
    kind: 'Class',
    metadata: { name: 'fast', namespace },
  });

  it('are found cluster-wide and in the own namespace, not in another', () => {
    expect(state(asking, kind())).toBe('Healthy');
    expect(state(asking, kind('shop'))).toBe('Healthy');
    expect(state(asking, kind('else'))).toBe('Progressing');
    expect(state(asking)).toBe('Progressing');
  });
});

describe('odd neighbours', () => {
  it('do not disturb the judging of others', () => {
    const odd = [
      { apiVersion: 'v1', kind: 'Pod', metadata: { ownerReferences: 'none' } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { ownerReferences: [null, 5, { uid: 7 }] } },
      { apiVersion: 'v1', kind: 'Event', type: 'Warning', involvedObject: null },
      { apiVersion: 'v1', kind: 'Event', type: 'Warning', involvedObject: 'web', message: 5 },
      { kind: 5, metadata: null },
      {},
    ];
    expect(judged(WEB, ...odd)).toHaveLength(7);
    expect(judged(WEB, ...odd)[0]?.cause).toBeUndefined();
  });
});
