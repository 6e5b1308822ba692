import { applyFields, fieldsAfterUpdate, type Writer } from '../merge/managed-fields.ts';
import { type ApiObject, asApiObject, clone, type Metadata, sameJson, timestamp } from '../objects/api-object.ts';
import { invalid, StatusError } from '../objects/status-error.ts';
import type { Registry } from '../resources/registry.ts';
import { apiVersionOf, type Resource, storageKey } from '../resources/resource.ts';
import { metadataFaults } from '../resources/validation.ts';
import type { Store } from '../store/store.ts';
import { ClusterAddresses } from './cluster-addresses.ts';
import { alreadyExists, checkName, conflict, notFound, readBody } from './names.ts';

export interface WriteOptions {
  /** The field manager. */
  readonly manager: string;
  readonly dryRun?: boolean;
  /** Refuse fields that the schema does not know instead of dropping them. */
  readonly strict?: boolean;
  /** `status`, or ''. */
  readonly subresource?: string;
}

export interface DeleteOptions {
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly dryRun?: boolean;
}

/** Time and chance, from outside. */
export interface World {
  /** ms since 1970. */
  now(): number;
  uid(): string;
  /** Five characters for generateName. */
  suffix(): string;
}

/** Finalizers by which the garbage collector is asked to do its work first. */
export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

/** Reads and writes objects as the API server does, for its HTTP side and for the controllers. Every refusal is a StatusError. */
export class ObjectApi {
  readonly store: Store;
  readonly registry: Registry;
  readonly world: World;
  readonly #addresses = new ClusterAddresses();

  constructor(store: Store, registry: Registry, world: World) {
    this.store = store;
    this.registry = registry;
    this.world = world;
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
    refuseUnknown(resource, body, options);
    return this.#insert(resource, clone(readBody(resource, namespace, body)), options);
  }

  /** Replaces an object, or its status. */
  update(resource: Resource, namespace: string, name: string, body: unknown, options: WriteOptions): ApiObject {
    refuseUnknown(resource, body, options);
    const next = clone(readBody(resource, namespace, body));
    if ((next.metadata.name ?? name) !== name) {
      throw new StatusError('BadRequest', 'the name of the object does not match the name on the URL');
    }
    const live = this.get(resource, namespace, name);
    // Objects of CRDs may not be replaced blindly (AllowUnconditionalUpdate is false for them).
    if (!resource.strategic && (next.metadata.resourceVersion ?? '') === '') {
      const fault = { field: 'metadata.resourceVersion', message: 'Invalid value: 0: must be specified for an update' };
      throw invalid(resource.kind, resource.group, name, [fault]);
    }
    return this.#replace(resource, live, next, options);
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
    const draft = clone(old);
    const next = change(draft) ?? draft;
    refuseUnknown(resource, next, options);
    return this.#replace(resource, old, readBody(resource, namespace, next), options);
  }

