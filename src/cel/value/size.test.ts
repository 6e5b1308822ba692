import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../text/utf8.ts';
import { CelUint } from './cel-value.ts';
import { CelConcatList } from './list.ts';
import { CelMap } from './map.ts';
import { codePointLength, hasSurrogate, sizeOf, utf8Length } from './size.ts';

describe('lengths of a text', () => {
  it('are those of its code points and of its UTF-8 form, whatever the surrogates', () => {
    const unit = fc.constantFrom('a', 'é', '€', '😀', '\ud800', '\udc00', '\0');
    fc.assert(
      fc.property(fc.array(unit), (units) => {
        const text = units.join('');
        expect(codePointLength(text)).toBe([...text].length);
        expect(utf8Length(text)).toBe(encodeUtf8(text).length);
        expect(hasSurrogate(text)).toBe(/[\ud800-\udfff]/.test(text));
      }),
    );
  });
});

describe('the size of a value', () => {
  const map = new CelMap();
  map.insert(1, 1, 'a');
  it.each([
    ['a😀', 2],
    [[1, 2], 2],
    [new CelConcatList([1], [2, 3]), 3],
    [new Uint8Array([1, 2, 3]), 3],
    [{ a: 1, absent: undefined }, 1],
    [map, 1],
    [1, undefined],
    [null, undefined],
    [new CelUint(1n), undefined],
  ])('of %o is %s', (value, size) => {
    expect(sizeOf(value)).toBe(size);
  });
});
