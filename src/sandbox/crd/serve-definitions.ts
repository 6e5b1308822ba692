import type { ObjectApi } from '../api/object-api.ts';
import { type ApiObject, timestamp } from '../objects/api-object.ts';
import type { StoreEvent } from '../store/store.ts';
import { type Definition, resourcesOf, validateDefinition } from './definition-resources.ts';

const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions';
const WRITER = { manager: 'convoy-sandbox', subresource: 'status' };

/** Serves what CRDs define, from the moment they are stored until they are gone; their objects go with them. */
export function serveDefinitions(api: ObjectApi): void {
  const definitions = api.registry.byKey(DEFINITIONS);
  if (definitions !== undefined) api.registry.add({ ...definitions, validate: validateDefinition });
  api.store.subscribe(({ type, key, object }: StoreEvent) => {
    if (key !== DEFINITIONS) return;
    // Validation made it one.
    const definition = object as Definition;
    const { group, names } = definition.spec;
    if (type === 'DELETED') removeObjects(api, group, names.plural);
    api.registry.remove(group, names.plural);
    if (type === 'DELETED') return;
    for (const resource of resourcesOf(definition)) api.registry.add(resource);
    if (type === 'ADDED') establish(api, definition);
  });
}

/** The conditions by which clients know that the kind is served (`kubectl wait --for=condition=established`). */
function establish(api: ObjectApi, definition: Definition): void {
  const resource = api.registry.byKey(DEFINITIONS);
  if (resource === undefined) return;
  const { names, versions } = definition.spec;
  const lastTransitionTime = timestamp(api.world.now());
  const write = (draft: ApiObject): ApiObject => ({
    ...draft,
    status: {
      conditions: [
        {
          type: 'NamesAccepted',
          status: 'True',
          reason: 'NoConflicts',
          message: 'no conflicts found',
          lastTransitionTime,
        },
        {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
          lastTransitionTime,
        },
      ],
      acceptedNames: { listKind: `${names.kind}List`, singular: names.kind.toLowerCase(), ...names },
      storedVersions: versions.filter(({ storage }) => storage).map(({ name }) => name),
    },
  });
  api.change(resource, '', definition.metadata.name, write, WRITER);
}

function removeObjects(api: ObjectApi, group: string, plural: string): void {
  const key = `${group}/${plural}`;
  for (const object of [...api.store.all(key)]) api.store.remove(key, object);
}
