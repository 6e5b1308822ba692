import { asList, asMap } from '../../core/object/fields.ts';
import { timestamp } from '../objects/api-object.ts';
import { StatusError } from '../objects/status-error.ts';
import { type FieldType, type Message, messageNamed, messageOf } from './messages.ts';

/** A field as it stands on the wire. */
type WireField =
  | { readonly number: number; readonly kind: 'number'; readonly value: number }
  | { readonly number: number; readonly kind: 'bytes'; readonly value: Buffer };

const MAGIC = Buffer.from('k8s\0');
const TEXT: FieldType = { base: 'string', forms: '', keepsZero: false };
const TYPE_META: Message = new Map([
  [1, { ...TEXT, name: 'apiVersion' }],
  [2, { ...TEXT, name: 'kind' }],
]);

function malformed(): StatusError {
  return new StatusError('BadRequest', 'the body is not a Kubernetes object in protobuf');
}

function varint(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let value = 0n;
  for (let place = start, shift = 0n; place < bytes.length && shift < 64n; place += 1, shift += 7n) {
    const byte = bytes[place] ?? 0;
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return { value: Number(BigInt.asIntN(64, value)), end: place + 1 };
  }
  throw malformed();
}

function* wireFields(bytes: Buffer): Generator<WireField> {
  for (let place = 0; place < bytes.length; ) {
    const tag = varint(bytes, place);
    const number = tag.value >>> 3;
    const next = (tag.value & 7) === 1 ? tag : varint(bytes, tag.end);
    switch (tag.value & 7) {
      case 0:
        yield { number, kind: 'number', value: next.value };
        place = next.end;
        break;
      case 2:
        place = next.end + next.value;
        if (next.value < 0 || place > bytes.length) throw malformed();
        yield { number, kind: 'bytes', value: bytes.subarray(next.end, place) };
        break;
      case 1:
        place = tag.end + 8;
        if (place > bytes.length) throw malformed();
        yield { number, kind: 'bytes', value: bytes.subarray(tag.end, place) };
        break;
      default:
        throw malformed();
    }
  }
}

function decodeMessage(bytes: Buffer, message: Message, where: string): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const wire of wireFields(bytes)) {
    const field = message.get(wire.number);
    if (field === undefined) {
      refuseContent(wire, where);
      continue;
    }
    const value = decodeField(wire, field, result[field.name], `${where}.${field.name}`);
    if (field.name === '') Object.assign(result, value);
    else if (value !== undefined) result[field.name] = value;
  }
  return result;
}

/** Fields that are not in the table may be there as long as they say nothing: Go writes its zero values too. */
function refuseContent({ number, kind, value }: WireField, where: string): void {
  const isEmpty = kind === 'number' ? value === 0 : [...wireFieldsOrNone(value)].every((inner) => isZero(inner));
  if (isEmpty) return;
  const message = `field ${number} of ${where} is not read from protobuf by the sandbox; send JSON, for example by kubectl apply -f`;
  throw new StatusError('UnsupportedMediaType', message);
}

function wireFieldsOrNone(bytes: Buffer): readonly WireField[] {
  try {
    return [...wireFields(bytes)];
  } catch {
    // A text that is no message says something for sure.
    return [{ number: 0, kind: 'number', value: 1 }];
  }
}

function isZero({ kind, value }: WireField): boolean {
  return kind === 'number' ? value === 0 : wireFieldsOrNone(value).every(isZero);
}

function decodeField(wire: WireField, type: FieldType, before: unknown, where: string): unknown {
  const inner: FieldType = { ...type, forms: type.forms.slice(1), keepsZero: true };
  switch (type.forms[0]) {
    case undefined:
      return decodeOne(wire, type, where);
    case '[':
      return [...asList(before), decodeOne(wire, inner, where)];
    case '{': {
      const entry = decodeMessage(bytesOf(wire), entryOf(inner), where);
      return { ...asMap(before), [String(entry['key'] ?? '')]: entry['value'] ?? '' };
    }
    default:
      return decodeMessage(bytesOf(wire), new Map([[1, { ...inner, name: 'items' }]]), where)['items'];
  }
}

/** A map is a list of messages with a key and a value. */
function entryOf(value: FieldType): Message {
  return new Map([
    [1, { ...TEXT, name: 'key' }],
    [2, { ...value, name: 'value' }],
  ]);
}

function bytesOf(wire: WireField): Buffer {
  if (wire.kind === 'number') throw malformed();
  return wire.value;
}

function decodeOne(wire: WireField, { base, keepsZero }: FieldType, where: string): unknown {
  if (base === 'bool' || base === 'int') {
    if (wire.kind !== 'number') throw malformed();
    if (wire.value === 0 && !keepsZero) return undefined;
    return base === 'bool' ? wire.value !== 0 : wire.value;
  }
  const value = bytesOf(wire);
  switch (base) {
    case 'string':
      return value.length === 0 && !keepsZero ? undefined : value.toString('utf8');
    case 'bytes':
      return value.toString('base64');
    case 'time':
    case 'microtime':
      return decodeTime(value, base === 'microtime');
    case 'quantity':
      return numbered(value).get(1)?.toString() || (keepsZero ? '0' : undefined);
    case 'int|string': {
      const parts = numbered(value);
      if (parts.get(1) === 1) return String(parts.get(3) ?? '');
      return parts.get(2) || (keepsZero ? 0 : undefined);
    }
    case 'any':
      return decodeJson(numbered(value).get(1));
    default: {
      const message = messageNamed(base);
      if (message === undefined) throw malformed();
      return decodeMessage(value, message, where);
    }
  }
}

/** Numbers and texts of a small message by their number. */
function numbered(bytes: Buffer): ReadonlyMap<number, number | string> {
  return new Map(
    [...wireFields(bytes)].map(({ number, value }) => [
      number,
      typeof value === 'number' ? value : value.toString('utf8'),
    ]),
  );
}

function decodeTime(bytes: Buffer, micro: boolean): string | undefined {
  const parts = numbered(bytes);
  const seconds = Number(parts.get(1) ?? 0);
  // The zero time of Go is the year 1, written as a negative number or as nothing.
  if (seconds <= 0) return undefined;
  const text = timestamp(seconds * 1000);
  const fraction = String(Math.floor(Number(parts.get(2) ?? 0) / 1000)).padStart(6, '0');
  return micro ? text.replace('Z', `.${fraction}Z`) : text;
}

function decodeJson(text: number | string | undefined): unknown {
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw malformed();
  }
}

/**
 * An object as k8s.io/apimachinery writes it in protobuf: `k8s\0`, then runtime.Unknown around the message. Go clients send their
 * typed requests so and do not fall back to JSON. Throws 415 for kinds and fields that are not in the table: nothing is lost in
 * silence.
 */
export function decodeProtobuf(body: Buffer): Record<string, unknown> {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) throw malformed();
  let type: Record<string, unknown> = {};
  let raw = Buffer.alloc(0);
  for (const wire of wireFields(body.subarray(MAGIC.length))) {
    if (wire.kind !== 'bytes') continue;
    if (wire.number === 1) type = decodeMessage(wire.value, TYPE_META, 'TypeMeta');
    if (wire.number === 2) raw = Buffer.from(wire.value);
  }
  const kind = String(type['kind'] ?? '');
  const message = messageOf(String(type['apiVersion'] ?? ''), kind);
  if (message === undefined) {
    const told = `${kind || 'this kind'} is not read from protobuf by the sandbox; send JSON, for example by kubectl apply -f`;
    throw new StatusError('UnsupportedMediaType', told);
  }
  return { ...type, ...decodeMessage(raw, message, kind) };
}
