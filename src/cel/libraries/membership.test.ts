import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallContext } from '../declarations.ts';
import { CelDouble, CelDuration, CelUint, type CelValue } from '../value/cel-value.ts';
import { equal } from '../value/equality.ts';
import { Membership } from './membership.ts';

const context: CallContext = {
  work: () => {},
  strict: false,
  regex: () => {
    throw new Error('no pattern here');
  },
};

describe('looking a value up among others', () => {
  it('agrees with comparing it with each', () => {
    const value = fc.constantFrom<CelValue>(
      null,
      true,
      '1',
      1,
      0,
      9007199254740993n,
      1.5,
      Number.NaN,
      Infinity,
      new CelDouble(1),
      new CelDouble(-0),
      new CelDouble(2 ** 63),
      new CelDouble(2 ** 53),
      9007199254740992n,
      new CelUint(1n),
      new CelUint(2n ** 63n),
      new Uint8Array([1]),
      new CelDuration(1, 0),
      [1],
      [new CelDouble(1)],
      { a: 1 },
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 8 }), value, (values, sought) => {
        const expected = values.some((each) => equal(each, sought) === true);
        expect(new Membership(context, values).has(sought)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });
});
