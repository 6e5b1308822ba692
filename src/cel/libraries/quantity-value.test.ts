import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CelQuantity, parseQuantity } from './quantity-value.ts';

function quantity(text: string): CelQuantity {
  const parsed = parseQuantity(text);
  if (!(parsed instanceof CelQuantity)) throw new Error(`${text}: ${parsed.message}`);
  return parsed;
}

const quantityText = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    fc.bigInt({ min: 0n, max: 10n ** 20n }),
    fc.constantFrom('', '.', '.5', '.0001'),
    fc.constantFrom('', 'n', 'm', 'k', 'E', 'Ki', 'Gi', 'Ei', 'e3', 'E-7'),
  )
  .map((parts) => parts.join(''));

describe('quantities', () => {
  it('are totally ordered, and sums keep the order', () => {
    fc.assert(
      fc.property(quantityText, quantityText, quantityText, (a, b, c) => {
        const [x, y, z] = [quantity(a), quantity(b), quantity(c)];
        expect(x.compare(y)).toBe(-y.compare(x) + 0);
        if (x.compare(y) <= 0 && y.compare(z) <= 0) expect(x.compare(z)).toBeLessThanOrEqual(0);
        expect(x.plus(z).compare(y.plus(z))).toBe(x.compare(y));
        expect(x.plus(y).plus(y.negated()).equals(x)).toBe(true);
      }),
    );
  });

  it('are rounded away from zero to a billionth, and binary ones capped', () => {
    expect(quantity('0.0000000001').equals(quantity('1n'))).toBe(true);
    expect(quantity('-0.0000000001').equals(quantity('-1n'))).toBe(true);
    expect(quantity('1.0000000001').equals(quantity('1000000001n'))).toBe(true);
    expect(quantity('100Ei').equals(quantity('9223372036854775807'))).toBe(true);
    expect(quantity('100E').equals(quantity('1e20'))).toBe(true);
  });

  it.each([
    ['1.5Gi', '1610612736'],
    ['100m', '0.1'],
    ['-1500m', '-1.5'],
    ['1e400', '1e400'],
    ['2k', '2000'],
    ['-0.5n', '-0.000000001'],
    ['1.50', '1.5'],
    ['0', '0'],
  ])('%s is shown as %s', (text, shown) => {
    expect(quantity(text).text()).toBe(shown);
  });

  it.each(['-', '.', 'Ki', '-k', '+.', 'E5', '.e3'])('%j has no digit and is none', (text) => {
    // The reference reads these as 0; a quantity without a number is a mistake in whatever wrote it.
    expect(parseQuantity(text)).toMatchObject({ code: 'bad_quantity' });
  });

  it.each([['1e10001'], ['1e-10001'], ['1e99999999999'], ['9'.repeat(10_001)], [`0.${'1'.repeat(10_000)}`]])(
    'beyond the bounds on digits and exponents are refused',
    (text) => {
      expect(parseQuantity(text)).toMatchObject({ code: 'bad_quantity' });
    },
  );

  it('at the bounds still compare and add up', () => {
    const [large, small] = [quantity('1e10000'), quantity('1e-10000')];
    expect(large.compare(small)).toBe(1);
    expect(large.plus(small).compare(large)).toBe(1);
    expect(large.approximateFloat()).toBe(Infinity);
  });
});
