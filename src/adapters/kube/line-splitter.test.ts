import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from './line-splitter.ts';

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

describe('a stream of lines', () => {
  it('gives the same lines however it is cut, also inside a character', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ''))),
        fc.array(fc.nat()),
        (lines, places) => {
          const splitter = new LineSplitter();
          const bytes = Buffer.from(`${lines.map((line) => `${line}\n`).join('')}rest`);
          const found = cut(bytes, places).flatMap((piece) => splitter.push(piece));
          expect(found.map(String)).toEqual(lines);
          expect(splitter.rest().toString()).toBe('rest');
        },
      ),
    );
  });

  it('is refused when a line has no end', () => {
    const splitter = new LineSplitter();
    const megabyte = Buffer.alloc(1 << 20, 'x');
    for (let n = 0; n < 32; n += 1) splitter.push(megabyte);
    expect(() => splitter.push(megabyte)).toThrow(RangeError);
  });
});
