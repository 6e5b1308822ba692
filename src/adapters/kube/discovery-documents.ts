import { asList, asMap, asString, type JsonMap } from '../../core/object/fields.ts';
import type { ResourceType } from '../../ports/cluster.ts';

export interface BrokenGroup {
  readonly group: string;
  readonly reason: string;
}

/** What a cluster serves: types in the order of preference, groups as the server lists them. */
export interface Served {
  readonly types: readonly ResourceType[];
  readonly broken: readonly BrokenGroup[];
}

function texts(value: unknown): string[] {
  return asList(value).map(asString);
}

/** Whether the server answered with aggregated discovery (v2, or v2beta1 before Kubernetes 1.30). */
export function isAggregated(document: unknown): boolean {
  return asMap(document)['kind'] === 'APIGroupDiscoveryList';
}

function aggregatedType(resource: JsonMap, group: string, version: string): ResourceType {
  return {
    group,
    version,
    resource: asString(resource['resource']),
    kind: asString(asMap(resource['responseKind'])['kind']),
    namespaced: resource['scope'] === 'Namespaced',
    verbs: texts(resource['verbs']),
    shortNames: texts(resource['shortNames']),
    singular: asString(resource['singularResource']),
    subresources: asList(resource['subresources']).map((item) => asString(asMap(item)['subresource'])),
  };
}

/** Reads an APIGroupDiscoveryList. A version that is `Stale` comes from an aggregated server that does not answer now. */
export function readAggregated(document: unknown): Served {
  const types: ResourceType[] = [];
  const broken: BrokenGroup[] = [];
  for (const item of asList(asMap(document)['items']).map(asMap)) {
    const group = asString(asMap(item['metadata'])['name']);
    for (const entry of asList(item['versions']).map(asMap)) {
      const version = asString(entry['version']);
      // What was known of it before is still listed, and still true more often than not.
      for (const resource of asList(entry['resources'])) types.push(aggregatedType(asMap(resource), group, version));
      if (entry['freshness'] === 'Stale') {
        broken.push({ group, reason: `the server behind ${group}/${version} does not answer` });
      }
    }
  }
  return { types, broken };
}

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Versions of an APIVersions (core group) or an APIGroupList, the preferred one of each group first. */
export function readGroupVersions(document: unknown): GroupVersion[] {
  const map = asMap(document);
  if (map['kind'] === 'APIVersions') return texts(map['versions']).map((version) => ({ group: '', version }));
  return asList(map['groups']).flatMap((item) => {
    const group = asString(asMap(item)['name']);
    const preferred = asString(asMap(asMap(item)['preferredVersion'])['version']);
    const versions = asList(asMap(item)['versions']).map((entry) => asString(asMap(entry)['version']));
    const sorted = [
      ...versions.filter((version) => version === preferred),
      ...versions.filter((version) => version !== preferred),
    ];
    return sorted.map((version) => ({ group, version }));
  });
}

/** Reads an APIResourceList, where subresources stand as `pods/log` behind their resource. */
export function readResourceList(document: unknown, { group, version }: GroupVersion): ResourceType[] {
  const all = asList(asMap(document)['resources']).map(asMap);
  return all
    .filter((resource) => !asString(resource['name']).includes('/'))
    .map((resource) => {
      const name = asString(resource['name']);
      const prefix = `${name}/`;
      return {
        group,
        version,
        resource: name,
        kind: asString(resource['kind']),
        namespaced: resource['namespaced'] === true,
        verbs: texts(resource['verbs']),
        shortNames: texts(resource['shortNames']),
        singular: asString(resource['singularName']),
        subresources: all
          .map((other) => asString(other['name']))
          .filter((other) => other.startsWith(prefix))
          .map((other) => other.slice(prefix.length)),
      };
    });
}

/** The type that a name means as kubectl reads it: plural, singular, kind or short name, with `.GROUP` or `.VERSION.GROUP` behind. */
export function findType(types: readonly ResourceType[], text: string): ResourceType | undefined {
  const dot = text.indexOf('.');
  const name = (dot < 0 ? text : text.slice(0, dot)).toLowerCase();
  const rest = dot < 0 ? undefined : text.slice(dot + 1);
  const inGroup = (type: ResourceType): boolean =>
    rest === undefined || type.group === rest || `${type.version}.${type.group}` === rest;
  const candidates = types.filter(inGroup);
  return (
    candidates.find((type) => type.resource === name) ??
    candidates.find(
      (type) => (type.singular || type.kind.toLowerCase()) === name || type.kind.toLowerCase() === name,
    ) ??
    candidates.find((type) => type.shortNames.includes(name))
  );
}
