import { CelObject } from '../value/cel-object.ts';
import { CelType } from '../value/cel-type.ts';
import { CelDuration, CelOpaque, CelOptional, CelTimestamp, CelUint, type CelValue } from '../value/cel-value.ts';
import { isList } from '../value/list.ts';
import { isMap } from '../value/map.ts';
import { isDouble, isInt } from '../value/number.ts';

type Test = (value: CelValue) => boolean;

const anything: Test = () => true;

const PRIMITIVES: Readonly<Record<string, Test>> = {
  null_type: (value) => value === null,
  bool: (value) => typeof value === 'boolean',
  int: isInt,
  uint: (value) => value instanceof CelUint,
  double: isDouble,
  string: (value) => typeof value === 'string',
  bytes: (value) => value instanceof Uint8Array,
  'google.protobuf.Timestamp': (value) => value instanceof CelTimestamp,
  'google.protobuf.Duration': (value) => value instanceof CelDuration,
};

/**
 * The run-time test of an overload's parameter. Element types of lists and maps are not looked at, as in the reference: a
 * function that cares says so by its own error.
 */
export function acceptsType(type: CelType): Test {
  switch (type.kind) {
    case 'primitive':
      return PRIMITIVES[type.name] ?? anything;
    case 'list':
      return isList;
    case 'map':
      return isMap;
    case 'type':
      return (value) => value instanceof CelType;
    case 'optional':
      return (value) => value instanceof CelOptional;
    case 'opaque':
      return (value) => value instanceof CelOpaque && value.type.name === type.name;
    case 'object':
      return (value) => isMap(value) && !(value instanceof CelObject);
    case 'dyn':
    case 'error':
    case 'parameter':
      return anything;
  }
}
