import { applyFields } from '../merge/managed-fields.ts';
import { type ApiObject, asApiObject, clone, draftOf, type Metadata } from '../objects/api-object.ts';
import { invalid, StatusError } from '../objects/status-error.ts';
import type { Registry } from '../resources/registry.ts';
import { type Resource, storageKey } from '../resources/resource.ts';
import type { Store } from '../store/store.ts';
import { decodeApplied, decodeBody } from './decode-body.ts';
import { conflict, notFound, readBody } from './names.ts';
import { removeObject } from './object-removal.ts';
import { ObjectWriter } from './object-writer.ts';
import { asVersion } from './versions.ts';
import type { DeleteOptions, World, WriteOptions } from './write-options.ts';

/** Reads and writes objects as the API server does, for its HTTP side and for the controllers. Every refusal is a StatusError. */
export class ObjectApi {
  readonly store: Store;
  readonly registry: Registry;
  readonly world: World;
  readonly #writer: ObjectWriter;

  constructor(store: Store, registry: Registry, world: World) {
    this.store = store;
    this.registry = registry;
    this.world = world;
    this.#writer = new ObjectWriter(store, world);
  }

  find(resource: Resource, namespace: string, name: string): ApiObject | undefined {
    const object = this.store.get(storageKey(resource), namespace, name);
    return object === undefined ? undefined : asVersion(object, resource);
  }

  get(resource: Resource, namespace: string, name: string): ApiObject {
    const object = this.find(resource, namespace, name);
    if (object === undefined) throw notFound(resource, name);
    return object;
  }

  create(resource: Resource, namespace: string, body: unknown, options: WriteOptions): ApiObject {
    const object = readBody(resource, namespace, body);
    return this.#writer.insert(resource, decodeBody(resource, object, options), options);
  }

  /** Replaces an object, or its status. */
  update(resource: Resource, namespace: string, name: string, body: unknown, options: WriteOptions): ApiObject {
    const next = decodeBody(resource, readBody(resource, namespace, body), options);
    checkSameName(next, name);
    const live = this.get(resource, namespace, name);
    // Objects of CRDs may not be replaced blindly (AllowUnconditionalUpdate is false for them).
    if (!resource.strategic && (next.metadata.resourceVersion ?? '') === '') {
      const fault = { field: 'metadata.resourceVersion', message: 'Invalid value: 0: must be specified for an update' };
      throw invalid(resource.kind, resource.group, name, [fault]);
    }
    return this.#writer.replace(resource, live, next, options);
  }

  /** Changes a copy of an object and stores it. `change` may return another object instead. */
  change(
    resource: Resource,
    namespace: string,
    name: string,
    change: (draft: ApiObject) => unknown,
    options: WriteOptions,
  ): ApiObject {
    const old = this.get(resource, namespace, name);
    const draft = draftOf(old);
    const next = readBody(resource, namespace, change(draft) ?? draft);
    const decoded = options.fieldValidation === undefined ? next : decodeBody(resource, next, options);
    return this.#writer.replace(resource, old, decoded, options);
  }

  /** Gives an object another status, which the caller leaves alone from then on. */
  setStatus(resource: Resource, namespace: string, name: string, status: unknown, options: WriteOptions): ApiObject {
    const old = this.get(resource, namespace, name);
    return this.#writer.replace(resource, old, { ...old, status }, { ...options, subresource: 'status' });
  }

  /** Server-side apply: creates what is missing. */
  apply(
    resource: Resource,
    namespace: string,
    name: string,
    body: unknown,
    options: WriteOptions & { readonly force: boolean },
  ): { readonly object: ApiObject; readonly created: boolean } {
    const given = readBody(resource, namespace, body);
    checkSameName(given, name);
    if (asApiObject(given).metadata.managedFields?.length) {
      throw new StatusError('BadRequest', 'metadata.managedFields must be nil');
    }
    const named = { ...given, metadata: { ...given.metadata, name } };
    const applied = decodeApplied(resource, named, options);
    if (resource.subresources.includes('status') && options.subresource !== 'status') delete applied['status'];
    const live = this.find(resource, namespace, name);
    return live === undefined
      ? { object: this.#applyNew(resource, applied, options), created: true }
      : { object: this.#applyTo(resource, live, applied, options), created: false };
  }

  /** Deletes, or marks as being deleted what has finalizers or a grace period. Returns the last state. */
  remove(resource: Resource, namespace: string, name: string, options: DeleteOptions = {}): ApiObject {
    const stored = this.store.get(storageKey(resource), namespace, name);
    if (stored === undefined) throw notFound(resource, name);
    return removeObject(this.store, resource, stored, options, this.world);
  }

  #applyNew(resource: Resource, applied: ApiObject, options: WriteOptions & { readonly force: boolean }): ApiObject {
    const { uid, name } = applied.metadata;
    if (uid !== undefined) {
      const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
      throw conflict(resource, name, why);
    }
    if (options.subresource === 'status') throw notFound(resource, name);
    const writer = this.#writer.writer(resource, options);
    return this.#writer.insert(
      resource,
      applyFields(undefined, applied, resource.shape, writer, options.force),
      options,
    );
  }

  #applyTo(
    resource: Resource,
    live: ApiObject,
    applied: ApiObject,
    options: WriteOptions & { readonly force: boolean },
  ): ApiObject {
    const { uid, resourceVersion } = applied.metadata;
    const next = applyFields(live, applied, resource.shape, this.#writer.writer(resource, options), options.force);
    if (next === live && resourceVersion === undefined && uid === undefined) return live;
    const metadata: Metadata = { ...next.metadata, uid: uid ?? live.metadata.uid };
    if (resourceVersion === undefined) delete (metadata as Partial<Metadata>).resourceVersion;
    else metadata.resourceVersion = resourceVersion;
    const managed = next.metadata.managedFields ?? [];
    const given = { ...next, metadata };
    // Of a status nothing but itself is stored, and nothing of it is filled in: it needs no copy of the whole object.
    const own = options.subresource === 'status' ? given : clone(given);
    return this.#writer.replace(resource, live, own, options, managed);
  }
}

function checkSameName({ metadata }: ApiObject, name: string): void {
  if ((metadata.name ?? name) === name) return;
  throw new StatusError('BadRequest', 'the name of the object does not match the name on the URL');
}
