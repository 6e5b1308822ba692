import { field, isMap } from '../../core/object/fields.ts';
import { fieldsAfterUpdate, type Writer } from '../merge/managed-fields.ts';
import { type ApiObject, type Metadata, sameJson, timestamp } from '../objects/api-object.ts';
import { invalid, StatusError } from '../objects/status-error.ts';
import { apiVersionOf, type Resource, storageKey } from '../resources/resource.ts';
import { metadataFaults } from '../resources/validation.ts';
import type { Store } from '../store/store.ts';
import { ClusterAddresses } from './cluster-addresses.ts';
import { alreadyExists, checkName, conflict } from './names.ts';
import { isKept } from './object-removal.ts';
import { asStored, asVersion } from './versions.ts';
import type { World, WriteOptions } from './write-options.ts';

function refuseMetadata(resource: Resource, object: ApiObject, old: ApiObject | undefined): void {
  const faults = metadataFaults(object, old);
  if (faults.length > 0) throw invalid(resource.kind, resource.group, object.metadata.name, faults);
}

/** What a generation counts the changes of. */
function wanted(object: ApiObject, resource: Resource): unknown {
  const { metadata: _, status, apiVersion: __, ...rest } = object;
  return resource.subresources.includes('status') ? rest : { ...rest, status };
}

