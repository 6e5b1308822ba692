import { CelError } from '../error.ts';
import { opaque } from '../value/cel-type.ts';
import { CelOpaque } from '../value/cel-value.ts';

export const IP = opaque('net.IP');

/** An IPv4 or IPv6 address as a number of 32 or 128 bits. */
export class CelIp extends CelOpaque {
  readonly type = IP;
  readonly bits: 32 | 128;
  readonly address: bigint;

  constructor(bits: 32 | 128, address: bigint) {
    super();
    this.bits = bits;
    this.address = address;
  }

  override equals(other: CelIp): boolean {
    return this.bits === other.bits && this.address === other.address;
  }

  override costSize(): number {
    return this.bits / 8;
  }

  /** Canonical text: dotted decimal, or RFC 5952. */
  override text(): string {
    return this.bits === 32 ? textOfV4(this.address) : textOfV6(this.address);
  }

  /** The first `count` bits, as a number. */
  leading(count: number): bigint {
    return this.address >> BigInt(this.bits - count);
  }

  isUnspecified(): boolean {
    return this.address === 0n;
  }

  /** 127.0.0.0/8 and ::1. */
  isLoopback(): boolean {
    return this.bits === 32 ? this.leading(8) === 127n : this.address === 1n;
  }

  /** 224.0.0.0/4 and ff00::/8. */
  isMulticast(): boolean {
    return this.bits === 32 ? this.leading(4) === 0xen : this.leading(8) === 0xffn;
  }

  /** 224.0.0.0/24 and ffx2::/16 whatever the flags x. */
  isLinkLocalMulticast(): boolean {
    return this.bits === 32 ? this.leading(24) === 0xe00000n : (this.leading(16) & 0xff0fn) === 0xff02n;
  }

  /** 169.254.0.0/16 and fe80::/10. */
  isLinkLocalUnicast(): boolean {
    return this.bits === 32 ? this.leading(16) === 0xa9fen : this.leading(10) === 0x3fan;
  }

  /** None of the special ones above and not the IPv4 broadcast address; private ranges are global. */
  isGlobalUnicast(): boolean {
    if (this.bits === 32 && this.address === 0xffffffffn) return false;
    return !(this.isUnspecified() || this.isLoopback() || this.isMulticast() || this.isLinkLocalUnicast());
  }
}

/** An address of text: IPv4 without leading zeros, IPv6; no zone, no IPv4-mapped IPv6. `bad_ip` for others. */
export function parseIp(text: string): CelIp | CelError {
  const v4 = parseV4(text);
  if (v4 !== undefined) return new CelIp(32, v4);
  const v6 = parseV6(text);
  if (v6 === undefined) return new CelError('bad_ip', 'the string is no IPv4 or IPv6 address');
  if (v6 >> 32n === 0xffffn) {
    return new CelError('bad_ip', 'an IPv4-mapped IPv6 address is not allowed');
  }
  return new CelIp(128, v6);
}

/** Whether a text is an IPv6 address of any kind, IPv4-mapped ones among them. */
export function isIpV6Text(text: string): boolean {
  return parseV6(text) !== undefined;
}

const V4 = /^(?:(?:0|[1-9]\d{0,2})(?:\.(?!$)|$)){4}$/;

function parseV4(text: string): bigint | undefined {
  if (text.length > 15 || !V4.test(text)) return undefined;
  let address = 0n;
  for (const part of text.split('.')) {
    if (Number(part) > 255) return undefined;
    address = (address << 8n) | BigInt(part);
  }
  return address;
}

function parseV6(text: string): bigint | undefined {
  const [before = '', after, ...more] = text.split('::');
  if (more.length > 0) return undefined;
  const head = groupsOf(before, after === undefined);
  const tail = after === undefined ? [] : groupsOf(after, true);
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  // A :: stands for at least one group.
  if (after === undefined ? missing !== 0 : missing < 1) return undefined;
  return [...head, ...new Array<bigint>(missing).fill(0n), ...tail].reduce((sum, group) => (sum << 16n) | group, 0n);
}

/** The 16-bit groups of one side of `::`; its last may be an IPv4 address, which makes two, where the text ends. */
function groupsOf(side: string, endsText: boolean): bigint[] | undefined {
  if (side === '') return [];
  const groups: bigint[] = [];
  const parts = side.split(':');
  for (const [index, part] of parts.entries()) {
    if (/^[\da-fA-F]{1,4}$/.test(part)) groups.push(BigInt(`0x${part}`));
    else {
      const v4 = endsText && index === parts.length - 1 ? parseV4(part) : undefined;
      if (v4 === undefined) return undefined;
      groups.push(v4 >> 16n, v4 & 0xffffn);
    }
  }
  return groups;
}

function textOfV4(address: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((address >> shift) & 0xffn)).join('.');
}

/** Lower case, and the first of the longest runs of two or more zero groups as `::`. */
function textOfV6(address: bigint): string {
  const groups = Array.from({ length: 8 }, (_group, index) =>
    ((address >> BigInt(16 * (7 - index))) & 0xffffn).toString(16),
  );
  let [start, length] = [0, 0];
  for (let from = 0; from < 8; from += 1) {
    let to = from;
    while (to < 8 && groups[to] === '0') to += 1;
    if (to - from > length) [start, length] = [from, to - from];
  }
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
}
