import type { KubernetesObject } from '../core/object/kubernetes-object.ts';
import type { ResourceType } from '../ports/cluster.ts';

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

/** A served type; what is not given is as the API server has it for a simple namespaced kind. */
export function resourceType(given: Partial<ResourceType> & Pick<ResourceType, 'kind'>): ResourceType {
  const singular = given.kind.toLowerCase();
  return {
    group: '',
    version: 'v1',
    resource: `${singular}s`,
    namespaced: true,
    verbs: VERBS,
    shortNames: [],
    singular,
    subresources: [],
    ...given,
  };
}

export const CONFIG_MAPS = resourceType({ kind: 'ConfigMap', shortNames: ['cm'] });

/** A ConfigMap of the namespace `default`, or of the one in `namespace/name`. */
export function configMap(
  name: string,
  data: Readonly<Record<string, string>> = {},
  metadata: Readonly<Record<string, unknown>> = {},
): KubernetesObject {
  const [first = '', second] = name.split('/');
  const [namespace, short] = second === undefined ? ['default', first] : [first, second];
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: short, namespace, ...metadata }, data };
}
