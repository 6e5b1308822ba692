import { isMap } from '../../core/object/fields.ts';
import { timestamp } from '../objects/api-object.ts';
import type { BuiltInType } from './built-in-type.ts';
import { canonicalQuantity } from './quantity.ts';

/** A value that does not fit the type of its field; the message is that of Go's decoder. */
export class WrongType extends Error {
  override readonly name = 'WrongType';
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The zero value that Go leaves where `null` stands in a list or a map. */
const ZEROS: Readonly<Record<string, unknown>> = {
  bool: false,
  int: 0,
  number: 0,
  'int|string': 0,
  string: '',
  bytes: '',
  quantity: '0',
  any: null,
  time: null,
  microtime: null,
};

function typeOfJson(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return isMap(value) ? 'object' : typeof value === 'boolean' ? 'bool' : typeof value;
}

const GO_TYPES: Readonly<Record<string, string>> = { int: 'int32', bytes: '[]uint8', number: 'float64' };

/** Walks one object, dropping what its type does not know. */
class Decoding {
  readonly unknown: string[] = [];
  /** The struct that the walk is in, which Go's messages name. */
  #struct = '';

  value(value: unknown, type: BuiltInType, path: string): unknown {
    if (type.element === 'list') return this.#list(value, type, path);
    if (type.element === 'map') return this.#map(value, type, path);
    if (type.fields !== undefined) return this.struct(value, type, path);
    return this.#scalar(value, type.written, path);
  }

  struct(value: unknown, type: BuiltInType, path: string): unknown {
    if (!isMap(value)) throw this.#wrong(value, type.shortName, path);
    const outer = this.#struct;
    this.#struct = type.shortName;
    const result: Record<string, unknown> = {};
    for (const [name, inner] of Object.entries(value)) {
      const below = path === '' ? name : `${path}.${name}`;
      const field = type.field(name);
      if (field === undefined) this.unknown.push(below);
      else if (inner !== null && inner !== undefined) result[name] = this.value(inner, field, below);
    }
    this.#struct = outer;
    return result;
  }

  #list(value: unknown, type: BuiltInType, path: string): unknown {
    const item = type.of;
    if (!Array.isArray(value) || item === undefined) throw this.#wrong(value, `[]${item?.shortName}`, path);
    return value.map((one, place) => this.#element(one, item, `${path}[${place}]`));
  }

  #map(value: unknown, type: BuiltInType, path: string): unknown {
    const item = type.of;
    if (!isMap(value) || item === undefined) throw this.#wrong(value, `map[string]${item?.shortName}`, path);
    const result: Record<string, unknown> = {};
    for (const [name, inner] of Object.entries(value)) result[name] = this.#element(inner, item, path);
    return result;
  }

  #element(value: unknown, type: BuiltInType, path: string): unknown {
    if (value !== null) return this.value(value, type, path);
    if (type.element !== undefined) return null;
    return type.fields === undefined ? ZEROS[type.written] : {};
  }

  #scalar(value: unknown, scalar: string, path: string): unknown {
    switch (scalar) {
      case 'bool':
        return this.#want(typeof value === 'boolean', value, scalar, path);
      case 'int':
        return this.#want(Number.isInteger(value), value, scalar, path);
      case 'number':
        return this.#want(typeof value === 'number', value, scalar, path);
      case 'int|string':
        return this.#want(Number.isInteger(value) || typeof value === 'string', value, 'intstr.IntOrString', path);
      case 'string':
        return this.#want(typeof value === 'string', value, scalar, path);
      case 'bytes':
        this.#want(typeof value === 'string', value, scalar, path);
        if (!BASE64.test(String(value))) throw new WrongType(`illegal base64 data in ${path}`);
        return value;
      case 'quantity':
        return this.#quantity(value);
      case 'time':
      case 'microtime':
        this.#want(typeof value === 'string', value, 'Time', path);
        return this.#time(String(value), scalar === 'microtime');
      default:
        return value;
    }
  }

  #quantity(value: unknown): string {
    const text = typeof value === 'number' || typeof value === 'string' ? canonicalQuantity(String(value)) : undefined;
    if (text !== undefined) return text;
    throw new WrongType("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }

  /** metav1.Time keeps whole seconds, MicroTime six digits of them; both in UTC. */
  #time(text: string, micro: boolean): string {
    const [, , fraction = '', zone] = TIME.exec(text) ?? [];
    const time = Date.parse(text);
    if (zone === undefined || Number.isNaN(time)) {
      throw new WrongType(`parsing time "${text}" as "2006-01-02T15:04:05Z07:00": cannot parse "${text}" as "2006"`);
    }
    const whole = timestamp(Math.floor(time / 1000) * 1000);
    return micro ? whole.replace('Z', `.${fraction.slice(0, 6).padEnd(6, '0')}Z`) : whole;
  }

  #want(fits: boolean, value: unknown, type: string, path: string): unknown {
    if (!fits) throw this.#wrong(value, GO_TYPES[type] ?? type, path);
    return value;
  }

  #wrong(value: unknown, type: string, path: string): WrongType {
    const given = typeof value === 'number' && type === 'int32' ? `number ${value}` : typeOfJson(value);
    const place = path.replace(/\[\d+\]/g, '');
    return new WrongType(
      `json: cannot unmarshal ${given} into Go struct field ${this.#struct}.${place} of type ${type}`,
    );
  }
}

/**
 * Reads an object as the API server reads it into its type: `null` is as good as absent, quantities and times get the form in which
 * they are written back, unknown fields are dropped and named. Throws WrongType.
 */
export function decodeBuiltIn(
  object: unknown,
  type: BuiltInType,
  path = '',
): { readonly value: Record<string, unknown>; readonly unknown: readonly string[] } {
  const decoding = new Decoding();
  // A struct becomes a map.
  const value = decoding.struct(object, type, path) as Record<string, unknown>;
  return { value, unknown: decoding.unknown };
}
