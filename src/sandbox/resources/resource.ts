import type { ApiObject } from '../objects/api-object.ts';

/** One column of `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** 0: always shown; above: only with `-o wide`. */
  readonly priority: number;
  readonly cell: (object: ApiObject, now: number) => unknown;
}

/** How a list or map is merged by server-side apply and strategic patches. */
export type ListShape =
  | { readonly kind: 'atomic'; readonly patchKey?: string }
  | { readonly kind: 'set' }
  /**
   * `defaults`: what a key is when an item leaves it out. `patchKey`: by what strategic patches tell items apart, where that is not
   * the first key.
   */
  | {
      readonly kind: 'map';
      readonly keys: readonly string[];
      readonly defaults: Readonly<Record<string, unknown>>;
      readonly patchKey?: string;
    };

/** What merging needs to know about a value that stands somewhere. */
export interface MergeShape {
  /** How it is merged when it is a list. */
  readonly list: ListShape;
  /** Whether it is written as a whole when it is a map. */
  readonly atomicMap: boolean;
  /** The shape of a field of it, or of its items. */
  child(name: string): MergeShape;
}

/** A kind whose objects are kept as those of another kind: Events of events.k8s.io are core Events. */
export interface StoredAs {
  /** See `storageKey`. */
  readonly key: string;
  readonly read: (object: ApiObject) => ApiObject;
  readonly write: (object: ApiObject) => ApiObject;
}

/** An object read into the types of its kind. */
export interface Decoded {
  readonly value: ApiObject;
  /** Paths of the fields that were dropped: `spec.template.spec.containers[0].imagee`. */
  readonly unknown: readonly string[];
}

/** Paths without the leading dot; '' where there is none. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** Of a map of labels, or of a selector as text. */
  readonly selector: string;
}

/** A kind as it is served in one version. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  /** Plural. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** `status`, `scale`, `log`, `eviction`. */
  readonly subresources: readonly string[];
  readonly columns: readonly Column[];
  readonly shape: MergeShape;
  /** Whether `metadata.generation` counts the changes of what is wanted. */
  readonly counted: boolean;
  /** Fields that may be selected by, beside the name and the namespace. */
  readonly selectableFields: readonly string[];
  /** Where a Scale reads and writes; absent where `scale` is not served. */
  readonly scale?: ScalePaths;
  /** Strategic merge patches are for built-in types only. */
  readonly strategic: boolean;
  /** Reads what a client sent into a new object. Throws WrongType. */
  readonly decode: (object: ApiObject) => Decoded;
  readonly stored?: StoredAs;
  /** Fills in defaults and drops what the schema does not know; changes the object. */
  readonly prepare: (object: ApiObject) => void;
  /** Throws a StatusError for an object that must not be stored. `old` is undefined on creation. */
  readonly validate: (object: ApiObject, old: ApiObject | undefined) => void;
  /** The OpenAPI v3 schema, where one is known. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** `apps/deployments`: what the store keeps objects under; all versions of a group share it. */
export function storageKey({ group, resource, stored }: Pick<Resource, 'group' | 'resource' | 'stored'>): string {
  return stored?.key ?? `${group}/${resource}`;
}

export function apiVersionOf({ group, version }: Pick<Resource, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}
