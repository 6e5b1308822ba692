import { describe, expect, it } from 'vitest';
import { emptyApi } from '../api/object-api.fixture.ts';
import { StatusError } from '../objects/status-error.ts';

/** What is refused in an object, without the values. */
function refused(apiVersion: string, kind: string, name: string, more: object): string[] {
  const { api, resource } = emptyApi();
  const its = resource(apiVersion, kind);
  try {
    api.create(its, its.namespaced ? 'default' : '', { metadata: { name }, ...more }, { manager: 'test' });
    return [];
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return (error.details.causes ?? []).map(
      ({ field, message }) => `${field}: ${message.replace(/^[^:]*value: /, '')}`,
    );
  }
}

describe('what the simulated cluster could not work with is refused', () => {
  it('an autoscaler that names nothing to scale, or has no bounds', () => {
    const autoscaler = (spec?: object): string[] =>
      refused('autoscaling/v2', 'HorizontalPodAutoscaler', 'a', spec === undefined ? {} : { spec });
    expect(autoscaler()).toEqual([
      'spec.maxReplicas: must be set and greater than 0',
      'spec.maxReplicas: 0: must be greater than or equal to `minReplicas`',
      'spec.scaleTargetRef.kind: Required value',
      'spec.scaleTargetRef.name: Required value',
      expect.stringMatching(/^spec.scaleTargetRef.apiVersion: "": /),
    ]);
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    expect(autoscaler({ scaleTargetRef, minReplicas: 0, maxReplicas: 2 })).toEqual([
      'spec.minReplicas: 0: must be greater than or equal to 1',
    ]);
    expect(autoscaler({ scaleTargetRef, minReplicas: 3, maxReplicas: 2 })).toEqual([
      'spec.maxReplicas: 2: must be greater than or equal to `minReplicas`',
    ]);
    expect(autoscaler({ scaleTargetRef, maxReplicas: 2 })).toEqual([]);
  });

  it('a claim of nothing', () => {
    expect(refused('v1', 'PersistentVolumeClaim', 'a', {})).toEqual([
      'spec.accessModes: Required value',
      'spec.resources[storage]: Required value',
    ]);
  });

  it('a disruption budget with both bounds; one with none is none', () => {
    const budget = (more: object): string[] => refused('policy/v1', 'PodDisruptionBudget', 'a', more);
    expect(budget({ spec: { minAvailable: 1, maxUnavailable: 1 } })).toEqual([
      'spec: {"minAvailable":1,"maxUnavailable":1}: minAvailable and maxUnavailable cannot be both set',
    ]);
    expect(budget({})).toEqual([]);
  });

  it('an APIService that says neither of what nor in which order', () => {
    const service = (name: string, more: object): string[] =>
      refused('apiregistration.k8s.io/v1', 'APIService', name, more);
    expect(service('a', {})).toEqual([
      'spec.group: only v1 may have an empty group and it better be legacy kube',
      expect.stringMatching(/^spec.version: "": /),
      'metadata.name: "a": must be `spec.version+"."+spec.group`: "."',
      'spec.groupPriorityMinimum: 0: must be positive and less than 20000',
      'spec.versionPriority: 0: must be positive and less than 1000',
    ]);
    const spec = { group: 'example.test', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 };
    expect(service('v1.example.test', { spec: { ...spec, service: { name: 'x' } } })).toEqual([
      'spec.service.namespace: Required value',
    ]);
    expect(service('v1.example.test', { spec })).toEqual([]);
  });
});

describe('managedFields of a new object', () => {
  it('are taken when they are well formed, and made otherwise', () => {
    const { api, resource } = emptyApi();
    const managers = (name: string, managedFields: unknown): unknown => {
      const body = { metadata: { name, managedFields }, data: { a: 'b' } };
      const object = api.create(resource('v1', 'ConfigMap'), 'default', body, { manager: 'test' });
      return object.metadata.managedFields?.map(({ manager }) => manager);
    };
    const whole = { manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsV1: { 'f:data': { 'f:a': {} } } };
    expect(managers('whole', [whole])).toEqual(['x']);
    expect(managers('broken', [{ manager: 'x' }])).toEqual(['test']);
    expect(managers('empty', [])).toEqual(['test']);
  });
});
