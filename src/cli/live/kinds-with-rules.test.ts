import { describe, expect, it } from 'vitest';
import { catalogue } from '../../catalogue/index.ts';
import type { ResourceType } from '../../ports/cluster.ts';
import { relatedOf, typesWithRules, unknownVersions } from './kinds-with-rules.ts';

function type(
  group: string,
  version: string,
  kind: string,
  resource: string,
  verbs = ['get', 'list', 'watch'],
): ResourceType {
  const rest = { namespaced: true, shortNames: [], singular: kind.toLowerCase(), subresources: [] };
  return { group, version, kind, resource, verbs, ...rest };
}

const sets = catalogue();
const chosen = (types: ResourceType[]): string[] =>
  typesWithRules(types, sets).map(({ group, version, resource }) => `${group}/${version}/${resource}`);

describe('the kinds that have a rule', () => {
  it('stand in one version each, one that a rule knows', () => {
    expect(
      chosen([type('apps', 'v3', 'Deployment', 'deployments'), type('apps', 'v1', 'Deployment', 'deployments')]),
    ).toEqual(['apps/v1/deployments']);
  });

  it('are custom resources too, by the generic rule, and no kinds of the API server without health', () => {
    const types = [
      type('', 'v1', 'ConfigMap', 'configmaps'),
      type('rbac.authorization.k8s.io', 'v1', 'Role', 'roles'),
      type('db.example.com', 'v1', 'Database', 'databases'),
      type('cluster.x-k8s.io', 'v1beta2', 'Cluster', 'clusters'),
    ];
    expect(chosen(types)).toEqual(['db.example.com/v1/databases', 'cluster.x-k8s.io/v1beta2/clusters']);
  });

  it('are left out when they cannot be listed and watched', () => {
    expect(chosen([type('metrics.example.com', 'v1', 'PodMetrics', 'pods', ['get', 'list'])])).toEqual([]);
  });
});

describe('a kind that is served in versions no rule knows', () => {
  it('is told with both', () => {
    const types = [type('batch', 'v9', 'Job', 'jobs'), type('apps', 'v1', 'Deployment', 'deployments')];
    expect(unknownVersions(types, sets)).toEqual([{ kind: 'Job', served: ['batch/v9'], known: ['batch/v1'] }]);
  });

  it('is none when another version is known', () => {
    expect(unknownVersions([type('batch', 'v9', 'Job', 'jobs'), type('batch', 'v1', 'Job', 'jobs')], sets)).toEqual([]);
  });
});

it('a rule that looks at other objects says which', () => {
  const related = relatedOf(type('', 'v1', 'PersistentVolumeClaim', 'persistentvolumeclaims'), sets);
  expect(related.map(({ resource }) => resource)).toContain('storageclasses');
});
