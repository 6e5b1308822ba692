/** The few pieces of ASN.1 DER (ITU-T X.690) that a certificate is made of. */

export function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content]);
  const size = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

export const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
export const set = (...parts: readonly Buffer[]): Buffer => der(0x31, ...parts);
export const octets = (content: Buffer): Buffer => der(0x04, content);
export const bits = (content: Buffer): Buffer => der(0x03, Buffer.from([0]), content);
export const text = (value: string): Buffer => der(0x0c, Buffer.from(value));
export const bool = (value: boolean): Buffer => der(0x01, Buffer.from([value ? 0xff : 0]));

/** A positive number, big-endian. */
export function integer(bytes: Buffer): Buffer {
  return der(0x02, (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

/** An object identifier such as `2.5.4.3`. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 127];
    for (let left = arc >> 7; left > 0; left >>= 7) groups.unshift((left & 127) | 128);
    bytes.push(...groups);
  }
  return der(0x06, Buffer.from(bytes));
}

/** UTCTime for the years until 2049, GeneralizedTime behind them, as RFC 5280 wants. */
export function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/[-:T]|\.\d+/g, '');
  return Number(digits.slice(0, 4)) < 2050 ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits));
}
