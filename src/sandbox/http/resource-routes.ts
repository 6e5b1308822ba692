import { asMap } from '../../core/object/fields.ts';
import { type ListQuery, listObjects, selectorOf } from '../api/listing.ts';
import { notFound } from '../api/names.ts';
import type { ObjectApi } from '../api/object-api.ts';
import { scaleOf, scaleTo } from '../api/scale.ts';
import { jsonPatch, mergePatch } from '../merge/patches.ts';
import { strategicPatch } from '../merge/strategic-patch.ts';
import { type ApiObject, asApiObject } from '../objects/api-object.ts';
import { StatusError } from '../objects/status-error.ts';
import { type Resource, storageKey } from '../resources/resource.ts';
import { present, presentList } from './presentation.ts';
import { deleteOptions, isTrue, queryOf, writeOptions } from './query-options.ts';
import { type Answer, type ApiRequest, chosen, header, jsonBody, type StreamAnswer } from './request.ts';
import { type After, watchObjects } from './watch.ts';

/** What a path addresses. */
export interface Target {
  readonly resource: Resource;
  /** '' for all namespaces or a cluster-scoped resource. */
  readonly namespace: string;
  /** '' for the collection. */
  readonly name: string;
  readonly subresource: string;
}

function patched(object: ApiObject, request: ApiRequest, resource: Resource): unknown {
  const type = header(request, 'content-type').split(';')[0]?.trim();
  const patch = jsonBody(request);
  switch (type) {
    case 'application/json-patch+json':
      return jsonPatch(object, patch);
    case 'application/merge-patch+json':
      return mergePatch(object, patch);
    case 'application/strategic-merge-patch+json':
      if (resource.strategic) return strategicPatch(object, patch, resource.shape);
      break;
    default:
  }
  throw new StatusError('UnsupportedMediaType', `the body of the request was in an unknown format: ${type}`);
}

/** Answers requests about objects. */
export class ResourceRoutes {
  readonly #api: ObjectApi;
  readonly #after: After;

  constructor(api: ObjectApi, after: After) {
    this.#api = api;
    this.#after = after;
  }

  answer(request: ApiRequest, target: Target): Answer | StreamAnswer {
    if (target.subresource === 'scale') return this.#scale(request, target);
    if (target.name === '') return this.#collection(request, target);
    const { resource, namespace, name } = target;
    switch (request.method) {
      case 'GET':
        if (isTrue(request.query, 'watch')) return this.#list(request, target);
        return this.#shown(request, resource, this.#read(request, target), 200, []);
      case 'PUT': {
        const options = writeOptions(request, target.subresource);
        const object = this.#api.update(resource, namespace, name, jsonBody(request), options);
        return this.#shown(request, resource, object, 200, options.warnings);
      }
      case 'PATCH':
        return this.#patch(request, target);
      case 'DELETE':
        return this.#delete(request, target);
      default:
        throw new StatusError('MethodNotAllowed', 'the server does not allow this method on the requested resource');
    }
  }

