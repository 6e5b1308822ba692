import type { ApiObject } from '../objects/api-object.ts';
import { apiVersionOf, type Resource } from '../resources/resource.ts';
import type { Accept } from './request.ts';

/** What stands around a list. */
export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

const META = 'meta.k8s.io/v1';

function partial({ apiVersion: _, kind: __, metadata }: ApiObject): Record<string, unknown> {
  return { kind: 'PartialObjectMetadata', apiVersion: META, metadata };
}

/** `includeObject` of a query: what a row of a table carries beside its cells. */
type Included = string;

function row(object: ApiObject, resource: Resource, now: number, included: Included): Record<string, unknown> {
  const cells = resource.columns.map(({ cell }) => cell(object, now));
  if (included === 'None') return { cells };
  return { cells, object: included === 'Object' ? object : partial(object) };
}

function table(
  objects: readonly ApiObject[],
  resource: Resource,
  metadata: ListMetadata,
  now: number,
  included: Included,
): Record<string, unknown> {
  return {
    kind: 'Table',
    apiVersion: META,
    metadata,
    columnDefinitions: resource.columns.map(({ name, type, priority }) => ({
      name,
      type,
      format: name === 'Name' ? 'name' : '',
      description: name,
      priority,
    })),
    rows: objects.map((object) => row(object, resource, now, included)),
  };
}

/** One object in the form that was asked for. */
export function present(
  object: ApiObject,
  resource: Resource,
  { as }: Accept,
  now: number,
  included: Included,
): unknown {
  if (as === 'Table')
    return table([object], resource, { resourceVersion: object.metadata.resourceVersion }, now, included);
  return as === 'PartialObjectMetadata' ? partial(object) : object;
}

/** A list in the form that was asked for. */
export function presentList(
  objects: readonly ApiObject[],
  resource: Resource,
  metadata: ListMetadata,
  { as }: Accept,
  now: number,
  included: Included,
): unknown {
  if (as === 'Table') return table(objects, resource, metadata, now, included);
  if (as === 'PartialObjectMetadataList') {
    return { kind: 'PartialObjectMetadataList', apiVersion: META, metadata, items: objects.map(partial) };
  }
  return { kind: `${resource.kind}List`, apiVersion: apiVersionOf(resource), metadata, items: objects };
}
