import { SUBRESOURCES_GROUP, VERSION } from '../../core/api/index.ts';
import type { JsonMap } from '../../core/object/fields.ts';

const GROUP_VERSION = `${SUBRESOURCES_GROUP}/${VERSION}`;
const THE_VERSION = { groupVersion: GROUP_VERSION, version: VERSION };
const GROUP: JsonMap = { name: SUBRESOURCES_GROUP, versions: [THE_VERSION], preferredVersion: THE_VERSION };

/**
 * What the group serves: two names below Releases, and nothing that can be listed or deleted. A namespace that is deleted lists and
 * deletes all that can be, and would wait for this server when it is down.
 */
const RESOURCES: JsonMap = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: GROUP_VERSION,
  resources: [
    { name: 'releases/health', singularName: '', namespaced: true, kind: 'ReleaseHealth', verbs: ['get'] },
    { name: 'releases/sync', singularName: '', namespaced: true, kind: 'ReleaseSync', verbs: ['create'] },
  ],
};

/** Documents of discovery by their path. */
export const DISCOVERY: ReadonlyMap<string, JsonMap> = new Map([
  ['/apis', { kind: 'APIGroupList', apiVersion: 'v1', groups: [GROUP] }],
  [`/apis/${SUBRESOURCES_GROUP}`, { kind: 'APIGroup', apiVersion: 'v1', ...GROUP }],
  [`/apis/${GROUP_VERSION}`, RESOURCES],
]);