  /** Server-side apply: creates what is missing. */
  apply(
    resource: Resource,
    namespace: string,
    name: string,
    body: unknown,
    options: WriteOptions & { readonly force: boolean },
  ): { readonly object: ApiObject; readonly created: boolean } {
    refuseUnknown(resource, body, options);
    const applied = clone(readBody(resource, namespace, body));
    if ((applied.metadata.name ?? name) !== name) {
      throw new StatusError('BadRequest', 'the name of the object does not match the name on the URL');
    }
    if ((applied.metadata.managedFields ?? []).length > 0) {
      throw new StatusError('BadRequest', 'metadata.managedFields must be nil');
    }
    applied.metadata.name = name;
    if (resource.subresources.includes('status') && options.subresource !== 'status') delete applied['status'];
    const live = this.find(resource, namespace, name);
    const { uid, resourceVersion } = applied.metadata;
    if (live === undefined) {
      if (uid !== undefined)
        throw conflict(
          resource,
          name,
          `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
        );
      if (options.subresource === 'status') throw notFound(resource, name);
      const fresh = applyFields(undefined, applied, resource.shape, this.#writer(resource, options), options.force);
      return { object: this.#insert(resource, fresh, options), created: true };
    }
    const next = applyFields(live, applied, resource.shape, this.#writer(resource, options), options.force);
    if (next === live && resourceVersion === undefined && uid === undefined) return { object: live, created: false };
    const metadata: Metadata = { ...next.metadata, uid: uid ?? live.metadata.uid };
    if (resourceVersion === undefined) delete (metadata as Partial<Metadata>).resourceVersion;
    else metadata.resourceVersion = resourceVersion;
    const fields = next.metadata.managedFields;
    return {
      object: this.#replace(resource, live, clone({ ...next, metadata }), options, fields),
      created: false,
    };
  }

  /** Deletes, or marks as being deleted what has finalizers or a grace period. Returns the last state. */
  remove(resource: Resource, namespace: string, name: string, options: DeleteOptions = {}): ApiObject {
    const old = this.get(resource, namespace, name);
    const { metadata } = old;
    if (options.uid !== undefined && options.uid !== metadata.uid) {
      throw conflict(
        resource,
        name,
        `Precondition failed: UID in precondition: ${options.uid}, UID in object meta: ${metadata.uid}`,
      );
    }
    if (options.resourceVersion !== undefined && options.resourceVersion !== metadata.resourceVersion) {
      throw conflict(resource, name, 'Precondition failed: resourceVersion in precondition does not fit');
    }
    const finalizers = withPropagation(metadata.finalizers ?? [], options.propagation);
    const grace = this.#gracePeriod(resource, old, options);
    if (options.dryRun === true) return old;
    if (finalizers.length === 0 && grace === 0 && !isKept(old)) {
      return this.store.remove(storageKey(resource), { ...old, metadata: withoutFinalizers(metadata) });
    }
    const next = clone(old);
    next.metadata.deletionTimestamp ??= timestamp(this.world.now() + grace * 1000);
    next.metadata.deletionGracePeriodSeconds = Math.min(grace, metadata.deletionGracePeriodSeconds ?? grace);
    if (finalizers.length > 0) next.metadata.finalizers = finalizers;
    if (resource.counted && metadata.deletionTimestamp === undefined) {
      next.metadata.generation = (next.metadata.generation ?? 0) + 1;
    }
    if (resource.kind === 'Namespace') next['status'] = { ...(next['status'] as object), phase: 'Terminating' };
    return sameJson(next, old) ? old : this.store.put(storageKey(resource), next);
  }

  #gracePeriod(resource: Resource, object: ApiObject, options: DeleteOptions): number {
    if (resource.kind !== 'Pod') return 0;
    const spec = object['spec'] as { nodeName?: string; terminationGracePeriodSeconds?: number };
    const { phase } = (object['status'] ?? {}) as { phase?: string };
    // A pod that no kubelet runs has nobody to wait for.
    if (spec.nodeName === undefined || phase === 'Succeeded' || phase === 'Failed') return 0;
    return options.gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30;
  }

  #writer(resource: Resource, { manager, subresource = '' }: WriteOptions): Writer {
    return { manager, subresource, apiVersion: apiVersionOf(resource), now: this.world.now() };
  }

  #insert(resource: Resource, object: ApiObject, options: WriteOptions): ApiObject {
    const { metadata } = object;
    const managed = metadata.managedFields;
    if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== '') {
      throw new StatusError('BadRequest', 'resourceVersion should not be set on objects to be created');
    }
    const generated = (metadata.name ?? '') === '' && metadata.generateName !== undefined;
    const name = generated ? `${metadata.generateName}${this.world.suffix()}` : (metadata.name ?? '');
    checkName(resource, name);
    this.#checkNamespace(resource, metadata.namespace ?? '', name);
    if (this.find(resource, metadata.namespace ?? '', name) !== undefined) throw alreadyExists(resource, name);
    const { deletionTimestamp: _, deletionGracePeriodSeconds: __, managedFields: ___, ...given } = metadata;
    object.metadata = {
      ...given,
      name,
      uid: this.world.uid(),
      resourceVersion: '',
      creationTimestamp: timestamp(this.world.now()),
      ...(resource.counted ? { generation: 1 } : {}),
    };
    if (resource.subresources.includes('status')) delete object['status'];
    if (resource.kind === 'Namespace') object['status'] = { phase: 'Active' };
    resource.prepare(object);
    this.#addresses.assign(object, this.store);
    refuseMetadata(resource, object, undefined);
    resource.validate(object, undefined);
    object.metadata.managedFields =
      managed ?? fieldsAfterUpdate(undefined, object, resource.shape, this.#writer(resource, options));
    return options.dryRun === true ? object : this.store.put(storageKey(resource), object);
  }

  #checkNamespace(resource: Resource, namespace: string, name: string): void {
    if (!resource.namespaced) return;
    const owner = this.store.get('/namespaces', '', namespace);
    if (owner === undefined) {
      throw new StatusError('NotFound', `namespaces "${namespace}" not found`, { name: namespace, kind: 'namespaces' });
    }
    if (owner.metadata.deletionTimestamp === undefined) return;
    throw new StatusError(
      'Forbidden',
      `${resource.resource} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
      {
        name,
        kind: resource.resource,
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: `namespace ${namespace} is being terminated`,
            field: 'metadata.namespace',
          },
        ],
      },
    );
  }

  #replace(
    resource: Resource,
    old: ApiObject,
    given: ApiObject,
    options: WriteOptions,
    managed?: Metadata['managedFields'],
  ): ApiObject {
    const { metadata } = old;
    const { uid = metadata.uid, resourceVersion = metadata.resourceVersion } = given.metadata;
    if (uid !== metadata.uid) {
      throw conflict(
        resource,
        metadata.name,
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`,
      );
    }
    if (resourceVersion !== '' && resourceVersion !== metadata.resourceVersion) {
      throw conflict(
        resource,
        metadata.name,
        'the object has been modified; please apply your changes to the latest version and try again',
      );
    }
    const next = this.#merged(resource, old, given, options.subresource ?? '');
    next.metadata.managedFields =
      managed ?? fieldsAfterUpdate(old, next, resource.shape, this.#writer(resource, options));
    if (next.metadata.managedFields.length === 0) delete next.metadata.managedFields;
    if (sameJson(next, old)) return old;
    if (options.dryRun === true) return next;
    const stored = this.store.put(storageKey(resource), next);
    const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = stored.metadata;
    const ended = deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
    return ended && !isKept(stored) ? this.store.remove(storageKey(resource), stored) : stored;
  }

  /** What is to be stored: the fields that the request may change from `given`, all others from `old`. */
  #merged(resource: Resource, old: ApiObject, given: ApiObject, subresource: string): ApiObject {
    const next: ApiObject = subresource === 'status' ? { ...old, status: given['status'] } : { ...given };
    if (next['status'] === undefined) delete next['status'];
    if (subresource !== 'status' && resource.subresources.includes('status')) {
      delete next['status'];
      if (old['status'] !== undefined) next['status'] = old['status'];
    }
    const { labels, annotations, ownerReferences, finalizers } =
      subresource === 'status' ? old.metadata : given.metadata;
    const { labels: _, annotations: __, ownerReferences: ___, finalizers: ____, ...kept } = old.metadata;
    next.metadata = {
      ...kept,
      ...(labels === undefined || Object.keys(labels).length === 0 ? {} : { labels }),
      ...(annotations === undefined || Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(ownerReferences === undefined || ownerReferences.length === 0 ? {} : { ownerReferences }),
      ...(finalizers === undefined || finalizers.length === 0 ? {} : { finalizers }),
    };
    if (subresource !== 'status') {
      resource.prepare(next);
      this.#addresses.keep(next, old);
    }
    refuseMetadata(resource, next, old);
    resource.validate(next, old);
    if (resource.counted && !sameJson(wanted(next, resource), wanted(old, resource))) {
      next.metadata.generation = (old.metadata.generation ?? 0) + 1;
    }
    return next;
  }
}

function refuseMetadata(resource: Resource, object: ApiObject, old: ApiObject | undefined): void {
  const faults = metadataFaults(object, old);
  if (faults.length > 0) throw invalid(resource.kind, resource.group, object.metadata.name, faults);
}

/** Throws 400 for fields that the schema does not know, where the client asked for that. */
function refuseUnknown(resource: Resource, body: unknown, { strict }: WriteOptions): void {
  if (strict !== true || resource.unknownFields === undefined) return;
  const unknown = resource.unknownFields(clone(asApiObject(body)));
  if (unknown.length === 0) return;
  const list = unknown.map((path) => `unknown field "${path}"`).join(', ');
  throw new StatusError('BadRequest', `strict decoding error: ${list}`);
}

function wanted(object: ApiObject, resource: Resource): unknown {
  const { metadata: _, status, apiVersion: __, ...rest } = object;
  return resource.subresources.includes('status') ? rest : { ...rest, status };
}

/** All versions of a group are stored as one; each is read under the version that was asked for. */
function asVersion(object: ApiObject, resource: Resource): ApiObject {
  const apiVersion = apiVersionOf(resource);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/** A namespace stays until its controller has taken the finalizer out of its spec. */
function isKept(object: ApiObject): boolean {
  if (object.kind !== 'Namespace') return false;
  const { finalizers = [] } = (object['spec'] ?? {}) as { finalizers?: string[] };
  return finalizers.length > 0;
}

function withPropagation(finalizers: readonly string[], propagation: DeleteOptions['propagation']): string[] {
  if (propagation === undefined) return [...finalizers];
  const own = finalizers.filter((one) => one !== FOREGROUND && one !== ORPHAN);
  if (propagation === 'Foreground') return [...own, FOREGROUND];
  return propagation === 'Orphan' ? [...own, ORPHAN] : own;
}

function withoutFinalizers({ finalizers: _, ...metadata }: Metadata): Metadata {
  return metadata;
}
