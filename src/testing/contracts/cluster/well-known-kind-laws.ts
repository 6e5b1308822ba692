import { expect } from 'vitest';
import { asMap, asString, type JsonMap } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import { all, at, law, nameOf, one, refusal, TYPES, until, type World } from './law.ts';

const AUTHORIZATION = '/apis/authorization.k8s.io/v1';

function lease(holder: string): KubernetesObject {
  const spec = { holderIdentity: holder, leaseDurationSeconds: 15, renewTime: '2026-03-02T10:00:00.123456Z' };
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'a' }, spec };
}

function happened(world: World): KubernetesObject {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'a' },
    eventTime: '2026-03-02T10:00:00.123456Z',
    type: 'Warning',
    reason: 'Tried',
    action: 'Try',
    note: 'it was tried',
    reportingController: 'example.test/contract',
    reportingInstance: 'contract-1',
    regarding: { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'x' },
  };
}

function cronJob(schedule: string, more: JsonMap = {}, restartPolicy = 'Never'): KubernetesObject {
  const containers = [{ name: 'main', image: 'example.test/main:1' }];
  const jobTemplate = { spec: { template: { spec: { restartPolicy, containers } } } };
  // Suspended: a law leaves nothing behind that goes on.
  const spec = { schedule, suspend: true, jobTemplate, ...more };
  return { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'a' }, spec };
}

async function review(world: World, kind: string, spec: unknown): Promise<unknown> {
  const path = `${AUTHORIZATION}/${kind.toLowerCase()}s`;
  const answer = await world.cluster.raw('POST', path, { apiVersion: 'authorization.k8s.io/v1', kind, spec });
  return at(answer, 'status', 'allowed');
}

