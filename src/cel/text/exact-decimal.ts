/** A finite double taken apart: its magnitude is `mantissa`·2^`exponent`, exactly. */
function binaryParts(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0);
  const biased = Number(bits >> 52n);
  const fraction = bits & 0xfffffffffffffn;
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | 0x10000000000000n, exponent: biased - 1075 };
}

/** numerator ÷ denominator, rounded half to even. Both are ≥ 0. */
function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = (numerator - quotient * denominator) * 2n;
  if (twice > denominator || (twice === denominator && (quotient & 1n) === 1n)) return quotient + 1n;
  return quotient;
}

/** |value|·10^power as an exact fraction of integers. */
function fraction(value: number, power: number): { readonly numerator: bigint; readonly denominator: bigint } {
  const { mantissa, exponent } = binaryParts(value);
  const two = 1n << BigInt(Math.abs(exponent));
  const ten = 10n ** BigInt(Math.abs(power));
  return {
    numerator: mantissa * (exponent >= 0 ? two : 1n) * (power >= 0 ? ten : 1n),
    denominator: (exponent < 0 ? two : 1n) * (power < 0 ? ten : 1n),
  };
}

/** |value|·10^power as an integer, rounded half to even from the exact binary value. */
function scaled(value: number, power: number): bigint {
  const { numerator, denominator } = fraction(value, power);
  return divideHalfEven(numerator, denominator);
}

/** The decimal exponent of the exact value; the shortest text may round up to a power of ten that the value misses. */
function decimalExponent(value: number): number {
  const guess = Number(value.toExponential().split('e')[1]);
  const { numerator, denominator } = fraction(value, -guess);
  return numerator >= denominator ? guess : guess - 1;
}

function sign(value: number): string {
  return value < 0 || Object.is(value, -0) ? '-' : '';
}

/** `%.Nf` of a finite double: its exact decimal expansion, rounded half to even, never with an exponent. */
export function fixedDecimal(value: number, fractionDigits: number): string {
  const digits = scaled(value, fractionDigits)
    .toString()
    .padStart(fractionDigits + 1, '0');
  const point = digits.length - fractionDigits;
  return `${sign(value)}${digits.slice(0, point)}${fractionDigits === 0 ? '' : `.${digits.slice(point)}`}`;
}

/** `%.Nf` of an int or uint. */
export function fixedInteger(value: bigint, fractionDigits: number): string {
  return fractionDigits === 0 ? value.toString() : `${value}.${'0'.repeat(fractionDigits)}`;
}

/** Mantissa (one digit, a point if digits follow, digits) and decimal exponent of `%.Ne` of a finite double. */
export function scientificDecimal(
  value: number,
  fractionDigits: number,
): { readonly mantissa: string; readonly exponent: number } {
  if (value === 0) return { mantissa: `${sign(value)}${withPoint('0'.repeat(fractionDigits + 1))}`, exponent: 0 };
  const exponent = decimalExponent(value);
  const digits = scaled(value, fractionDigits - exponent).toString();
  if (digits.length === fractionDigits + 1) return { mantissa: sign(value) + withPoint(digits), exponent };
  return { mantissa: sign(value) + withPoint(digits.slice(0, -1)), exponent: exponent + 1 };
}

function withPoint(digits: string): string {
  return digits.length === 1 ? digits : `${digits.charAt(0)}.${digits.slice(1)}`;
}
