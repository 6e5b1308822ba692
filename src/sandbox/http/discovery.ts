import { asList, asString, type JsonMap } from '../../core/object/fields.ts';
import type { AggregatedVersion } from '../aggregation/aggregator.ts';
import type { Registry } from '../resources/registry.ts';
import { apiVersionOf, type Resource } from '../resources/resource.ts';
import { REVIEWS } from './reviews.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const SUBRESOURCE_KINDS: Readonly<Record<string, { kind: string; verbs: string[]; group?: string; version?: string }>> =
  {
    status: { kind: '', verbs: ['get', 'patch', 'update'] },
    finalize: { kind: '', verbs: ['update'] },
    scale: { kind: 'Scale', verbs: ['get', 'patch', 'update'], group: 'autoscaling', version: 'v1' },
    token: { kind: 'TokenRequest', verbs: ['create'], group: 'authentication.k8s.io', version: 'v1' },
    log: { kind: 'Pod', verbs: ['get'] },
    eviction: { kind: 'Eviction', verbs: ['create'], group: 'policy', version: 'v1' },
  };

/** Which group comes first where a name is in several: our own, then by what an APIService says. */
const OWN_PRIORITY = [17_000, 15] as const;
const DEFINED_PRIORITY = [1_000, 100] as const;

/** What is served under one group and version. Rows are those of an APIResourceList. */
export interface ServedVersion {
  readonly group: string;
  readonly version: string;
  readonly priority: readonly [group: number, version: number];
  /** Undefined: another server serves it, and does not answer. */
  readonly resources: readonly JsonMap[] | undefined;
}

function rowsOf(resource: Resource): JsonMap[] {
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

function ownVersions(registry: Registry): ServedVersion[] {
  const versions = new Map<string, { served: ServedVersion; rows: JsonMap[] }>();
  const add = (group: string, version: string, priority: ServedVersion['priority'], rows: readonly JsonMap[]): void => {
    const key = apiVersionOf({ group, version });
    const known = versions.get(key);
    if (known !== undefined) known.rows.push(...rows);
    else {
      const own = [...rows];
      versions.set(key, { served: { group, version, priority, resources: own }, rows: own });
    }
  };
  for (const one of registry.all()) {
    add(one.group, one.version, one.strategic ? OWN_PRIORITY : DEFINED_PRIORITY, rowsOf(one));
  }
  for (const { group, version, resource, kind, namespaced } of REVIEWS) {
    const row = { name: resource, singularName: kind.toLowerCase(), namespaced, kind, verbs: ['create'] };
    add(group, version, OWN_PRIORITY, [row]);
  }
  return [...versions.values()].map(({ served }) => served);
}

/** All that is served: the core group first, then by priority, then by name. */
export function servedVersions(registry: Registry, aggregated: readonly AggregatedVersion[]): ServedVersion[] {
  const rank = ({ group, priority }: ServedVersion): number => (group === '' ? Number.POSITIVE_INFINITY : priority[0]);
  return [...ownVersions(registry), ...aggregated].sort((a, b) => {
    const [first, second] = [rank(a), rank(b)];
    if (first !== second) return second - first;
    return a.group < b.group ? -1 : a.group > b.group ? 1 : b.priority[1] - a.priority[1];
  });
}

/** `/api/v1` and `/apis/GROUP/VERSION`; undefined for a version that is not served. */
export function resourceList(registry: Registry, group: string, version: string): unknown {
  const found = ownVersions(registry).find((one) => one.group === group && one.version === version);
  if (found?.resources === undefined) return undefined;
  const groupVersion = apiVersionOf({ group, version });
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: found.resources };
}

function byGroup(versions: readonly ServedVersion[]): [string, ServedVersion[]][] {
  const groups = new Map<string, ServedVersion[]>();
  for (const one of versions) groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
  return [...groups];
}

function legacyGroup(name: string, versions: readonly ServedVersion[]): JsonMap {
  const all = versions.map(({ group, version }) => ({ groupVersion: apiVersionOf({ group, version }), version }));
  return { name, versions: all, preferredVersion: all[0] };
}

/** `/apis`. */
export function groupList(versions: readonly ServedVersion[]): unknown {
  const groups = byGroup(versions).filter(([group]) => group !== '');
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(([name, its]) => legacyGroup(name, its)) };
}

/** `/apis/GROUP`; undefined for a group that is not served. */
export function groupOf(versions: readonly ServedVersion[], name: string): unknown {
  const its = versions.filter(({ group }) => group === name && group !== '');
  return its.length === 0 ? undefined : { kind: 'APIGroup', apiVersion: 'v1', ...legacyGroup(name, its) };
}

/** Rows of an APIResourceList as aggregated discovery shows them: subresources stand within their resource. */
function aggregatedResources({ group, version, resources = [] }: ServedVersion): JsonMap[] {
  const kindOf = (row: JsonMap): JsonMap => ({
    group: asString(row['group']) || group,
    version: asString(row['version']) || version,
    kind: row['kind'],
  });
  const subresources = resources.filter((row) => asString(row['name']).includes('/'));
  return resources
    .filter((row) => !subresources.includes(row))
    .map((row) => {
      const name = asString(row['name']);
      const within = subresources
        .filter((one) => asString(one['name']).startsWith(`${name}/`))
        .map((one) => ({
          subresource: asString(one['name']).slice(name.length + 1),
          responseKind: kindOf(one),
          verbs: asList(one['verbs']),
        }));
      return {
        resource: name,
        responseKind: kindOf(row),
        scope: row['namespaced'] === true ? 'Namespaced' : 'Cluster',
        singularResource: asString(row['singularName']),
        verbs: asList(row['verbs']),
        ...(row['shortNames'] === undefined ? {} : { shortNames: row['shortNames'] }),
        ...(row['categories'] === undefined ? {} : { categories: row['categories'] }),
        ...(within.length === 0 ? {} : { subresources: within }),
      };
    });
}

/** Aggregated discovery (apidiscovery.k8s.io) of `/api` or `/apis`. A version whose server does not answer is `Stale`. */
export function aggregatedDiscovery(
  versions: readonly ServedVersion[],
  root: 'api' | 'apis',
  discoveryVersion: string,
): unknown {
  const groups = byGroup(versions).filter(([group]) => (group === '') === (root === 'api'));
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${discoveryVersion}`,
    metadata: {},
    items: groups.map(([name, its]) => ({
      metadata: { name, creationTimestamp: null },
      versions: its.map((one) => ({
        version: one.version,
        freshness: one.resources === undefined ? 'Stale' : 'Current',
        resources: aggregatedResources(one),
      })),
    })),
  };
}
