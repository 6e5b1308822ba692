import { assertNever } from '../../core/object/assert-never.ts';
import { timestamp } from '../objects/api-object.ts';
import { StatusError } from '../objects/status-error.ts';
import { type FieldType, MESSAGES, type Message } from './messages.ts';

/** A field as it stands on the wire. */
type WireField =
  | { readonly number: number; readonly kind: 'number'; readonly value: number }
  | { readonly number: number; readonly kind: 'bytes'; readonly value: Buffer };

const MAGIC = Buffer.from('k8s\0');
const TYPE_META: Message = { 1: ['apiVersion', 'text'], 2: ['kind', 'text'] };
const MAP_OF_TEXTS: Message = { 1: ['key', 'text'], 2: ['value', 'text'] };
const MAP_OF_BYTES: Message = { 1: ['key', 'text'], 2: ['value', 'bytes'] };

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
    const next = varint(bytes, tag.end);
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
      default:
        throw malformed();
    }
  }
}

function decodeMessage(bytes: Buffer, message: Message, where: string): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const wire of wireFields(bytes)) {
    const [name, type] = message[wire.number] ?? [];
    if (name === '') continue;
    if (name === undefined || type === undefined) {
      refuseContent(wire, where);
      continue;
    }
    const value = decodeField(wire, type, result[name], `${where}.${name}`);
    if (value !== undefined) result[name] = value;
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
  if (wire.kind === 'number') {
    if (type === 'flag') return wire.value !== 0;
    if (type === 'count') return wire.value;
    if (type === 'number') return wire.value === 0 ? undefined : wire.value;
    throw malformed();
  }
  const { value } = wire;
  if (typeof type === 'object') {
    if ('messages' in type)
      return [...((before as unknown[] | undefined) ?? []), decodeMessage(value, type.messages, where)];
    return decodeMessage(value, type.message, where);
  }
  switch (type) {
    case 'text':
      return value.length === 0 ? undefined : value.toString('utf8');
    case 'bytes':
      return value.toString('base64');
    case 'texts':
      return [...((before as string[] | undefined) ?? []), value.toString('utf8')];
    case 'text map':
    case 'bytes map': {
      const entry = decodeMessage(value, type === 'text map' ? MAP_OF_TEXTS : MAP_OF_BYTES, where);
      return { ...(before as object | undefined), [String(entry['key'] ?? '')]: entry['value'] ?? '' };
    }
    case 'time': {
      const [seconds] = wireFields(value);
      return seconds?.kind === 'number' && seconds.value !== 0 ? timestamp(seconds.value * 1000) : undefined;
    }
    case 'text or number':
    case 'text or count': {
      const fields = Object.fromEntries([...wireFields(value)].map(({ number, value: one }) => [number, one]));
      if (fields[1] === 1) return String(fields[3]);
      return type === 'text or count' ? (fields[2] ?? 0) : fields[2] || undefined;
    }
    case 'flag':
    case 'count':
    case 'number':
      throw malformed();
    default:
      return assertNever(type);
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
  const message = MESSAGES[kind];
  if (message === undefined) {
    const told = `${kind || 'this kind'} is not read from protobuf by the sandbox; send JSON, for example by kubectl apply -f`;
    throw new StatusError('UnsupportedMediaType', told);
  }
  return { ...type, ...decodeMessage(raw, message, kind) };
}
