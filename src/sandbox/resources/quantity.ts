/** Suffixes of resource.Quantity and what they multiply with. */
const DECIMAL: readonly string[] = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const WRITTEN = /^([+-]?)(\d+|\d+\.\d*|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d+)?$/;
const NANO = 1_000_000_000n;
/** Where the decimal suffix of whole numbers stands. */
const PLAIN = DECIMAL.indexOf('');
/** Binary quantities end at the largest 64-bit number. */
const LARGEST = (2n ** 63n - 1n) * NANO;

/** Billionths, rounded up away from zero as Quantity does. */
function billionths(digits: string, numerator: bigint, denominator: bigint): bigint {
  const [whole = '', fraction = ''] = digits.split('.');
  const scale = 10n ** BigInt(fraction.length);
  const product = BigInt(`${whole}${fraction}` || '0') * numerator * NANO;
  const divisor = scale * denominator;
  return (product + divisor - 1n) / divisor;
}

function decimalText(amount: bigint): string {
  let rest = amount;
  let place = 0;
  while (rest !== 0n && place < DECIMAL.length - 1 && rest % 1000n === 0n) {
    rest /= 1000n;
    place += 1;
  }
  return rest === 0n ? '0' : `${rest}${DECIMAL[place]}`;
}

function exponentText(amount: bigint): string {
  let rest = amount;
  let exponent = -9;
  while (rest !== 0n && rest % 1000n === 0n) {
    rest /= 1000n;
    exponent += 3;
  }
  return rest === 0n ? '0' : exponent === 0 ? `${rest}` : `${rest}e${exponent}`;
}

function binaryText(amount: bigint): string {
  let rest = amount / NANO;
  // What is smaller than a kibibyte, or no whole number, is written in decimals.
  if (rest < 1024n || amount % NANO !== 0n) return decimalText(amount);
  let place = 0;
  while (place < BINARY.length - 1 && rest % 1024n === 0n) {
    rest /= 1024n;
    place += 1;
  }
  return `${rest}${BINARY[place]}`;
}

/** Digits up to which Quantity computes in 64 bits, and keeps a spelling that looks canonical to it. */
const SHORT = 18;

/** Whether ParseQuantity keeps a decimal quantity as it is spelled. */
function isKept(digits: string, power: number): boolean {
  const [whole = '', fraction = ''] = digits.split('.');
  const shifted = `${whole.replace(/^0+/, '') || '0'}${fraction}`;
  const scale = power - fraction.length;
  if (shifted.length > SHORT || scale < -9 || scale % 3 !== 0) return false;
  return !shifted.endsWith('000') && !shifted.startsWith('0');
}

/** A quantity as the API server writes it (`1000m` is `1`, `0.5` is `500m`, `1024Mi` is `1Gi`); undefined for what is none. */
export function canonicalQuantity(text: string): string | undefined {
  const given = text.trim();
  const [, sign = '', digits = '', suffix = ''] = WRITTEN.exec(given) ?? [];
  if (digits === '') return undefined;
  const minus = sign === '-' ? '-' : '';
  const signed = (written: string): string => (written === '0' ? written : minus + written);
  const binary = BINARY.indexOf(suffix);
  if (binary > 0) {
    const amount = billionths(digits, 1024n ** BigInt(binary), 1n);
    return signed(binaryText(amount > LARGEST ? LARGEST : amount));
  }
  const exponent = /^[eE]([+-]?\d+)$/.exec(suffix)?.[1];
  const power = exponent === undefined ? (DECIMAL.indexOf(suffix) - PLAIN) * 3 : Number(exponent);
  if (isKept(digits, power)) return given;
  // Far beyond what any resource has; no number to compute with.
  if (Math.abs(power) > 60) return undefined;
  const factor = 10n ** BigInt(Math.abs(power));
  const amount = power < 0 ? billionths(digits, 1n, factor) : billionths(digits, factor, 1n);
  return signed(exponent === undefined ? decimalText(amount) : exponentText(amount));
}
