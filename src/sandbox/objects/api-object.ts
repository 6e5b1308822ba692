import { isMap } from '../../core/object/fields.ts';
import { StatusError } from './status-error.ts';

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Who set which fields, as server-side apply reports it. */
export interface ManagedFields {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  time: string;
  fieldsType: 'FieldsV1';
  fieldsV1: Record<string, unknown>;
  subresource?: string;
}

export interface Metadata {
  name: string;
  namespace?: string;
  generateName?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFields[];
}

/** An object as the sandbox holds it. Stored ones are shared by all readers and never changed: changes are made on a `clone`. */
export interface ApiObject {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
  [field: string]: unknown;
}

/** A request's body as an object; throws 400 when it is none. What is missing in its metadata is for the caller to fill in. */
export function asApiObject(value: unknown): ApiObject {
  if (!isMap(value)) throw new StatusError('BadRequest', 'the body is not a JSON object');
  const { metadata } = value;
  if (metadata !== undefined && metadata !== null && !isMap(metadata)) {
    throw new StatusError('BadRequest', 'metadata is not an object');
  }
  // The one place where untrusted JSON becomes an ApiObject: the fields that every object has are checked or filled in before it is stored.
  return { ...value, metadata: { ...metadata } } as unknown as ApiObject;
}

/** A deep copy of JSON data. */
export function clone<T>(value: T): T {
  if (Array.isArray(value)) return value.map(clone) as T;
  if (!isMap(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) copy[key] = clone(value[key]);
  return copy as T;
}

/** Whether two pieces of JSON data are the same; the order of keys does not count, and a key that is undefined is no key. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, place) => sameJson(item, b[place]));
  }
  if (!isMap(a) || !isMap(b)) return false;
  const keys = Object.keys(a).filter((key) => a[key] !== undefined);
  return (
    keys.length === Object.keys(b).filter((key) => b[key] !== undefined).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}

/** RFC 3339 with whole seconds, as metav1.Time writes it. */
export function timestamp(now: number): string {
  const second = Math.floor(now / 1000);
  if (second !== told.second) {
    told.second = second;
    told.text = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
  }
  return told.text;
}

/** The last time that was written: most writes of a second say the same. */
const told = { second: Number.NaN, text: '' };

/** A deep copy for somebody who will change it; only the records of managed fields are shared, which nobody changes. */
export function draftOf(object: ApiObject): ApiObject {
  const { managedFields, ...metadata } = object.metadata;
  const draft: ApiObject = clone({ ...object, metadata });
  if (managedFields !== undefined) draft.metadata.managedFields = managedFields;
  return draft;
}

/** The owner that manages the object. */
export function controllerOf(object: ApiObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}
