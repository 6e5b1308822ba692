/** The API group of convoy's kinds. */
export const GROUP = 'convoy.kumodo.io';
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}`;
/** The aggregated group of /health and /sync: a CustomResourceDefinition cannot carry subresources of its own. */
export const SUBRESOURCES_GROUP = 'subresources.convoy.kumodo.io';

/** What a client addresses; assignable to the type of a path of the cluster port. */
export const RELEASES = { group: GROUP, version: VERSION, resource: 'releases' } as const;
export const INVENTORIES = { group: GROUP, version: VERSION, resource: 'releaseinventories' } as const;
export const HEALTH_RULE_SETS = { group: GROUP, version: VERSION, resource: 'healthrulesets' } as const;
export const GLOBAL_HEALTH_RULE_SETS = { group: GROUP, version: VERSION, resource: 'globalhealthrulesets' } as const;
