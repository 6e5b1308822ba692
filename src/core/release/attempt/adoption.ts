import { asList, asMap, asString, type JsonMap } from '../../object/fields.ts';
import type { KubernetesObject } from '../../object/kubernetes-object.ts';
import { union } from '../managed-fields.ts';
import { CONTROLLER_MANAGER } from '../names.ts';

/** Who wrote an object before convoy took it over, and does not write it any more. */
const FORMER_MANAGERS = new Set(['kubectl-client-side-apply', 'helm', 'before-first-apply']);

/**
 * A JSON patch that gives the fields which former managers hold by Update to our Apply, to be sent before the first apply: else what
 * the render drops would stay, because its former owner still lists it. Undefined: there is nothing to move. It tests the version
 * that it was made for.
 */
export function adoptionPatch(live: KubernetesObject): readonly JsonMap[] | undefined {
  const metadata = asMap(live['metadata']);
  const managed = asList(metadata['managedFields']).map(asMap);
  const former = managed.filter(isFormer);
  if (former.length === 0) return undefined;
  const ours = managed.find(isOurs);
  const fields = [ours, ...former].map((entry) => asMap(entry?.['fieldsV1'])).reduce(union, {});
  const moved = {
    ...(ours ?? former[0]),
    manager: CONTROLLER_MANAGER,
    operation: 'Apply',
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
  };
  const rest = managed.filter((entry) => !isFormer(entry) && !isOurs(entry));
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: asString(metadata['resourceVersion']) },
    { op: 'replace', path: '/metadata/managedFields', value: [moved, ...rest] },
  ];
}

function isFormer(entry: JsonMap): boolean {
  const byUpdate = entry['operation'] === 'Update' && asString(entry['subresource']) === '';
  return byUpdate && FORMER_MANAGERS.has(asString(entry['manager']));
}

function isOurs(entry: JsonMap): boolean {
  return (
    entry['operation'] === 'Apply' && entry['manager'] === CONTROLLER_MANAGER && asString(entry['subresource']) === ''
  );
}