/** The given metadata that a client may change, without what is empty. */
function changeable({ labels, annotations, ownerReferences, finalizers }: Metadata): Partial<Metadata> {
  return {
    ...(labels === undefined || Object.keys(labels).length === 0 ? {} : { labels }),
    ...(annotations === undefined || Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...(ownerReferences === undefined || ownerReferences.length === 0 ? {} : { ownerReferences }),
    ...(finalizers === undefined || finalizers.length === 0 ? {} : { finalizers }),
  };
}

/** What a new object says of its managers, where it is well formed: a client may bring along what it has read elsewhere. */
function broughtAlong({ managedFields = [] }: Metadata): Metadata['managedFields'] {
  return managedFields.length > 0 && managedFields.every((one) => isMap(field(one, 'fieldsV1')))
    ? managedFields
    : undefined;
}

/** Puts new and changed objects into the store, with what the API server fills in and refuses. */
export class ObjectWriter {
  readonly #store: Store;
  readonly #world: World;
  readonly #addresses = new ClusterAddresses();

  constructor(store: Store, world: World) {
    this.#store = store;
    this.#world = world;
  }

  writer(resource: Resource, { manager, subresource = '' }: WriteOptions): Writer {
    return { manager, subresource, apiVersion: apiVersionOf(resource), now: this.#world.now() };
  }

  /** Stores a new object, which is the writer's own to change. */
  insert(resource: Resource, object: ApiObject, options: WriteOptions): ApiObject {
    const { metadata } = object;
    const managed = broughtAlong(metadata);
    if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== '') {
      throw new StatusError('BadRequest', 'resourceVersion should not be set on objects to be created');
    }
    const generated = (metadata.name ?? '') === '' && metadata.generateName !== undefined;
    const name = generated ? `${metadata.generateName}${this.#world.suffix()}` : (metadata.name ?? '');
    checkName(resource, name);
    this.#checkNamespace(resource, metadata.namespace ?? '', name);
    if (this.#store.get(storageKey(resource), metadata.namespace ?? '', name) !== undefined) {
      throw alreadyExists(resource, name);
    }
    const { deletionTimestamp: _, deletionGracePeriodSeconds: __, managedFields: ___, ...given } = metadata;
    object.metadata = {
      ...given,
      name,
      uid: this.#world.uid(),
      resourceVersion: '',
      creationTimestamp: timestamp(this.#world.now()),
      ...(resource.counted ? { generation: 1 } : {}),
    };
    if (resource.subresources.includes('status')) delete object['status'];
    if (resource.kind === 'Namespace') object['status'] = { phase: 'Active' };
    resource.prepare(object);
    this.#addresses.assign(object, this.#store);
    refuseMetadata(resource, object, undefined);
    resource.validate(object, undefined);
    object.metadata.managedFields =
      managed ?? fieldsAfterUpdate(undefined, object, resource.shape, this.writer(resource, options));
    return options.dryRun === true ? object : this.#put(resource, object);
  }

  /** Replaces an object, or its status, by what was given; `managed` where it is known already who manages what. */
  replace(
    resource: Resource,
    old: ApiObject,
    given: ApiObject,
    options: WriteOptions,
    managed?: Metadata['managedFields'],
  ): ApiObject {
    this.#checkVersion(resource, old, given, managed !== undefined);
    const next = this.#merged(resource, old, given, options.subresource ?? '');
    // A client may say whose the fields are, by writing managedFields itself; what it changes besides is its own.
    const named = given.metadata.managedFields ?? [];
    const before = named.length === 0 ? old : { ...old, metadata: { ...old.metadata, managedFields: named } };
    next.metadata.managedFields =
      managed ?? fieldsAfterUpdate(before, next, resource.shape, this.writer(resource, options));
    if (next.metadata.managedFields.length === 0) delete next.metadata.managedFields;
    if (sameJson(next, old)) return old;
    if (options.dryRun === true) return next;
    const stored = this.#put(resource, next);
    const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = stored.metadata;
    const ended = deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
    if (!ended || isKept(stored)) return stored;
    return asVersion(this.#store.remove(storageKey(resource), asStored(stored, resource)), resource);
  }

  #put(resource: Resource, object: ApiObject): ApiObject {
    return asVersion(this.#store.put(storageKey(resource), asStored(object, resource)), resource);
  }

  #checkNamespace(resource: Resource, namespace: string, name: string): void {
    if (!resource.namespaced) return;
    const owner = this.#store.get('/namespaces', '', namespace);
    if (owner === undefined) {
      throw new StatusError('NotFound', `namespaces "${namespace}" not found`, { name: namespace, kind: 'namespaces' });
    }
    if (owner.metadata.deletionTimestamp === undefined) return;
    const ending = `namespace ${namespace} is being terminated`;
    throw new StatusError(
      'Forbidden',
      `${resource.resource} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
      {
        name,
        kind: resource.resource,
        causes: [{ reason: 'NamespaceTerminating', message: ending, field: 'metadata.namespace' }],
      },
    );
  }

  #checkVersion(resource: Resource, { metadata }: ApiObject, given: ApiObject, applied: boolean): void {
    const { uid = metadata.uid, resourceVersion = metadata.resourceVersion } = given.metadata;
    if (uid !== metadata.uid && applied) {
      // An apply has no precondition: it asks for another uid, which cannot be had.
      const message = `Invalid value: "${uid}": field is immutable`;
      throw invalid(resource.kind, resource.group, metadata.name, [{ field: 'metadata.uid', message }]);
    }
    if (uid !== metadata.uid) {
      const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`;
      throw conflict(resource, metadata.name, why);
    }
    if (resourceVersion !== '' && resourceVersion !== metadata.resourceVersion) {
      const why = 'the object has been modified; please apply your changes to the latest version and try again';
      throw conflict(resource, metadata.name, why);
    }
  }

  /** What is to be stored: the fields that the request may change from `given`, all others from `old`. */
  #merged(resource: Resource, old: ApiObject, given: ApiObject, subresource: string): ApiObject {
    const ofStatus = subresource === 'status';
    const next: ApiObject = ofStatus ? { ...old, status: given['status'] } : { ...given };
    if (next['status'] === undefined) delete next['status'];
    if (!ofStatus && resource.subresources.includes('status')) {
      delete next['status'];
      if (old['status'] !== undefined) next['status'] = old['status'];
    }
    const { labels: _, annotations: __, ownerReferences: ___, finalizers: ____, ...kept } = old.metadata;
    next.metadata = { ...kept, ...changeable(ofStatus ? old.metadata : given.metadata) };
    if (!ofStatus) {
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
