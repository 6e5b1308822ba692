import type { JsonMap } from '../../core/object/fields.ts';
import type { ReleaseHealth, ResourceHealth } from '../../core/release/view/release-health.ts';

const COLUMNS = [
  ['Kind', 'The kind of the object.'],
  ['Namespace', 'Its namespace.'],
  ['Name', 'Its name.'],
  ['State', 'Degraded, Unknown, Progressing or Healthy.'],
  ['Since', 'When it came into this state.'],
  ['Message', 'Why.'],
] as const;

/** Whether an Accept header prefers a Table, as kubectl asks for it, to the object. */
export function wantsTable(accept: string): boolean {
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (type !== 'application/json' && type !== '*/*') continue;
    const given = new Map(parameters.map((one) => one.split('=', 2) as [string, string]));
    return given.get('as') === 'table' && given.get('g') === 'meta.k8s.io';
  }
  return false;
}

/** metav1.Table, one row for each object. */
export function healthTable({ metadata, resources }: ReleaseHealth): JsonMap {
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: {},
    columnDefinitions: COLUMNS.map(([name, description]) => ({
      name,
      type: 'string',
      format: name === 'Name' ? 'name' : '',
      description,
      priority: 0,
    })),
    rows: resources.map((resource) => ({ cells: cellsOf(resource), object: partial(metadata) })),
  };
}

function cellsOf({ kind, namespace, name, state, stateSince = '', message }: ResourceHealth): readonly string[] {
  return [kind, namespace, name, state, stateSince, message];
}

function partial(metadata: ReleaseHealth['metadata']): JsonMap {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}
