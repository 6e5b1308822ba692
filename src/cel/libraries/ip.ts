import { fifthOf, tenthOf } from '../cost-sizes.ts';
import type { CallContext, CostRule, FunctionDeclaration, Library } from '../declarations.ts';
import { CelError } from '../error.ts';
import { BOOL, INT, STRING } from '../value/cel-type.ts';
import { declare, globalForm, memberForm } from './declare.ts';
import { type CelIp, IP, parseIp } from './ip-value.ts';

const parseCost: CostRule = (_result, text) => tenthOf(text);

function isCanonical(_context: CallContext, text: string): boolean | CelError {
  const ip = parseIp(text);
  return ip instanceof CelError ? ip : ip.text() === text;
}

function test(name: string, id: string, doc: string, holds: (ip: CelIp) => boolean): FunctionDeclaration {
  return declare(name, doc, [memberForm(id, [IP], BOOL, (_context, ip: CelIp) => holds(ip))]);
}

/** IP addresses (Kubernetes 1.30). */
export function ipLibrary(): Library {
  return {
    name: 'ip',
    types: [IP],
    functions: [
      declare(
        'ip',
        'The IP address of a text.',
        [globalForm('string_to_ip', [STRING], IP, (_context, text: string) => parseIp(text))],
        parseCost,
      ),
      declare(
        'isIP',
        'Whether a text is an IP address.',
        [globalForm('is_ip', [STRING], BOOL, (_context, text: string) => !(parseIp(text) instanceof CelError))],
        parseCost,
      ),
      declare(
        'ip.isCanonical',
        'Whether a text is an IP address in its canonical form; an error when it is none.',
        [globalForm('ip_is_canonical', [STRING], BOOL, isCanonical)],
        (_result, text) => fifthOf(text),
      ),
      declare('family', '4 or 6.', [
        memberForm('ip_family', [IP], INT, (_context, ip: CelIp) => (ip.bits === 32 ? 4 : 6)),
      ]),
      test('isUnspecified', 'ip_is_unspecified', 'Whether an address is 0.0.0.0 or ::.', (ip) => ip.isUnspecified()),
      test('isLoopback', 'ip_is_loopback', 'Whether an address is in 127.0.0.0/8 or ::1.', (ip) => ip.isLoopback()),
      test(
        'isLinkLocalMulticast',
        'ip_is_link_local_multicast',
        'Whether an address is in 224.0.0.0/24 or ff02::/16.',
        (ip) => ip.isLinkLocalMulticast(),
      ),
      test(
        'isLinkLocalUnicast',
        'ip_is_link_local_unicast',
        'Whether an address is in 169.254.0.0/16 or fe80::/10.',
        (ip) => ip.isLinkLocalUnicast(),
      ),
      test(
        'isGlobalUnicast',
        'ip_is_global_unicast',
        'Whether an address is a unicast one beyond its link, private ones included.',
        (ip) => ip.isGlobalUnicast(),
      ),
      declare('string', 'Converts to string.', [
        globalForm('ip_to_string', [IP], STRING, (_context, ip: CelIp) => ip.text()),
      ]),
    ],
  };
}
