import { tenthOf } from '../cost-sizes.ts';
import type { CallContext, CostRule, FunctionDeclaration, Library } from '../declarations.ts';
import type { CelError } from '../error.ts';
import { BOOL, INT, STRING } from '../value/cel-type.ts';
import { intFromBigInt } from '../value/number.ts';
import { declare, globalForm, memberForm } from './declare.ts';
import { CelSemver, parseSemver, parseSemverNormalized, SEMVER } from './semver-value.ts';

const parseCost: CostRule = (_result, text) => tenthOf(text);

function parse(context: CallContext, text: string, normalize = false): CelSemver | CelError {
  context.work(text.length);
  return normalize ? parseSemverNormalized(text) : parseSemver(text);
}

function isSemver(context: CallContext, text: string, normalize = false): boolean {
  return parse(context, text, normalize) instanceof CelSemver;
}

/** Numbers beyond int64 turn negative, as the reference's conversion from uint64 does. */
function component(name: string, index: 0 | 1 | 2): FunctionDeclaration {
  return declare(name, () => [
    memberForm([SEMVER], INT, (_context, version: CelSemver) =>
      intFromBigInt(BigInt.asIntN(64, version.numbers[index])),
    ),
  ]);
}

/** Semantic versions (Kubernetes 1.33): version 1 adds the normalising forms. */
export function semverLibrary(version = 1): Library {
  const normalizing = version >= 1;
  return {
    name: 'semver',
    types: [SEMVER],
    functions: [
      declare(
        'semver',
        () => [
          globalForm([STRING], SEMVER, parse),
          ...(normalizing ? [globalForm([STRING, BOOL], SEMVER, parse)] : []),
        ],
        parseCost,
      ),
      declare(
        'isSemver',
        () => [
          globalForm([STRING], BOOL, isSemver),
          ...(normalizing ? [globalForm([STRING, BOOL], BOOL, isSemver)] : []),
        ],
        parseCost,
      ),
      declare('isGreaterThan', () => [
        memberForm([SEMVER, SEMVER], BOOL, (_context, a: CelSemver, b: CelSemver) => a.compare(b) > 0),
      ]),
      declare('isLessThan', () => [
        memberForm([SEMVER, SEMVER], BOOL, (_context, a: CelSemver, b: CelSemver) => a.compare(b) < 0),
      ]),
      declare('compareTo', () => [
        memberForm([SEMVER, SEMVER], INT, (_context, a: CelSemver, b: CelSemver) => a.compare(b)),
      ]),
      component('major', 0),
      component('minor', 1),
      component('patch', 2),
    ],
  };
}
