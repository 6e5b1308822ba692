import type { Registry } from '../resources/registry.ts';
import { apiVersionOf, type Resource } from '../resources/resource.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const SUBRESOURCE_KINDS: Readonly<Record<string, { kind: string; verbs: string[]; group?: string; version?: string }>> =
  {
    status: { kind: '', verbs: ['get', 'patch', 'update'] },
    finalize: { kind: '', verbs: ['update'] },
    scale: { kind: 'Scale', verbs: ['get', 'patch', 'update'], group: 'autoscaling', version: 'v1' },
    log: { kind: 'Pod', verbs: ['get'] },
    eviction: { kind: 'Eviction', verbs: ['create'], group: 'policy', version: 'v1' },
  };

/** Kinds that answer a question and are not kept. */
const REVIEWS = [
  { resource: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview' },
  { resource: 'subjectaccessreviews', kind: 'SubjectAccessReview' },
] as const;
const AUTHORIZATION = 'authorization.k8s.io';

interface Served {
  readonly group: string;
  readonly versions: readonly string[];
}

/** Groups in the order of kubectl api-resources: the core group, then by name. */
function groupsOf(registry: Registry): Served[] {
  const versions = new Map<string, Set<string>>([[AUTHORIZATION, new Set(['v1'])]]);
  for (const { group, version } of registry.all()) {
    versions.set(group, (versions.get(group) ?? new Set()).add(version));
  }
  return [...versions.keys()].sort().map((group) => ({ group, versions: [...(versions.get(group) ?? [])] }));
}

function resourcesOf(registry: Registry, group: string, version: string): Resource[] {
  return registry.all().filter((one) => one.group === group && one.version === version);
}

function legacyResource(resource: Resource): Record<string, unknown>[] {
  const { namespaced, kind } = resource;
  return [
    {
      name: resource.resource,
      singularName: resource.singular,
      namespaced,
      kind,
      verbs: VERBS,
      ...(resource.shortNames.length === 0 ? {} : { shortNames: resource.shortNames }),
      ...(resource.categories.length === 0 ? {} : { categories: resource.categories }),
    },
    ...resource.subresources.map((name) => {
      const { kind: own, ...rest } = SUBRESOURCE_KINDS[name] ?? { kind: '', verbs: ['get'] };
      return { name: `${resource.resource}/${name}`, singularName: '', namespaced, kind: own || kind, ...rest };
    }),
  ];
}

/** `/api/v1` and `/apis/GROUP/VERSION`; undefined for a version that is not served. */
export function resourceList(registry: Registry, group: string, version: string): unknown {
  const resources =
    group === AUTHORIZATION && version === 'v1'
      ? REVIEWS.map(({ resource, kind }) => ({
          name: resource,
          singularName: kind.toLowerCase(),
          namespaced: false,
          kind,
          verbs: ['create'],
        }))
      : resourcesOf(registry, group, version).flatMap(legacyResource);
  if (resources.length === 0) return undefined;
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersionOf({ group, version }), resources };
}

function legacyGroup({ group, versions }: Served): Record<string, unknown> {
  const all = versions.map((version) => ({ groupVersion: apiVersionOf({ group, version }), version }));
  return { name: group, versions: all, preferredVersion: all[0] };
}

/** `/apis`. */
export function groupList(registry: Registry): unknown {
  const groups = groupsOf(registry).filter(({ group }) => group !== '');
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(legacyGroup) };
}

/** `/apis/GROUP`; undefined for a group that is not served. */
export function groupOf(registry: Registry, name: string): unknown {
  const found = groupsOf(registry).find(({ group }) => group === name && group !== '');
  return found && { kind: 'APIGroup', apiVersion: 'v1', ...legacyGroup(found) };
}

function aggregatedResource(resource: Resource): Record<string, unknown> {
  const { group, version, kind } = resource;
  const scope = resource.namespaced ? 'Namespaced' : 'Cluster';
  return {
    resource: resource.resource,
    responseKind: { group, version, kind },
    scope,
    singularResource: resource.singular,
    verbs: VERBS,
    shortNames: resource.shortNames,
    categories: resource.categories,
    subresources: resource.subresources.map((subresource) => {
      const {
        kind: own,
        verbs,
        group: itsGroup = group,
        version: its = version,
      } = SUBRESOURCE_KINDS[subresource] ?? { kind: '', verbs: ['get'] };
      return { subresource, responseKind: { group: itsGroup, version: its, kind: own || kind }, verbs };
    }),
  };
}

function aggregatedResources(registry: Registry, group: string, version: string): unknown[] {
  if (group !== AUTHORIZATION) return resourcesOf(registry, group, version).map(aggregatedResource);
  return REVIEWS.map(({ resource, kind }) => ({
    resource,
    responseKind: { group, version, kind },
    scope: 'Cluster',
    singularResource: kind.toLowerCase(),
    verbs: ['create'],
  }));
}

/** Aggregated discovery (apidiscovery.k8s.io) of `/api` or `/apis`. */
export function aggregatedDiscovery(registry: Registry, root: 'api' | 'apis', discoveryVersion: string): unknown {
  const groups = groupsOf(registry).filter(({ group }) => (group === '') === (root === 'api'));
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${discoveryVersion}`,
    metadata: {},
    items: groups.map(({ group, versions }) => ({
      metadata: { name: group, creationTimestamp: null },
      versions: versions.map((version) => ({
        version,
        freshness: 'Current',
        resources: aggregatedResources(registry, group, version),
      })),
    })),
  };
}
