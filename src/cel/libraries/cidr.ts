import { costSize, fifth, tenth, tenthOf } from '../cost-sizes.ts';
import type { CallContext, CostRule, Library } from '../declarations.ts';
import { CelError } from '../error.ts';
import { BOOL, INT, opaque, STRING } from '../value/cel-type.ts';
import { CelOpaque } from '../value/cel-value.ts';
import { declare, globalForm, memberForm } from './declare.ts';
import { CelIp, IP, parseIp } from './ip-value.ts';

export const CIDR = opaque('net.CIDR');

/** A network: an address, host bits and all, and the length of its prefix. */
export class CelCidr extends CelOpaque {
  readonly type = CIDR;
  readonly ip: CelIp;
  readonly prefixLength: number;

  constructor(ip: CelIp, prefixLength: number) {
    super();
    this.ip = ip;
    this.prefixLength = prefixLength;
  }

  override equals(other: CelCidr): boolean {
    return this.prefixLength === other.prefixLength && this.ip.equals(other.ip);
  }

  /** Bytes of the prefix. */
  override costSize(): number {
    return Math.ceil(this.prefixLength / 8);
  }

  override text(): string {
    return `${this.ip.text()}/${this.prefixLength}`;
  }

  masked(): CelCidr {
    const host = BigInt(this.ip.bits - this.prefixLength);
    return new CelCidr(new CelIp(this.ip.bits, (this.ip.address >> host) << host), this.prefixLength);
  }

  containsIp(ip: CelIp): boolean {
    return ip.bits === this.ip.bits && ip.leading(this.prefixLength) === this.ip.leading(this.prefixLength);
  }

  /** The other lies inside when its prefix is as long or longer and begins with this one. */
  containsCidr(other: CelCidr): boolean {
    return this.prefixLength <= other.prefixLength && this.containsIp(other.ip);
  }
}

/** A network of text, `10.0.0.0/8`: host bits are kept, the length has no leading zero. `bad_cidr` for others. */
export function parseCidr(text: string): CelCidr | CelError {
  const match = /^([^/]*)\/(0|[1-9]\d{0,2})$/.exec(text);
  const ip = match === null ? undefined : parseIp(match[1] ?? '');
  const length = Number(match?.[2]);
  if (ip === undefined || ip instanceof CelError || length > ip.bits) {
    return new CelError('bad_cidr', 'the string is no network such as 10.0.0.0/8');
  }
  return new CelCidr(ip, length);
}

function containsIpText(_context: CallContext, network: CelCidr, text: string): boolean | CelError {
  const ip = parseIp(text);
  return ip instanceof CelError ? ip : network.containsIp(ip);
}

function containsCidrText(_context: CallContext, network: CelCidr, text: string): boolean | CelError {
  const other = parseCidr(text);
  return other instanceof CelError ? other : network.containsCidr(other);
}

const parseCost: CostRule = (_result, text) => tenthOf(text);
const containsIpCost: CostRule = (_result, network) => fifth(costSize(network));
const containsCidrCost: CostRule = (_result, network) => fifth(costSize(network)) + tenth(costSize(network)) + 1;
/** The rules by name, and the price of parsing where the checker knows that the argument is text. */
const withParsing =
  (rule: CostRule): CostRule =>
  (result, network, text, c) =>
    rule(result, network, text, c) + tenthOf(text);

/** Networks (Kubernetes 1.30). */
export function cidrLibrary(): Library {
  return {
    name: 'cidr',
    types: [CIDR],
    functions: [
      declare('cidr', () => [globalForm([STRING], CIDR, (_context, text: string) => parseCidr(text))], parseCost),
      declare(
        'isCIDR',
        () => [globalForm([STRING], BOOL, (_context, text: string) => parseCidr(text) instanceof CelCidr)],
        parseCost,
      ),
      declare(
        'containsIP',
        () => [
          memberForm([CIDR, STRING], BOOL, containsIpText, withParsing(containsIpCost)),
          memberForm([CIDR, IP], BOOL, (_context, network: CelCidr, ip: CelIp) => network.containsIp(ip)),
        ],
        containsIpCost,
      ),
      declare(
        'containsCIDR',
        () => [
          memberForm([CIDR, STRING], BOOL, containsCidrText, withParsing(containsCidrCost)),
          memberForm([CIDR, CIDR], BOOL, (_context, network: CelCidr, other: CelCidr) => network.containsCidr(other)),
        ],
        containsCidrCost,
      ),
      // By name this is charged as the parsing function `ip(text)`, unless the checker knows that a network is asked.
      declare(
        'ip',
        () => [
          memberForm(
            [CIDR],
            IP,
            (_context, network: CelCidr) => network.ip,
            () => 1,
          ),
        ],
        parseCost,
      ),
      declare('prefixLength', () => [memberForm([CIDR], INT, (_context, network: CelCidr) => network.prefixLength)]),
      declare('masked', () => [memberForm([CIDR], CIDR, (_context, network: CelCidr) => network.masked())]),
      declare('string', () => [globalForm([CIDR], STRING, (_context, network: CelCidr) => network.text())]),
    ],
  };
}
