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
  | { readonly kind: 'atomic' }
  | { readonly kind: 'set' }
  /** `defaults`: what a key is when an item leaves it out. */
  | { readonly kind: 'map'; readonly keys: readonly string[]; readonly defaults: Readonly<Record<string, unknown>> };

/** What merging needs to know about a type. Paths are field names without places in lists. */
export interface MergeShape {
  list(path: readonly string[]): ListShape;
  isAtomicMap(path: readonly string[]): boolean;
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
  /** Takes away what the schema does not know and returns its paths; absent where no schema is known. */
  readonly unknownFields?: (object: ApiObject) => readonly string[];
  /** Fills in defaults and drops what the schema does not know; changes the object. */
  readonly prepare: (object: ApiObject) => void;
  /** Throws a StatusError for an object that must not be stored. `old` is undefined on creation. */
  readonly validate: (object: ApiObject, old: ApiObject | undefined) => void;
  /** The OpenAPI v3 schema, where one is known. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** `apps/deployments`: what the store keeps objects under; all versions of a group share it. */
export function storageKey({ group, resource }: Pick<Resource, 'group' | 'resource'>): string {
  return `${group}/${resource}`;
}

export function apiVersionOf({ group, version }: Pick<Resource, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}