  #shown(
    request: ApiRequest,
    resource: Resource,
    object: ApiObject,
    code: number,
    warnings: readonly string[],
  ): Answer {
    const included = request.query.get('includeObject') ?? '';
    return { code, body: present(object, resource, chosen(request), this.#api.world.now(), included), warnings };
  }

  /** A list as of a moment that has passed, where a fault wants it. */
  #lagging({ lag, query }: ApiRequest): Partial<ListQuery> {
    if (lag === undefined || query.get('continue')) return {};
    const resourceVersion = String(Math.max(1, this.#api.store.revision - lag));
    return { resourceVersion, resourceVersionMatch: 'Exact' };
  }

  #read(request: ApiRequest, { resource, namespace, name }: Target): ApiObject {
    if (request.lag === undefined) return this.#api.get(resource, namespace, name);
    const query = { ...queryOf(request.query, namespace), fieldSelector: `metadata.name=${name}`, limit: 0 };
    const { items } = listObjects(this.#api.store, resource, { ...query, ...this.#lagging(request) });
    const [object] = items;
    if (object === undefined) throw notFound(resource, name);
    return object;
  }

  #collection(request: ApiRequest, target: Target): Answer | StreamAnswer {
    const { resource, namespace } = target;
    switch (request.method) {
      case 'GET':
        return this.#list(request, target);
      case 'POST': {
        const body = asApiObject(jsonBody(request));
        const options = writeOptions(request, '');
        const object = this.#api.create(resource, namespace, body, options);
        return this.#shown(request, resource, object, 201, options.warnings);
      }
      case 'DELETE': {
        const options = deleteOptions(request.query, asMap(jsonBody(request)));
        const selects = selectorOf(resource, queryOf(request.query, namespace));
        const gone = [...this.#api.store.all(storageKey(resource), namespace)].filter(selects);
        for (const { metadata } of gone) {
          this.#api.remove(resource, metadata.namespace ?? '', metadata.name, options);
        }
        const metadata = { resourceVersion: String(this.#api.store.revision) };
        return { code: 200, body: presentList(gone, resource, metadata, chosen(request), this.#api.world.now(), '') };
      }
      default:
        throw new StatusError('MethodNotAllowed', 'the server does not allow this method on the requested resource');
    }
  }

  #list(request: ApiRequest, { resource, namespace, name }: Target): Answer | StreamAnswer {
    const { query } = request;
    const accept = chosen(request);
    const included = query.get('includeObject') ?? '';
    const listQuery = queryOf(query, namespace);
    const one = name === '' ? [] : [`metadata.name=${name}`];
    const selector = [listQuery.fieldSelector, ...one].filter((part) => part !== '').join(',');
    if (isTrue(query, 'watch')) {
      const timeoutSeconds = Number(query.get('timeoutSeconds') ?? 0) || 0;
      const sendInitialEvents = isTrue(query, 'sendInitialEvents');
      const bookmarks = isTrue(query, 'allowWatchBookmarks');
      if (sendInitialEvents && (query.get('resourceVersionMatch') !== 'NotOlderThan' || !bookmarks)) {
        const message = 'sendInitialEvents needs resourceVersionMatch=NotOlderThan and allowWatchBookmarks=true';
        throw new StatusError('Invalid', message);
      }
      const watch = { ...listQuery, fieldSelector: selector, bookmarks, sendInitialEvents, timeoutSeconds, included };
      return watchObjects(this.#api, resource, watch, accept, this.#after);
    }
    const {
      items,
      remaining,
      resourceVersion,
      continue: next,
    } = listObjects(this.#api.store, resource, {
      ...listQuery,
      fieldSelector: selector,
      ...this.#lagging(request),
    });
    // The real server tells how many are left only where no selector makes it a guess.
    const counted = remaining > 0 && listQuery.labelSelector === '' && selector === '';
    const metadata = {
      resourceVersion,
      ...(next === '' ? {} : { continue: next }),
      ...(counted ? { remainingItemCount: remaining } : {}),
    };
    return { code: 200, body: presentList(items, resource, metadata, accept, this.#api.world.now(), included) };
  }

  #patch(request: ApiRequest, { resource, namespace, name, subresource }: Target): Answer {
    const options = writeOptions(request, subresource);
    if (header(request, 'content-type').startsWith('application/apply-patch')) {
      if ((request.query.get('fieldManager') ?? '') === '') {
        throw new StatusError(
          'Invalid',
          'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
        );
      }
      const force = isTrue(request.query, 'force');
      const body = jsonBody(request);
      const { object, created } = this.#api.apply(resource, namespace, name, body, { ...options, force });
      return this.#shown(request, resource, object, created ? 201 : 200, options.warnings);
    }
    const object = this.#api.change(
      resource,
      namespace,
      name,
      (draft) => asApiObject(patched(draft, request, resource)),
      { ...options, patch: request.body.toString('utf8') },
    );
    return this.#shown(request, resource, object, 200, options.warnings);
  }

  #delete(request: ApiRequest, { resource, namespace, name }: Target): Answer {
    const object = this.#api.remove(resource, namespace, name, deleteOptions(request.query, asMap(jsonBody(request))));
    const stays = this.#api.find(resource, namespace, name) !== undefined;
    if (stays) return this.#shown(request, resource, object, 200, []);
    const details = { name, group: resource.group, kind: resource.resource, uid: object.metadata.uid };
    return { code: 200, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details } };
  }

  #scale(request: ApiRequest, { resource, namespace, name }: Target): Answer {
    const paths = resource.scale;
    if (paths === undefined) throw new StatusError('NotFound', 'the server could not find the requested resource');
    const object = this.#api.get(resource, namespace, name);
    if (request.method === 'GET') return { code: 200, body: scaleOf(object, paths) };
    if (request.method !== 'PUT' && request.method !== 'PATCH') {
      throw new StatusError('MethodNotAllowed', 'a Scale can be read, replaced and patched');
    }
    const before = asApiObject(scaleOf(object, paths));
    const scale = request.method === 'PUT' ? jsonBody(request) : patched(before, request, resource);
    const change = (draft: ApiObject): void => scaleTo(draft, scale, paths);
    const { manager, dryRun } = writeOptions(request, '');
    const changed = this.#api.change(resource, namespace, name, change, { manager, dryRun: dryRun === true });
    return { code: 200, body: scaleOf(changed, paths) };
  }
}
