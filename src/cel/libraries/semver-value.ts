import { CelError } from '../error.ts';
import { opaque } from '../value/cel-type.ts';
import { CelOpaque } from '../value/cel-value.ts';
import { UINT_MAX } from '../value/number.ts';

export const SEMVER = opaque('kubernetes.Semver');

/** A version of Semantic Versioning 2.0.0. Build metadata is checked and dropped: it never takes part in anything. */
export class CelSemver extends CelOpaque {
  readonly type = SEMVER;
  /** major, minor, patch. */
  readonly numbers: readonly [bigint, bigint, bigint];
  /** Identifiers of the pre-release: numbers and texts. */
  readonly preRelease: readonly (bigint | string)[];

  constructor(numbers: readonly [bigint, bigint, bigint], preRelease: readonly (bigint | string)[]) {
    super();
    this.numbers = numbers;
    this.preRelease = preRelease;
  }

  override equals(other: CelSemver): boolean {
    return this.compare(other) === 0;
  }

  override text(): string {
    const release = this.numbers.join('.');
    return this.preRelease.length === 0 ? release : `${release}-${this.preRelease.join('.')}`;
  }

  /** −1, 0, 1 by precedence. */
  compare(other: CelSemver): -1 | 0 | 1 {
    for (const [index, number] of this.numbers.entries()) {
      const order = compareScalars(number, other.numbers[index]!);
      if (order !== 0) return order;
    }
    return comparePreRelease(this.preRelease, other.preRelease);
  }
}

function compareScalars<T extends bigint | string | number>(a: T, b: T): -1 | 0 | 1 {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A release stands above its pre-releases; numbers stand below texts; of equal beginnings the longer stands above. */
function comparePreRelease(a: readonly (bigint | string)[], b: readonly (bigint | string)[]): -1 | 0 | 1 {
  if (a.length === 0 || b.length === 0) return compareScalars(Number(a.length === 0), Number(b.length === 0));
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const order = compareIdentifiers(a[index]!, b[index]!);
    if (order !== 0) return order;
  }
  return compareScalars(a.length, b.length);
}

function compareIdentifiers(a: bigint | string, b: bigint | string): -1 | 0 | 1 {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? compareScalars(a, b) : -1;
  return typeof b === 'bigint' ? 1 : compareScalars(a, b);
}

const NUMBER = /^(?:0|[1-9]\d{0,19})$/;
const SEMVER_TEXT = /^([^.]*)\.([^.]*)\.([^-+]*)(?:-([^+]*))?(?:\+(.*))?$/s;
const IDENTIFIER = /^[0-9A-Za-z-]+$/;

function bad(): CelError {
  return new CelError('bad_semver', 'the string is no semantic version such as 1.2.3-rc.1');
}

/** A number without leading zeros within 64 bits. */
function parseNumber(text: string): bigint | undefined {
  if (!NUMBER.test(text)) return undefined;
  const value = BigInt(text);
  return value <= UINT_MAX ? value : undefined;
}

function parseIdentifier(text: string): bigint | string | undefined {
  if (/^\d+$/.test(text)) return parseNumber(text);
  return IDENTIFIER.test(text) ? text : undefined;
}

/** A version of text, strictly by Semantic Versioning 2.0.0 with numbers up to 2⁶⁴−1; `bad_semver` for others. */
export function parseSemver(text: string): CelSemver | CelError {
  const match = SEMVER_TEXT.exec(text);
  if (match === null) return bad();
  const [, majorText = '', minorText = '', patchText = '', pre, build] = match;
  const [major, minor, patch] = [parseNumber(majorText), parseNumber(minorText), parseNumber(patchText)];
  if (major === undefined || minor === undefined || patch === undefined) return bad();
  const preRelease: (bigint | string)[] = [];
  for (const part of pre?.split('.') ?? []) {
    const identifier = parseIdentifier(part);
    if (identifier === undefined) return bad();
    preRelease.push(identifier);
  }
  if (build?.split('.').some((part) => !IDENTIFIER.test(part))) return bad();
  return new CelSemver([major, minor, patch], preRelease);
}

/**
 * As `parseSemver`, after one leading `v` is dropped, missing minor and patch are filled with 0 (not when there is a
 * pre-release or build) and leading zeros are stripped.
 */
export function parseSemverNormalized(text: string): CelSemver | CelError {
  const bare = text.startsWith('v') ? text.slice(1) : text;
  const [major = '', minor, ...rest] = bare.split('.');
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length === 0 ? [] : [rest.join('.')])].map(
    (part) => (part.length > 1 ? part.replace(/^0+(?=\d)/, '') : part),
  );
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) {
    return new CelError('bad_semver', 'a short version has no pre-release or build metadata');
  }
  while (parts.length < 3) parts.push('0');
  const normalized = parseSemver(parts.join('.'));
  return normalized instanceof CelError ? bad() : normalized;
}
