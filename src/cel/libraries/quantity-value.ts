import { CelError } from '../error.ts';
import { opaque } from '../value/cel-type.ts';
import { CelOpaque } from '../value/cel-value.ts';
import { INT_MAX, INT_MIN } from '../value/number.ts';

export const QUANTITY = opaque('kubernetes.Quantity');

/** Quantities are kept to a billionth; what is finer is rounded away from zero. */
const FINEST_SCALE = -9;
/** Digits that always fit int64; the bound of the reference's small form. */
const SMALL_DIGITS = 18;
/** Largest power of ten written as `1e400` that is accepted; keeps sums and comparisons from filling the memory. */
const MAX_EXPONENT = 10_000;
/** Most digits that are accepted, for the same reason. */
const MAX_DIGITS = 10_000;

/**
 * A Kubernetes quantity: `mantissa`·10^`scale`, exactly. The reference has a small form (int64 mantissa) and a large one
 * (big decimal); the difference shows, because only the small form is ever an integer to it.
 */
export class CelQuantity extends CelOpaque {
  readonly type = QUANTITY;
  readonly mantissa: bigint;
  readonly scale: number;
  readonly small: boolean;

  constructor(mantissa: bigint, scale: number, small: boolean) {
    super();
    this.mantissa = mantissa;
    this.scale = scale;
    this.small = small;
  }

  override equals(other: CelQuantity): boolean {
    return this.compare(other) === 0;
  }

  /** The value as a plain decimal, with an exponent where it would be long: `1610612736`, `0.1`, `1e400`. */
  override text(): string {
    if (this.scale > 18) return `${this.mantissa}e${this.scale}`;
    if (this.scale >= 0) return String(this.mantissa * 10n ** BigInt(this.scale));
    const digits = String(this.mantissa < 0n ? -this.mantissa : this.mantissa).padStart(1 - this.scale, '0');
    const fraction = digits.slice(this.scale).replace(/0+$/, '');
    return `${this.mantissa < 0n ? '-' : ''}${digits.slice(0, this.scale)}${fraction === '' ? '' : `.${fraction}`}`;
  }

  sign(): -1 | 0 | 1 {
    if (this.mantissa === 0n) return 0;
    return this.mantissa < 0n ? -1 : 1;
  }

  /** −1, 0, 1 by value. */
  compare(other: CelQuantity): -1 | 0 | 1 {
    const [a, b] = [this.sign(), other.sign()];
    if (a !== b) return a < b ? -1 : 1;
    const scale = Math.min(this.scale, other.scale);
    const [x, y] = [this.mantissaAt(scale), other.mantissaAt(scale)];
    if (x === y) return 0;
    return x < y ? -1 : 1;
  }

  /** The mantissa for a scale that is not above its own. */
  private mantissaAt(scale: number): bigint {
    return this.mantissa * 10n ** BigInt(this.scale - scale);
  }

  /** The sum is small when both are and it fits int64. */
  plus(other: CelQuantity): CelQuantity {
    const bothSmall = this.small && other.small;
    if (bothSmall && other.mantissa === 0n) return this;
    if (bothSmall && this.mantissa === 0n) return other;
    const scale = Math.min(this.scale, other.scale);
    const [x, y] = [this.mantissaAt(scale), other.mantissaAt(scale)];
    return new CelQuantity(x + y, scale, bothSmall && [x, y, x + y].every(fitsInt64));
  }

  negated(): CelQuantity {
    return new CelQuantity(-this.mantissa, this.scale, this.small);
  }

  /** The value as an int64, undefined when the reference has none: large form, a negative scale, or out of range. */
  integer(): bigint | undefined {
    if (!this.small || this.scale < 0) return undefined;
    const value = this.mantissaAt(0);
    return fitsInt64(value) ? value : undefined;
  }

  /** mantissa · 10^scale in double arithmetic, with the rounding of both steps: 0.123456789 is 0.12345678900000001. */
  approximateFloat(): number {
    const mantissa = Number(this.mantissa);
    // Number('1e-9') is the nearest double; 10 ** -9 need not be.
    return this.scale === 0 ? mantissa : mantissa * Number(`1e${this.scale}`);
  }
}

function fitsInt64(value: bigint): boolean {
  return value >= INT_MIN && value <= INT_MAX;
}

const PATTERN = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:([numkMGTPE]?)|([KMGTPE])i|[eE]([+-]?\d+))$/;
const DECIMAL_EXPONENTS: Readonly<Record<string, number>> = {
  '': 0,
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY_LETTERS = 'KMGTPE';

/** A quantity of text such as `100m`, `1.5Gi`, `12e6`; `bad_quantity` when it is none. */
export function parseQuantity(text: string): CelQuantity | CelError {
  const match = PATTERN.exec(text);
  if (match === null) return new CelError('bad_quantity', 'the string is no quantity such as 100m, 1.5Gi or 12e6');
  const [, sign, number = '', decimal = '', binary, power] = match;
  const [whole = '', fraction = ''] = number.split('.');
  // As in the reference, leading zeros do not count as digits, but there is always one before the point.
  const digits = { whole: whole.replace(/^0+/, '') || '0', fraction };
  if (digits.whole.length + fraction.length > MAX_DIGITS) {
    return new CelError('bad_quantity', `a quantity has at most ${MAX_DIGITS} digits`);
  }
  const exponent = power === undefined ? (DECIMAL_EXPONENTS[decimal] ?? 0) : Number(power);
  if (Math.abs(exponent) > MAX_EXPONENT) {
    return new CelError('bad_quantity', `the exponent of a quantity is at most ±${MAX_EXPONENT}`);
  }
  const value =
    binary === undefined
      ? decimalQuantity(digits, exponent)
      : binaryQuantity(digits, 10 * (BINARY_LETTERS.indexOf(binary) + 1));
  return sign === '-' ? value.negated() : value;
}

interface Digits {
  readonly whole: string;
  readonly fraction: string;
}

function decimalQuantity({ whole, fraction }: Digits, exponent: number): CelQuantity {
  const mantissa = BigInt(whole + fraction);
  const scale = exponent - fraction.length;
  const small = whole.length + fraction.length <= SMALL_DIGITS && scale >= FINEST_SCALE;
  return small ? new CelQuantity(mantissa, scale, true) : largeForm(mantissa, scale);
}

function binaryQuantity({ whole, fraction }: Digits, bits: number): CelQuantity {
  const mantissa = BigInt(whole + fraction) << BigInt(bits);
  // The reference's guess at the digits that are left beside those of the suffix.
  const room = 15 - whole.length - Math.floor(0.3 * bits) - 1;
  if (fraction === '' && room >= 0 && fitsInt64(mantissa)) return new CelQuantity(mantissa, 0, true);
  const large = largeForm(mantissa, -fraction.length);
  const cap = new CelQuantity(INT_MAX, 0, false);
  return large.compare(cap) > 0 ? cap : large;
}

/** A big decimal at the finest scale, rounded away from zero. Zero keeps its scale. */
function largeForm(mantissa: bigint, scale: number): CelQuantity {
  if (mantissa === 0n) return new CelQuantity(0n, 0, false);
  const shift = scale - FINEST_SCALE;
  if (shift >= 0) return new CelQuantity(mantissa * 10n ** BigInt(shift), FINEST_SCALE, false);
  const divisor = 10n ** BigInt(-shift);
  const quotient = mantissa / divisor;
  return new CelQuantity(quotient * divisor === mantissa ? quotient : quotient + 1n, FINEST_SCALE, false);
}
