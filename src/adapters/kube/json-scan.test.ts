import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from './json.ts';
import { eventWithoutManagedFields, itemSpans, itemsOf, withoutManagedFields } from './json-scan.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Texts and keys that look like what is searched for. */
const words = fc.oneof(
  fc.constantFrom('managedFields', 'metadata', 'items', '"managedFields":[', '\\', '"', '}', ']', ',"', '€', ''),
  fc.string(),
);
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>(null, true, false, 0, -1.5e-7, 12345678901),
    words,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(words, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const metadata = fc.record(
  { name: words, managedFields: fc.array(value), labels: value },
  { requiredKeys: [], noNullPrototype: true },
);
const object = fc.record({ kind: words, spec: value, metadata }, { requiredKeys: ['kind'], noNullPrototype: true });
const spaces = fc.constantFrom<number | string>(0, 2, '\t');

function without(one: { metadata?: { managedFields?: unknown } }): unknown {
  if (one.metadata === undefined) return one;
  const { managedFields: _dropped, ...rest } = one.metadata;
  return { ...one, metadata: rest };
}

describe('JSON that is not read as a whole', () => {
  it('lacks the managed fields of its own metadata and nothing else, however it is written', () => {
    fc.assert(
      fc.property(object, spaces, (one, space) => {
        const bytes = Buffer.from(JSON.stringify(one, undefined, space));
        expect(JSON.parse(withoutManagedFields(bytes, { start: 0, end: bytes.length }))).toEqual(without(one));
        const line = Buffer.from(JSON.stringify({ type: 'ADDED', object: one }, undefined, space));
        expect(JSON.parse(eventWithoutManagedFields(line))).toEqual({ type: 'ADDED', object: without(one) });
      }),
    );
  });

  it('has its items where JSON has them', () => {
    fc.assert(
      fc.property(fc.array(value), value, spaces, (items, other, space) => {
        const bytes = Buffer.from(JSON.stringify({ other, items, more: 1 }, undefined, space));
        const place = itemsOf(bytes);
        const spans = place === undefined ? [] : [...itemSpans(bytes, place)];
        expect(spans.map(({ start, end }) => JSON.parse(bytes.toString('utf8', start, end)))).toEqual(items);
      }),
    );
  });

  it('is told as broken, or left to the reader of the whole, when it is cut anywhere', () => {
    const text = '{"kind":"List","items":[{"metadata":{"name":"a","managedFields":[{"f":"]"}]}},{"n":1}]}';
    for (let length = 0; length < text.length - 1; length += 1) {
      const cut = Buffer.from(text.slice(0, length));
      expect(itemsOf(cut), cut.toString()).toBeUndefined();
      expect(() => JSON.parse(withoutManagedFields(cut, { start: 0, end: length })), cut.toString()).toThrow(
        SyntaxError,
      );
    }
  });

  it.each(['[1 2]', '[1,,2]', '[,]', '[1,]'])('is told as broken in a list that is %s', (list) => {
    const bytes = Buffer.from(`{"items":${list}}`);
    const place = itemsOf(bytes);
    if (place === undefined) throw new Error('the list has brackets');
    expect(() => [...itemSpans(bytes, place)]).toThrow(SyntaxError);
  });
});

describe('integers beyond 2^53', () => {
  it('are found wherever they stand, and floating numbers and digits in texts are left alone', () => {
    const big = fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n });
    fc.assert(
      fc.property(fc.string(), big, fc.nat(40), fc.constantFrom('', '-'), (text, number, gap, sign) => {
        const written = `{"t":${JSON.stringify(text)},"n":${' '.repeat(gap)}${sign}${number},"f":0.1234567890123456}`;
        const signed = sign === '' ? number : -number;
        expect(parseJson(written)).toEqual({ t: text, n: signed, f: 0.1234567890123456 });
      }),
    );
    expect(parseJson('{"hash":"123456789012345689","list":[9007199254740993]}')).toEqual({
      hash: '123456789012345689',
      list: [9007199254740993n],
    });
  });
});
