import { EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException } from 'js-yaml';
import { startOf } from './event-start.ts';
import { splitYamlDocuments } from './yaml-documents.ts';

/** Where in a text a node stands. Offsets are UTF-16 units of the text. */
export interface NodePlace {
  /** Where the key is, or the value where there is none (an element of a list). */
  readonly start: number;
  /** Only of a scalar: its value, and where in the text a part of the value stands. */
  readonly scalar?: ScalarPlace;
}

export interface ScalarPlace {
  readonly value: string;
  /** The place in the text of an offset in the value, through quotes, escapes, indentation and folding; undefined when it cannot be told. */
  textOffset(offset: number): number | undefined;
}

/** The way from a document's root to a node: keys and zero-based places. */
export type NodePath = readonly (string | number)[];

/** Finds nodes of one document of a text. */
export type FindNode = (path: NodePath) => NodePlace | undefined;

const NOTHING: FindNode = () => undefined;

/**
 * The places of the nodes of a YAML document (JSON is YAML too); of nothing when the text cannot be read that way.
 * @param document one-based, as `ManifestDocument` counts
 */
export function nodePlaces(text: string, document: number): FindNode {
  let start = 0;
  for (const chunk of splitYamlDocuments(text)) {
    if (chunk.document === document) return placesOfChunk(chunk.text, start);
    start += chunk.text.length;
  }
  return NOTHING;
}

function placesOfChunk(text: string, base: number): FindNode {
  try {
    const places = new Map<string, NodePlace>();
    const events = parseEvents(text, {});
    new Walk(text, base, events, places).document();
    return (path) => places.get(keyOf(path));
  } catch (error) {
    if (error instanceof YAMLException) return NOTHING;
    throw error;
  }
}

function keyOf(path: NodePath): string {
  return JSON.stringify(path);
}

type ScalarEvent = Extract<Event, { readonly type: typeof EVENT_ID.SCALAR }>;

class Walk {
  readonly #text: string;
  readonly #base: number;
  readonly #events: readonly Event[];
  readonly #places: Map<string, NodePlace>;
  #at = 0;

  constructor(text: string, base: number, events: readonly Event[], places: Map<string, NodePlace>) {
    this.#text = text;
    this.#base = base;
    this.#events = events;
    this.#places = places;
  }

  document(): void {
    this.#at = 1;
    this.#node([], undefined);
  }

  #node(path: NodePath, keyStart: number | undefined): void {
    const event = this.#events[this.#at];
    if (event === undefined) return;
    this.#at += 1;
    const start = keyStart ?? startOf(event);
    const scalar = event.type === EVENT_ID.SCALAR ? this.#scalar(event) : undefined;
    this.#places.set(keyOf(path), { start: this.#base + start, ...(scalar === undefined ? {} : { scalar }) });
    if (event.type === EVENT_ID.SEQUENCE) {
      for (let index = 0; !this.#closed(); index += 1) this.#node([...path, index], undefined);
    } else if (event.type === EVENT_ID.MAPPING) {
      while (!this.#closed()) this.#entry(path);
    }
  }

  #entry(path: NodePath): void {
    const key = this.#events[this.#at];
    if (key?.type === EVENT_ID.SCALAR) {
      this.#at += 1;
      this.#node([...path, getScalarValue(this.#text, key)], key.valueStart);
      return;
    }
    // A key that is no scalar names no field; its value is walked all the same.
    this.#node([...path, ''], undefined);
    this.#node([...path, ''], undefined);
  }

  /** At the end of a collection; steps over it. */
  #closed(): boolean {
    const event = this.#events[this.#at];
    if (event !== undefined && event.type !== EVENT_ID.POP) return false;
    this.#at += 1;
    return true;
  }

  #scalar(event: ScalarEvent): ScalarPlace {
    const value = getScalarValue(this.#text, event);
    let offsets: readonly number[] | undefined;
    return {
      value,
      textOffset: (offset) => {
        offsets ??= align(value, this.#text, event);
        const found = offsets[Math.min(offset, value.length)];
        return found === undefined ? undefined : this.#base + found;
      },
    };
  }
}

const BLANK = /\s/;

/**
 * Offsets in the text of each character of a scalar's value, and of its end. Folding and indentation change nothing but
 * white space, so value and text are walked side by side from one visible character to the next. Ends early where they
 * part, which they do only in what is written with an escape that is not known here.
 */
function align(value: string, text: string, event: ScalarEvent): readonly number[] {
  const offsets: number[] = [];
  let at = event.valueStart;
  for (let index = 0; index < value.length; index += 1) {
    const character = value[index] ?? '';
    if (BLANK.test(character)) {
      offsets.push(at);
      if (text[at] === character) at += 1;
      continue;
    }
    at = skipBlanks(text, at, event);
    const length = lengthWritten(character, text, at, event);
    if (length === undefined) return offsets;
    offsets.push(at);
    at += length;
    // The second half of a character that one escape wrote.
    if (length > 2 && /[\ud800-\udbff]/.test(character) && text[at - length + 1] === 'U') {
      index += 1;
      offsets.push(at - length);
    }
  }
  offsets.push(at);
  return offsets;
}

function skipBlanks(text: string, from: number, event: ScalarEvent): number {
  let at = from;
  while (at < event.valueEnd) {
    if (BLANK.test(text[at] ?? '')) at += 1;
    else if (event.style === SCALAR_STYLE.DOUBLE_QUOTED && /^\\[\sntrvf]/.test(text.slice(at, at + 2))) at += 2;
    else break;
  }
  return at;
}

/** Escapes of double-quoted scalars that take more than one character after the backslash. */
const LONG_ESCAPES: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 };

/** How many characters of the text stand for one of the value; undefined when they are not the same. */
function lengthWritten(character: string, text: string, at: number, event: ScalarEvent): number | undefined {
  if (event.style === SCALAR_STYLE.SINGLE_QUOTED && character === "'") {
    return text.startsWith("''", at) ? 2 : undefined;
  }
  if (event.style === SCALAR_STYLE.DOUBLE_QUOTED && text[at] === '\\') return LONG_ESCAPES[text[at + 1] ?? ''] ?? 2;
  return text[at] === character ? 1 : undefined;
}
