import { CelObject } from './cel-object.ts';

/**
 * - `dyn` any value; `error` the type of an expression that was already refused
 * - `primitive` null_type, bool, int, uint, double, string, bytes, timestamp, duration
 * - `list` `map` `type` `optional` with parameters
 * - `object` a schema-typed object with known fields
 * - `opaque` a library type, e.g. kubernetes.Quantity
 * - `parameter` a type variable of an overload
 */
export type TypeKind =
  | 'dyn'
  | 'error'
  | 'primitive'
  | 'list'
  | 'map'
  | 'type'
  | 'optional'
  | 'object'
  | 'opaque'
  | 'parameter';

/** A field of an `object` type. `wireName` is the property's name in the data when it differs from the CEL name. */
export interface ObjectField {
  readonly type: CelType;
  readonly required: boolean;
  readonly wireName?: string;
  /** What the schema says the field is for. */
  readonly description?: string;
}

/** A CEL type: both what the checker computes with and the run-time value of `type(x)` (compared by name). */
export class CelType extends CelObject {
  readonly kind: TypeKind;
  readonly name: string;
  readonly params: readonly CelType[];
  /** Present on `object` types only. */
  readonly fields: ReadonlyMap<string, ObjectField> | undefined;
  /** What a schema says of the largest size: code points, bytes, elements or entries. Types compare without it. */
  readonly maxSize: number | undefined;

  constructor(
    kind: TypeKind,
    name: string,
    params: readonly CelType[] = [],
    fields?: ReadonlyMap<string, ObjectField>,
    maxSize?: number,
  ) {
    super();
    this.kind = kind;
    this.name = name;
    this.params = params;
    this.fields = fields;
    this.maxSize = maxSize;
  }

  /** As authors write it: `list(int)`, `map(string, dyn)`, `google.protobuf.Timestamp`. */
  override toString(): string {
    return this.params.length === 0 ? this.name : `${this.name}(${this.params.join(', ')})`;
  }
}

export const DYN = new CelType('dyn', 'dyn');
export const ERROR_TYPE = new CelType('error', '!error!');
export const NULL = new CelType('primitive', 'null_type');
export const BOOL = new CelType('primitive', 'bool');
export const INT = new CelType('primitive', 'int');
export const UINT = new CelType('primitive', 'uint');
export const DOUBLE = new CelType('primitive', 'double');
export const STRING = new CelType('primitive', 'string');
export const BYTES = new CelType('primitive', 'bytes');
export const TIMESTAMP = new CelType('primitive', 'google.protobuf.Timestamp');
export const DURATION = new CelType('primitive', 'google.protobuf.Duration');
export const list = (element: CelType): CelType => new CelType('list', 'list', [element]);
export const map = (key: CelType, value: CelType): CelType => new CelType('map', 'map', [key, value]);
export const typeOfType = (of: CelType): CelType => new CelType('type', 'type', [of]);
export const optional = (of: CelType): CelType => new CelType('optional', 'optional_type', [of]);
export const opaque = (name: string): CelType => new CelType('opaque', name);
export const param = (name: string): CelType => new CelType('parameter', name);
export const LIST = list(DYN);
export const MAP = map(DYN, DYN);
export const TYPE = new CelType('type', 'type');
export const OPTIONAL = optional(DYN);
