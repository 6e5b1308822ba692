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

function test(name: string, holds: (ip: CelIp) => boolean): FunctionDeclaration {
  return declare(name, () => [memberForm([IP], BOOL, (_context, ip: CelIp) => holds(ip))]);
}

/** IP addresses (Kubernetes 1.30). */
export function ipLibrary(): Library {
  return {
    name: 'ip',
    types: [IP],
    functions: [
      declare('ip', () => [globalForm([STRING], IP, (_context, text: string) => parseIp(text))], parseCost),
      declare(
        'isIP',
        () => [globalForm([STRING], BOOL, (_context, text: string) => !(parseIp(text) instanceof CelError))],
        parseCost,
      ),
      declare(
        'ip.isCanonical',
        () => [globalForm([STRING], BOOL, isCanonical)],
        (_result, text) => fifthOf(text),
      ),
      declare('family', () => [memberForm([IP], INT, (_context, ip: CelIp) => (ip.bits === 32 ? 4 : 6))]),
      test('isUnspecified', (ip) => ip.isUnspecified()),
      test('isLoopback', (ip) => ip.isLoopback()),
      test('isLinkLocalMulticast', (ip) => ip.isLinkLocalMulticast()),
      test('isLinkLocalUnicast', (ip) => ip.isLinkLocalUnicast()),
      test('isGlobalUnicast', (ip) => ip.isGlobalUnicast()),
      declare('string', () => [globalForm([IP], STRING, (_context, ip: CelIp) => ip.text())]),
    ],
  };
}
