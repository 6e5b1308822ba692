import { describe, expect, it } from 'vitest';
import { compileRuleSets } from '../core/health/index.ts';
import { catalogue } from './index.ts';

const rules = compileRuleSets(catalogue());
const ids = (apiVersion: string, kind: string) => rules.select(apiVersion, kind).map((rule) => rule.id);

describe('the shipped catalogue', () => {
  it.each([
    ['v1', 'Pod'],
    ['v1', 'Service'],
    ['v1', 'Namespace'],
    ['v1', 'PersistentVolume'],
    ['v1', 'PersistentVolumeClaim'],
    ['v1', 'ReplicationController'],
    ['apps/v1', 'Deployment'],
    ['apps/v1', 'ReplicaSet'],
    ['apps/v1', 'StatefulSet'],
    ['apps/v1', 'DaemonSet'],
    ['batch/v1', 'Job'],
    ['batch/v1', 'CronJob'],
    ['networking.k8s.io/v1', 'Ingress'],
    ['autoscaling/v2', 'HorizontalPodAutoscaler'],
    ['policy/v1', 'PodDisruptionBudget'],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
    ['apiregistration.k8s.io/v1', 'APIService'],
    ['admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy'],
    ['gateway.networking.k8s.io/v1', 'Gateway'],
    ['gateway.networking.k8s.io/v1', 'HTTPRoute'],
  ])('%s %s has one rule of its own', (apiVersion, kind) => {
    expect(ids(apiVersion, kind)).toEqual([expect.not.stringMatching(/^generic#/)]);
  });

  it.each([
    ['example.test/v1', 'Widget'],
    ['v1', 'ConfigMap'],
    ['argoproj.io/v1alpha1', 'Rollout'],
    ['other.test/v1', 'Deployment'],
  ])('%s %s is left to the fallback', (apiVersion, kind) => {
    expect(ids(apiVersion, kind)).toEqual(['generic#conventions']);
  });

  it('every set has the Standard preamble', () => {
    expect(new Set(catalogue().map((set) => set.preamble))).toEqual(new Set(['Standard']));
  });

  it('compiles', () => {
    expect(rules.compileAll()).toEqual([]);
  });
});
