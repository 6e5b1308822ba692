import type { ApiObject } from '../objects/api-object.ts';
import { StatusError } from '../objects/status-error.ts';
import { type Resource, storageKey } from '../resources/resource.ts';
import { fieldSelector, labelSelector, type Selects } from '../store/selectors.ts';
import type { Store } from '../store/store.ts';
import { asVersion } from './versions.ts';

export interface ListQuery {
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** 0: all. */
  readonly limit: number;
  readonly continue: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
}

export interface Listing {
  readonly items: readonly ApiObject[];
  readonly resourceVersion: string;
  /** '' on the last page. */
  readonly continue: string;
  readonly remaining: number;
}

/** Where the next page begins, and as of when: all pages show the same moment. */
interface Bookmark {
  readonly revision: number;
  readonly start: string;
}

function readContinue(text: string): Bookmark {
  try {
    const { revision, start }: Partial<Bookmark> = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (typeof revision === 'number' && typeof start === 'string') return { revision, start };
  } catch {
    // Told below: what is no JSON is no token either.
  }
  throw new StatusError('BadRequest', 'continue key is not valid');
}

export function selectorOf(
  resource: Resource,
  query: Pick<ListQuery, 'labelSelector' | 'fieldSelector' | 'namespace'>,
): Selects {
  const labels = labelSelector(query.labelSelector);
  const fields = fieldSelector(query.fieldSelector, resource.selectableFields);
  const { namespace } = query;
  return (object) => (namespace === '' || object.metadata.namespace === namespace) && labels(object) && fields(object);
}

/** A resource version of a query as a number; throws 400. */
export function revisionOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new StatusError('BadRequest', `Invalid value: "${text}": resourceVersion: strconv.ParseUint: invalid syntax`);
  }
  return Number(text);
}

/** One page. Throws 410 when the moment of an earlier page is forgotten, 400 for a wrong query. */
export function listObjects(store: Store, resource: Resource, query: ListQuery): Listing {
  const bookmark = query.continue === '' ? undefined : readContinue(query.continue);
  if (query.resourceVersionMatch !== '' && query.resourceVersion === '') {
    const message =
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided';
    throw new StatusError('Invalid', message);
  }
  const exact = query.resourceVersionMatch === 'Exact' ? revisionOf(query.resourceVersion) : undefined;
  const revision = bookmark?.revision ?? exact ?? store.revision;
  if (
    revision > store.revision ||
    (query.resourceVersion !== '' && revisionOf(query.resourceVersion) > store.revision)
  ) {
    throw new StatusError(
      'BadRequest',
      `Too large resource version: ${query.resourceVersion}, current: ${store.revision}`,
    );
  }
  const selects = selectorOf(resource, query);
  const chooses = (object: ApiObject): boolean =>
    (bookmark === undefined || placeOf(object) >= bookmark.start) && selects(asVersion(object, resource));
  const found = store.at(storageKey(resource), revision, chooses).map((object) => asVersion(object, resource));
  const next = query.limit > 0 ? found[query.limit] : undefined;
  const items = next === undefined ? found : found.slice(0, query.limit);
  const token = next && Buffer.from(JSON.stringify({ revision, start: placeOf(next) })).toString('base64url');
  return {
    items,
    resourceVersion: String(revision),
    continue: token ?? '',
    remaining: found.length - items.length,
  };
}

function placeOf({ metadata }: ApiObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
