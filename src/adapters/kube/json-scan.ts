/**
 * Finds its way through JSON without reading it, at about a nanosecond a byte, so that what nobody wants is never read and what is
 * long is read in parts. All places are offsets in bytes. Text that is no JSON is not recognised as such: whoever reads the parts
 * finds out. UTF-8 has the bytes of JSON's own characters nowhere else.
 */

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** No such place: the text ends before, or is no JSON. */
const NOWHERE = -1;

export interface Span {
  readonly start: number;
  readonly end: number;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9;
}

function behindSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

/** @param from behind the opening quote. @returns behind the closing one */
function behindString(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
  }
  return NOWHERE;
}

/** @param from at an opening bracket. @returns behind the bracket that closes it */
function behindBrackets(bytes: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = behindString(bytes, at + 1) - 1;
      if (at < 0) return NOWHERE;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return NOWHERE;
}

function behindValue(bytes: Buffer, from: number): number {
  const first = bytes[from];
  if (first === QUOTE) return behindString(bytes, from + 1);
  if (first === OPEN_OBJECT || first === OPEN_LIST) return behindBrackets(bytes, from);
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST || isSpace(byte)) return at;
  }
  return NOWHERE;
}

function says(bytes: Buffer, start: number, end: number, key: Buffer): boolean {
  if (end - start !== key.length) return false;
  // By hand: a call into Node's own code would cost more than a key has characters.
  for (let at = 0; at < key.length; at += 1) if (bytes[start + at] !== key[at]) return false;
  return true;
}

/** Where a field of an object stands: its key, and its value. */
interface FieldPlace {
  /** At the opening quote of the key. */
  readonly start: number;
  readonly value: number;
}

/** @param from at the opening bracket of an object */
function findField(bytes: Buffer, from: number, key: Buffer): FieldPlace | undefined {
  if (bytes[from] !== OPEN_OBJECT) return undefined;
  for (let at = behindSpace(bytes, from + 1); bytes[at] === QUOTE; ) {
    const behindKey = behindString(bytes, at + 1);
    if (behindKey < 0) return undefined;
    const colon = behindSpace(bytes, behindKey);
    if (bytes[colon] !== COLON) return undefined;
    const value = behindSpace(bytes, colon + 1);
    if (says(bytes, at + 1, behindKey - 1, key)) return { start: at, value };
    const behind = behindValue(bytes, value);
    if (behind < 0) return undefined;
    const comma = behindSpace(bytes, behind);
    if (bytes[comma] !== COMMA) return undefined;
    at = behindSpace(bytes, comma + 1);
  }
  return undefined;
}

const [OBJECT, METADATA, MANAGED_FIELDS, ITEMS] = ['object', 'metadata', 'managedFields', 'items'].map((key) =>
  Buffer.from(key),
) as [Buffer, Buffer, Buffer, Buffer];

/** The field `metadata.managedFields` of the object that begins at `from`, with one of the commas around it. */
function managedFieldsOf(bytes: Buffer, from: number): Span | undefined {
  const metadata = findField(bytes, from, METADATA);
  const field = metadata && findField(bytes, metadata.value, MANAGED_FIELDS);
  if (field === undefined) return undefined;
  const end = behindValue(bytes, field.value);
  if (end < 0) return undefined;
  let before = field.start - 1;
  while (isSpace(bytes[before])) before -= 1;
  if (bytes[before] === COMMA) return { start: before, end };
  const behind = behindSpace(bytes, end);
  return { start: field.start, end: bytes[behind] === COMMA ? behind + 1 : end };
}

/** The text of a span without what is cut out of it; what stands behind is moved there, which is cheaper than two texts in a row. */
function textWithout(bytes: Buffer, { start, end }: Span, cut: Span | undefined): string {
  if (cut === undefined || cut.end > end) return bytes.toString('utf8', start, end);
  bytes.copyWithin(cut.start, cut.end, end);
  return bytes.toString('utf8', start, end - (cut.end - cut.start));
}

/** The text of an object in a span, without its managed fields. The bytes of the span are used up. */
export function withoutManagedFields(bytes: Buffer, span: Span): string {
  return textWithout(bytes, span, managedFieldsOf(bytes, span.start));
}

/** The text of an event of a watch, without the managed fields of its object. The bytes of the line are used up. */
export function eventWithoutManagedFields(line: Buffer): string {
  const object = findField(line, behindSpace(line, 0), OBJECT);
  return textWithout(line, { start: 0, end: line.length }, object && managedFieldsOf(line, object.value));
}

/** The list `items` of an object, brackets included; undefined where there is none. */
export function itemsOf(bytes: Buffer): Span | undefined {
  const field = findField(bytes, behindSpace(bytes, 0), ITEMS);
  if (field === undefined || bytes[field.value] !== OPEN_LIST) return undefined;
  const end = behindBrackets(bytes, field.value);
  return end < 0 ? undefined : { start: field.value, end };
}

/** The items of a list in a span that `itemsOf` found. @throws SyntaxError where they are not values with a comma between two */
export function* itemSpans(bytes: Buffer, list: Span): Generator<Span> {
  let start = behindSpace(bytes, list.start + 1);
  if (bytes[start] === CLOSE_LIST) return;
  for (;;) {
    const end = behindValue(bytes, start);
    if (end <= start) throw new SyntaxError(`no value at byte ${start}`);
    yield { start, end };
    const behind = behindSpace(bytes, end);
    if (bytes[behind] === CLOSE_LIST) return;
    if (bytes[behind] !== COMMA) throw new SyntaxError(`no comma at byte ${behind}`);
    start = behindSpace(bytes, behind + 1);
  }
}
