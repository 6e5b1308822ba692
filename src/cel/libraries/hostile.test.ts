import { describe, expect, it } from 'vitest';
import { createEnvironment, type EnvironmentVersion } from '../environment.ts';
import { CelError } from '../error.ts';

const LONG = 'a'.repeat(200_000);

function run(expression: string, obj: unknown, version: EnvironmentVersion = 'convoy'): unknown {
  const compiled = createEnvironment({ version, variables: { obj: 'dyn' } }).compile(expression);
  if (!compiled.ok) throw new Error(compiled.issues[0]?.message);
  const value = compiled.program.evaluate({ obj: obj as never });
  return value instanceof CelError ? value.code : value;
}

function nested(levels: number): unknown {
  let value: unknown = [1];
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

/** A list that stands for 2^levels elements. */
function shared(levels: number): unknown {
  let value: unknown = [1, 1];
  for (let level = 1; level < levels; level += 1) value = [value, value];
  return value;
}

describe('values nested deeper than any stack', () => {
  it.each([
    ['obj.flatten(100000)', 'nesting_too_deep'],
    ['"%s".format([obj])', 'nesting_too_deep'],
    ['obj.distinct().size()', 1],
    ['obj.indexOf([])', -1],
    ['obj.sort()', 'bad_argument'],
    ['obj.min()', 'no_such_overload'],
  ])('%s gives %s', (expression, outcome) => {
    expect(run(expression, nested(50_000))).toBe(outcome);
  });
});

describe('small values that stand for huge ones', () => {
  it.each(['obj.flatten(100)', '"%s".format([obj])', 'sets.contains(obj, obj)', 'obj.indexOf([])'])(
    '%s ends at a limit',
    (expression) => {
      expect(run(expression, shared(60))).toMatch(/^(work|cost)_limit$/);
    },
  );

  it('a replacement that multiplies its text stops before it is built', () => {
    expect(run('obj.replace("a", obj)', LONG)).toBe('work_limit');
    expect(run('obj.replace("", obj)', LONG)).toBe('work_limit');
    expect(run('regex.replace(obj, "a", obj)', LONG)).toBe('work_limit');
    expect(run('lists.range(500000).map(x, "a").join(obj)', LONG)).toMatch(/limit/);
  });
});

describe('texts made to make a parser search long', () => {
  it.each([
    ['duration(obj)', `${'1'.repeat(200_000)}x`, 'bad_conversion'],
    ['int(duration(obj)) / 3600000000000', '1h'.repeat(100_000), 100_000],
    ['double(obj)', `${'1'.repeat(200_000)}x`, 'bad_conversion'],
    ['double(obj)', `0x${'f'.repeat(200_000)}`, 'bad_conversion'],
    ['int(obj)', `${'0'.repeat(200_000)}x`, 'bad_conversion'],
    ['int(timestamp(obj))', `2009-02-13T23:31:30.${'1'.repeat(200_000)}Z`, 1_234_567_890],
    ['quantity(obj)', `${'1'.repeat(200_000)}Q`, 'bad_quantity'],
    ['semver(obj).major()', `1.2.3-${'a.'.repeat(100_000)}a`, 1],
    ['ip(obj)', '1:'.repeat(100_000), 'bad_ip'],
    ['cidr(obj)', `${':'.repeat(200_000)}/8`, 'bad_cidr'],
    ['url(obj)', `http://${'a:1'.repeat(60_000)}`, 'bad_url'],
    ['base64.decode(obj)', 'a'.repeat(200_001), 'bad_argument'],
    ['regex.replace("a", "a", obj)', '\\\\'.repeat(100_000).concat('\\x'), 'bad_argument'],
    ['obj.matches("(a+)+$")', `${LONG}b`, false],
    ['format.dns1123Subdomain().validate(obj).hasValue()', `${'a-.'.repeat(60_000)}!`, true],
    ['format.qualifiedName().validate(obj).hasValue()', `${LONG}!`, true],
    ['obj.trim()', `${' '.repeat(100_000)}a${' '.repeat(100_000)}`, 'a'],
  ])('%s ends', (expression, text, outcome) => {
    expect(run(expression, text)).toBe(outcome);
  });
});

describe('messages', () => {
  it.each([
    'int(obj)',
    'uint(obj)',
    'double(obj)',
    'bool(obj)',
    'timestamp(obj)',
    'duration(obj)',
    'timestamp(0).getHours(obj)',
    'quantity(obj)',
    'ip(obj)',
    'cidr(obj)',
    'semver(obj)',
    'semver(obj, true)',
    'url(obj)',
    'base64.decode(obj)',
    'obj.format([1])',
    '"%d".format([obj])',
    '[obj].sum()',
    'regex.replace("a", "a", obj)',
  ])('of %s do not quote the text, which may come out of a Secret', (expression) => {
    const compiled = createEnvironment({ variables: { obj: 'dyn' } }).compile(expression);
    if (!compiled.ok) throw new Error(compiled.issues[0]?.message);
    const result = compiled.program.evaluate({ obj: 'hunter2 %d %d \\hunter2' });
    expect(result).toBeInstanceOf(CelError);
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });
});

describe('the strict profile', () => {
  it('has errors where cel-go answers -1 or the offset', () => {
    for (const expression of ['"ab".indexOf("a", 3)', '"ab".lastIndexOf("a", 3)', '"ab".indexOf("", 3)']) {
      expect(run(expression, null, 'spec'), expression).toBe('index_out_of_bounds');
    }
    expect(run('"ab".indexOf("a", 3)', null)).toBe(-1);
    expect(run('"ab".indexOf("", 3)', null)).toBe(3);
    expect(run('"ab".indexOf("a", 2)', null, 'spec')).toBe(-1);
  });
});
