import type { IncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import {
  BOOL,
  BYTES,
  CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  list,
  map,
  NULL,
  opaque,
  optional,
  param,
  STRING,
  TIMESTAMP,
  typeOfType,
  UINT,
} from '../../src/cel/value/cel-type.ts';
import { CelUint, type CelValue } from '../../src/cel/value/cel-value.ts';
import { CelMap, mapKey } from '../../src/cel/value/map.ts';
import { doubleValue, intFromBigInt } from '../../src/cel/value/number.ts';

type Original = IncrementalTestSuite['tests'][number]['original'];
type ProtoExprValue = Original['bindings'][string];
type ProtoValue = Extract<Original['resultMatcher'], { case: 'value' }>['value'];
export type ProtoType = NonNullable<
  Extract<Original['typeEnv'][number]['declKind'], { case: 'ident' }>['value']['type']
>;

/** Why something cannot be stated in this engine; the words of the ledger. */
export type Reason = 'protobuf message' | 'enum' | 'extension' | 'wrapper';

/** Thrown by decoders on what needs protocol buffers. */
export class OutOfScope {
  readonly reason: Reason;
  constructor(reason: Reason) {
    this.reason = reason;
  }
}

export function decodeExpr(value: ProtoExprValue): CelValue {
  if (value.kind.case === 'value') return decodeValue(value.kind.value);
  throw new Error(`no rule for a binding of kind ${value.kind.case}`);
}

/** A protobuf `Value` in the engine's own representation. */
export function decodeValue(value: ProtoValue): CelValue {
  const { kind } = value;
  switch (kind.case) {
    case 'nullValue':
      return null;
    case 'boolValue':
    case 'stringValue':
    case 'bytesValue':
      return kind.value;
    case 'int64Value':
      return intFromBigInt(kind.value);
    case 'uint64Value':
      return new CelUint(kind.value);
    case 'doubleValue':
      return doubleValue(kind.value);
    case 'listValue':
      return kind.value.values.map(decodeValue);
    case 'mapValue':
      return decodeMap(kind.value.entries);
    case 'typeValue':
      return new CelType('primitive', kind.value);
    case 'enumValue':
      throw new OutOfScope('enum');
    case 'objectValue':
      throw new OutOfScope(isWrapperName(kind.value.typeUrl) ? 'wrapper' : 'protobuf message');
    default:
      throw new Error(`no rule for a value of kind ${kind.case}`);
  }
}

function decodeMap(
  entries: readonly { readonly key?: ProtoValue | undefined; readonly value?: ProtoValue | undefined }[],
): CelMap {
  const result = new CelMap();
  for (const { key, value } of entries) {
    if (!key || !value) throw new Error('a map entry without key or value');
    const decoded = decodeValue(key);
    const canonical = mapKey(decoded);
    if (canonical === undefined) throw new Error('a key of a type that no map can have');
    result.insert(decoded, canonical, decodeValue(value));
  }
  return result;
}

/** Values of `cel.expr.Type.PrimitiveType`, by number. */
const PRIMITIVES = [undefined, BOOL, INT, UINT, DOUBLE, STRING, BYTES];

export function decodeType(type: ProtoType | undefined): CelType {
  const kind = type?.typeKind;
  switch (kind?.case) {
    case 'dyn':
      return DYN;
    case 'null':
      return NULL;
    case 'primitive':
      return PRIMITIVES[kind.value] ?? DYN;
    case 'wellKnown':
      return wellKnown(kind.value);
    case 'listType':
      return list(decodeType(kind.value.elemType));
    case 'mapType':
      return map(decodeType(kind.value.keyType), decodeType(kind.value.valueType));
    case 'type':
      return typeOfType(decodeType(kind.value));
    case 'typeParam':
      return param(kind.value);
    case 'abstractType':
      return abstractType(kind.value.name, kind.value.parameterTypes.map(decodeType));
    case 'wrapper':
      throw new OutOfScope('wrapper');
    case 'messageType':
      return messageType(kind.value);
    default:
      throw new Error(`no rule for a type of kind ${kind?.case}`);
  }
}

function wellKnown(number: number): CelType {
  if (number === 2) return TIMESTAMP;
  if (number === 3) return DURATION;
  throw new OutOfScope('protobuf message');
}

function abstractType(name: string, params: readonly CelType[]): CelType {
  const [only] = params;
  if (name === 'optional_type' && only) return optional(only);
  return params.length === 0 ? opaque(name) : new CelType('opaque', name, params);
}

function messageType(name: string): CelType {
  if (name === 'google.protobuf.Timestamp') return TIMESTAMP;
  if (name === 'google.protobuf.Duration') return DURATION;
  throw new OutOfScope(isWrapperName(name) ? 'wrapper' : 'protobuf message');
}

/** `google.protobuf.Int64Value` and its like, but not `google.protobuf.Value` or `ListValue`. */
export function isWrapperName(name: string): boolean {
  return /google\.protobuf\.(Bool|Bytes|Double|Float|Int32|Int64|String|UInt32|UInt64)Value$/.test(name);
}
