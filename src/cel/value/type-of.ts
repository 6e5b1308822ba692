import { CelObject } from './cel-object.ts';
import {
  BOOL,
  BYTES,
  CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  LIST,
  MAP,
  NULL,
  OPTIONAL,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
} from './cel-type.ts';
import { CelDouble, CelDuration, CelOpaque, CelOptional, CelTimestamp, CelUint, type CelValue } from './cel-value.ts';
import { CelConcatList } from './list.ts';

/** The run-time type of a value, parameters left dyn. */
export function typeOf(value: CelValue): CelType {
  switch (typeof value) {
    case 'string':
      return STRING;
    case 'boolean':
      return BOOL;
    case 'bigint':
      return INT;
    case 'number':
      return Number.isInteger(value) ? INT : DOUBLE;
    case 'object':
      return value === null ? NULL : typeOfObject(value);
    default:
      return DYN;
  }
}

function typeOfObject(value: object): CelType {
  if (Array.isArray(value) || value instanceof CelConcatList) return LIST;
  if (!(value instanceof CelObject)) return value instanceof Uint8Array ? BYTES : MAP;
  if (value instanceof CelDouble) return DOUBLE;
  if (value instanceof CelUint) return UINT;
  if (value instanceof CelTimestamp) return TIMESTAMP;
  if (value instanceof CelDuration) return DURATION;
  if (value instanceof CelOptional) return OPTIONAL;
  if (value instanceof CelType) return TYPE;
  if (value instanceof CelOpaque) return value.type;
  return MAP;
}