export const WELL_KNOWN_KIND_LAWS = [
  law('a Lease keeps its times to the microsecond', async (world) => {
    const created = await world.cluster.create(all(world, TYPES.leases), lease('one'));
    expect(at(created, 'spec', 'renewTime')).toBe('2026-03-02T10:00:00.123456Z');
  }),

  law('of two who take a Lease of one version, one gets it', async (world) => {
    const created = await world.cluster.create(all(world, TYPES.leases), lease('none'));
    const take = (holder: string): Promise<unknown> =>
      world.cluster.update(one(world, 'a', TYPES.leases), {
        ...created,
        spec: { ...asMap(created['spec']), holderIdentity: holder },
      });
    const results = await Promise.allSettled(['one', 'two', 'three'].map(take));
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
  }),

  law('an Event of events.k8s.io is read as a core Event too', async (world) => {
    await world.cluster.create(all(world, TYPES.events), happened(world));
    expect(await world.cluster.get(one(world, 'a', TYPES.coreEvents))).toMatchObject({
      apiVersion: 'v1',
      kind: 'Event',
      involvedObject: { kind: 'ConfigMap', name: 'x' },
      message: 'it was tried',
      reason: 'Tried',
      reportingComponent: 'example.test/contract',
    });
  }),

  law('core Events are chosen by the object that they are about', async (world) => {
    await world.cluster.create(all(world, TYPES.events), happened(world));
    const chosen = async (fieldSelector: string): Promise<string[]> =>
      (await world.cluster.list(all(world, TYPES.coreEvents), { fieldSelector })).items.map(nameOf);
    expect(await chosen('involvedObject.name=x,type=Warning')).toEqual(['a']);
    expect(await chosen('involvedObject.name=y')).toEqual([]);
  }),

  law('an Event without action is Invalid', async (world) => {
    const { action: _, ...incomplete } = happened(world);
    const { code } = await refusal(world.cluster.create(all(world, TYPES.events), incomplete));
    expect(code).toBe(422);
  }),

  law('a core Event lies in the namespace of what it is about', async (world) => {
    const about = { kind: 'ConfigMap', namespace: 'default', name: 'x' };
    const event = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'a' }, involvedObject: about };
    const { code, causes } = await refusal(world.cluster.create(all(world, TYPES.coreEvents), event));
    expect(code).toBe(422);
    expect(causes.map(({ field }) => field)).toEqual(['involvedObject.namespace']);
  }),

  law('a schedule that is none is Invalid', async (world) => {
    const { code, causes } = await refusal(world.cluster.create(all(world, TYPES.cronJobs), cronJob('often')));
    expect(code).toBe(422);
    expect(causes.map(({ field }) => field)).toEqual(['spec.schedule']);
  }),

  law('a time zone that there is not is Invalid', async (world) => {
    const object = cronJob('0 0 * * *', { timeZone: 'Mars/Olympus' });
    const { code, causes } = await refusal(world.cluster.create(all(world, TYPES.cronJobs), object));
    expect(code).toBe(422);
    expect(causes.map(({ field }) => field)).toEqual(['spec.timeZone']);
  }),

  law('a Job whose pods would start again for ever is Invalid', async (world) => {
    const object = cronJob('0 0 * * *', {}, 'Always');
    const { code, causes } = await refusal(world.cluster.create(all(world, TYPES.cronJobs), object));
    expect(code).toBe(422);
    expect(causes.map(({ field }) => field)).toEqual(['spec.jobTemplate.spec.template.spec.restartPolicy']);
  }),

  law('an autoscaler that names nothing to scale is Invalid', async (world) => {
    const create = async (spec: JsonMap): Promise<string[]> => {
      const object = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'a' }, spec };
      const { code, causes } = await refusal(world.cluster.create(all(world, TYPES.autoscalers), object));
      expect(code).toBe(422);
      return causes.map(({ field }) => field);
    };
    expect(await create({})).toEqual([
      'spec.maxReplicas',
      'spec.maxReplicas',
      'spec.scaleTargetRef.kind',
      'spec.scaleTargetRef.name',
      'spec.scaleTargetRef.apiVersion',
    ]);
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' };
    expect(await create({ scaleTargetRef, minReplicas: 3, maxReplicas: 2 })).toEqual(['spec.maxReplicas']);
  }),

  law('a claim of nothing is Invalid', async (world) => {
    const object = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'a' }, spec: {} };
    const { code, causes } = await refusal(world.cluster.create(all(world, TYPES.claims), object));
    expect(code).toBe(422);
    expect(causes.map(({ field }) => field)).toEqual(['spec.accessModes', 'spec.resources[storage]']);
  }),

  law('a disruption budget has one bound, or none', async (world) => {
    const object = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'a' } };
    const both = { ...object, spec: { minAvailable: 1, maxUnavailable: 1 } };
    const { code, causes } = await refusal(world.cluster.create(all(world, TYPES.budgets), both));
    expect(code).toBe(422);
    expect(causes.map(({ field }) => field)).toEqual(['spec']);
    expect((await world.cluster.create(all(world, TYPES.budgets), object))['spec']).toEqual({});
  }),

  law('an APIService that says neither of what nor in which order is Invalid', async (world) => {
    const create = (name: string, spec: JsonMap): Promise<unknown> => {
      const object = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name }, spec };
      return world.cluster.create({ type: TYPES.apiServices, namespace: '' }, object);
    };
    const { code, causes } = await refusal(create('a', {}));
    expect(code).toBe(422);
    expect(causes.map(({ field }) => field).toSorted()).toEqual([
      'metadata.name',
      'spec.group',
      'spec.groupPriorityMinimum',
      'spec.version',
      'spec.versionPriority',
    ]);
    const spec = { group: 'example.test', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 };
    const unnamed = await refusal(create('v1.example.test', { ...spec, insecureSkipTLSVerify: true, service: {} }));
    expect(unnamed.causes.map(({ field }) => field)).toEqual(['spec.service.namespace', 'spec.service.name']);
  }),

  law('a namespace gets a ServiceAccount and the authority that its pods trust', async (world) => {
    await until(world, one(world, 'default', TYPES.serviceAccounts), (object) => object !== undefined);
    await until(world, one(world, 'kube-root-ca.crt'), (object) =>
      asString(at(object, 'data', 'ca.crt')).includes('BEGIN CERTIFICATE'),
    );
  }),

  law('a SelfSubjectReview tells who asks', async (world) => {
    const kind = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const answer = await world.cluster.raw('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', kind);
    expect(asString(at(answer, 'status', 'userInfo', 'username'))).not.toBe('');
    expect(at(answer, 'status', 'userInfo', 'groups')).toContain('system:authenticated');
  }),

  law('a TokenReview of a token of nobody is a no', async (world) => {
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'of-nobody' } };
    const answer = await world.cluster.raw('POST', '/apis/authentication.k8s.io/v1/tokenreviews', review);
    expect(at(answer, 'status', 'authenticated')).not.toBe(true);
  }),

  law('an access review of a resource and a path at once, or of neither, is Invalid', async (world) => {
    const resourceAttributes = { verb: 'get', resource: 'pods' };
    const nonResourceAttributes = { verb: 'get', path: '/healthz' };
    const both = { user: 'somebody', resourceAttributes, nonResourceAttributes };
    expect((await refusal(review(world, 'SubjectAccessReview', both))).code).toBe(422);
    expect((await refusal(review(world, 'SubjectAccessReview', { user: 'somebody' }))).code).toBe(422);
  }),

  law('a Service gets an address and names TCP where no protocol is given', async (world) => {
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'a' },
      spec: { selector: { app: 'a' }, ports: [{ port: 80 }] },
    };
    const created = await world.cluster.create(all(world, TYPES.services), service);
    expect(created['spec']).toMatchObject({
      type: 'ClusterIP',
      clusterIP: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/),
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
    });
  }),

  law('whoever may do everything is told so by a SelfSubjectAccessReview', async (world) => {
    const resourceAttributes = { namespace: world.namespace, verb: 'delete', resource: 'secrets' };
    expect(await review(world, 'SelfSubjectAccessReview', { resourceAttributes })).toBe(true);
  }),

  law('a SubjectAccessReview of a user whom nothing is granted is a no', async (world) => {
    const resourceAttributes = { namespace: world.namespace, verb: 'delete', resource: 'secrets' };
    expect(await review(world, 'SubjectAccessReview', { user: 'nobody', resourceAttributes })).toBe(false);
  }),

  law('a SubjectAccessReview of an administrator is a yes', async (world) => {
    const resourceAttributes = { namespace: world.namespace, verb: 'delete', resource: 'secrets' };
    const spec = { user: 'somebody', groups: ['system:masters'], resourceAttributes };
    expect(await review(world, 'SubjectAccessReview', spec)).toBe(true);
  }),

  law('a SubjectAccessReview of nobody is refused', async (world) => {
    const resourceAttributes = { verb: 'get', resource: 'pods' };
    const { code } = await refusal(review(world, 'SubjectAccessReview', { resourceAttributes }));
    expect(code).toBe(422);
  }),
];
