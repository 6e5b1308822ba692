import { describe, expect, it } from 'vitest';
import { createEnvironment, type EnvironmentVersion } from '../environment.ts';
import { librariesOf } from './version-sets.ts';

const MINORS = [26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36] as const;

/** A call of every function and macro form, under the first minor version of Kubernetes 1 that compiles it. */
const SINCE: Readonly<Record<number | 'never', readonly string[]>> = {
  26: [
    'size("a")',
    '"a".size()',
    'type(1)',
    'dyn(1)',
    'int("1")',
    'uint("1")',
    'double("1")',
    'bool("true")',
    'string(1)',
    'bytes("a")',
    'timestamp("2009-02-13T23:31:30Z")',
    'duration("1s")',
    '"a".contains("a")',
    '"a".startsWith("a")',
    '"a".endsWith("a")',
    '"a".matches("a")',
    'matches("a", "a")',
    'timestamp(0).getFullYear()',
    'timestamp(0).getMonth()',
    'timestamp(0).getDayOfYear()',
    'timestamp(0).getDayOfMonth()',
    'timestamp(0).getDate()',
    'timestamp(0).getDayOfWeek()',
    'timestamp(0).getHours("UTC")',
    'duration("1s").getHours()',
    'duration("1s").getMinutes()',
    'duration("1s").getSeconds()',
    'duration("1s").getMilliseconds()',
    'has(obj.a)',
    '[1].all(x, x > 0)',
    '[1].exists(x, x > 0)',
    '[1].exists_one(x, x > 0)',
    '[1].map(x, x)',
    '[1].map(x, x > 0, x)',
    '[1].filter(x, x > 0)',
    '"a".charAt(0)',
    '"a".indexOf("a")',
    '"a".lastIndexOf("a")',
    '"a".lowerAscii()',
    '"a".upperAscii()',
    '"a".replace("a", "b")',
    '"a".split("a")',
    '"a".substring(0)',
    '"a".trim()',
    '["a"].join()',
    '["a"].join(",")',
    '"a".find("a")',
    '"a".findAll("a")',
    '"a".findAll("a", 1)',
    '[1].isSorted()',
    '[1].sum()',
    '[1].min()',
    '[1].max()',
    '[1].indexOf(1)',
    '[1].lastIndexOf(1)',
    'url("/a")',
    'isURL("/a")',
    'url("/a").getScheme()',
    'url("/a").getHost()',
    'url("/a").getHostname()',
    'url("/a").getPort()',
    'url("/a").getEscapedPath()',
    'url("/a").getQuery()',
  ],
  28: [
    'optional.none()',
    'optional.of(1)',
    'optional.ofNonZeroValue(1)',
    'optional.of(1).hasValue()',
    'optional.of(1).value()',
    'optional.of(1).or(optional.of(2))',
    'optional.of(1).orValue(2)',
    'optional.of(1).optMap(x, x)',
    'optional.of(1).optFlatMap(x, optional.of(x))',
    'optional.unwrap([optional.of(1)])',
    '[optional.of(1)].unwrapOpt()',
    '[1].first()',
    '[1].last()',
    'obj.?a',
    'obj[?"a"]',
    '1 < 1.5',
    'quantity("1")',
    'isQuantity("1")',
    'sign(quantity("1"))',
    'quantity("1").isInteger()',
    'quantity("1").asInteger()',
    'quantity("1").asApproximateFloat()',
    'quantity("1").add(1)',
    'quantity("1").sub(quantity("1"))',
    'quantity("1").compareTo(quantity("1"))',
    'quantity("1").isLessThan(quantity("1"))',
    'quantity("1").isGreaterThan(quantity("1"))',
  ],
  29: [
    '"%d".format([1])',
    'strings.quote("a")',
    'sets.contains([1], [1])',
    'sets.equivalent([1], [1])',
    'sets.intersects([1], [1])',
  ],
  30: [
    'ip("1.2.3.4")',
    'isIP("1.2.3.4")',
    'ip.isCanonical("1.2.3.4")',
    'ip("1.2.3.4").family()',
    'ip("1.2.3.4").isUnspecified()',
    'ip("1.2.3.4").isLoopback()',
    'ip("1.2.3.4").isLinkLocalMulticast()',
    'ip("1.2.3.4").isLinkLocalUnicast()',
    'ip("1.2.3.4").isGlobalUnicast()',
    'string(ip("1.2.3.4"))',
    'cidr("::/0")',
    'isCIDR("::/0")',
    'cidr("::/0").containsIP("::1")',
    'cidr("::/0").containsCIDR("::/0")',
    'cidr("::/0").ip()',
    'cidr("::/0").masked()',
    'cidr("::/0").prefixLength()',
    'string(cidr("::/0"))',
  ],
  31: ['format.named("uri")', 'format.uri()', 'format.dns1123Label().validate("a")'],
  32: [
    '[1].all(i, v, v > i)',
    '[1].exists(i, v, v > i)',
    '[1].exists_one(i, v, v > i)',
    '[1].existsOne(i, v, v > i)',
    '[1].transformList(i, v, v)',
    '[1].transformMap(i, v, v)',
    '[1].transformMapEntry(i, v, {v: i})',
  ],
  33: [
    'semver("1.2.3")',
    'semver("v1", true)',
    'isSemver("1.2.3")',
    'isSemver("v1", true)',
    'semver("1.2.3").major()',
    'semver("1.2.3").minor()',
    'semver("1.2.3").patch()',
    'semver("1.2.3").compareTo(semver("1.2.3"))',
    'semver("1.2.3").isLessThan(semver("1.2.3"))',
    'semver("1.2.3").isGreaterThan(semver("1.2.3"))',
  ],
  34: [
    '[1].slice(0, 1)',
    '[[1]].flatten()',
    '[[1]].flatten(1)',
    '[1].sort()',
    '[1].sortBy(x, x)',
    'lists.range(1)',
    '[1].reverse()',
    '[1].distinct()',
  ],
  never: [
    '"a".reverse()',
    '[1].existsOne(x, x > 0)',
    'cel.bind(x, 1, x)',
    'math.least(1)',
    'math.greatest(1, 2)',
    'math.ceil(1.5)',
    'math.floor(1.5)',
    'math.round(1.5)',
    'math.trunc(1.5)',
    'math.isNaN(1.5)',
    'math.isInf(1.5)',
    'math.isFinite(1.5)',
    'math.abs(1)',
    'math.sign(1)',
    'math.bitAnd(1, 1)',
    'math.bitOr(1, 1)',
    'math.bitXor(1, 1)',
    'math.bitNot(1)',
    'math.bitShiftLeft(1, 1)',
    'math.bitShiftRight(1, 1)',
    'math.sqrt(1)',
    'base64.encode(b"a")',
    'base64.decode("aGk=")',
    'regex.extract("a", "a")',
    'regex.extractAll("a", "a")',
    'regex.replace("a", "a", "b")',
    'jsonpatch.escapeKey("a")',
    'quantity("1").sign()',
    'obj.`a`',
    '[1, "a"]',
  ],
};

function compiles(version: EnvironmentVersion, expression: string, libraries: readonly string[] = []): boolean {
  return createEnvironment({ version, variables: { obj: 'dyn' }, libraries }).compile(expression).ok;
}

describe('the version that brought a function', () => {
  const rows = Object.entries(SINCE).flatMap(([since, expressions]) =>
    expressions.map((expression) => ({ since, expression })),
  );
  const environments = MINORS.map((minor) => ({
    minor,
    environment: createEnvironment({ version: `1.${minor}`, variables: { obj: 'dyn' } }),
  }));

  it.each(rows)('$expression: $since', ({ since, expression }) => {
    const first = since === 'never' ? Number.POSITIVE_INFINITY : Number(since);
    const compiled = environments.map(({ minor, environment }) => [minor, environment.compile(expression).ok]);
    expect(compiled).toEqual(MINORS.map((minor) => [minor, minor >= first]));
  });

  it('is of no concern to the default environment, which has all', () => {
    const environment = createEnvironment({ variables: { obj: 'dyn' } });
    expect(rows.filter(({ expression }) => !environment.compile(expression).ok)).toEqual([]);
  });
});

describe('profiles', () => {
  it('cel-go: standard, optional and strings of version 4, nothing of Kubernetes', () => {
    for (const expression of ['optional.of(1)', '"a".reverse()', '"%d".format([1.0])', '[1, "a"]']) {
      expect(compiles('cel-go', expression), expression).toBe(true);
    }
    for (const expression of ['[1].sum()', 'quantity("1")', '"a".find("a")', 'math.least(1)', 'obj.`a`', '1 < 1.5']) {
      expect(compiles('cel-go', expression), expression).toBe(false);
    }
  });

  it('spec: everything, cel.block too', () => {
    expect(compiles('spec', 'cel.block([1], cel.index(0))')).toBe(true);
    expect(compiles('convoy', 'cel.block([1], cel.index(0))')).toBe(false);
  });

  it('Kubernetes refuses mixed literals and patterns that are none; other bad constants only from 1.29 on', () => {
    for (const source of ['"a".matches("(")', '"a".find("(")', '"a".findAll("(", 1)', 'true || "a".find("(") == ""']) {
      expect([compiles('1.26', source), compiles('1.36', source), compiles('convoy', source)]).toEqual([
        false,
        false,
        false,
      ]);
    }
    expect([compiles('1.36', '"a".find("a" + "(")'), compiles('cel-go', '"a".matches("(")')]).toEqual([true, true]);

    expect(librariesOf('1.28', []).flags).toEqual({
      homogeneousLiterals: true,
      validateLiterals: false,
      validatePatterns: true,
      quotedFields: false,
      comprehensionNesting: Number.POSITIVE_INFINITY,
      crossTypeOrder: true,
    });
    expect(librariesOf('1.29', []).flags.validateLiterals).toBe(true);
    expect(librariesOf('1.27', []).flags.crossTypeOrder).toBe(false);
    expect(librariesOf('convoy', []).flags).toMatchObject({ homogeneousLiterals: false, comprehensionNesting: 8 });
  });
});

describe('adjustments of a set', () => {
  it('add, remove and pin libraries', () => {
    expect(compiles('1.36', 'math.abs(1)', ['+math'])).toBe(true);
    expect(compiles('1.36', 'math.abs(1)', ['math@0'])).toBe(false);
    expect(compiles('1.36', 'math.least(1)', ['+math@0'])).toBe(true);
    expect(compiles('convoy', 'regex.extract("a", "a")', ['-regex'])).toBe(false);
    expect(compiles('convoy', '"a".find("a")', ['-kubernetes.regex'])).toBe(false);
    expect(compiles('convoy', '"a".reverse()', ['strings@2'])).toBe(false);
    expect(compiles('convoy', '"%s".format(["a"])', ['strings@0'])).toBe(false);
    expect(compiles('1.36', '[1].sort()', ['lists@1'])).toBe(false);
    expect(compiles('1.36', '[[1]].flatten()', ['lists@0'])).toBe(false);
    expect(compiles('1.36', 'semver("v1", true)', ['semver@0'])).toBe(false);
    expect(compiles('convoy', 'cel.block([1], cel.index(0))', ['+block'])).toBe(true);
  });

  it('change the price of lists below version 3 to one unit', () => {
    for (const [libraries, cost] of [
      [[], 14],
      [['lists@2'], 1],
    ] as const) {
      const compiled = createEnvironment({ version: '1.36', libraries }).compile('lists.range(3)');
      if (!compiled.ok) throw new Error(compiled.issues[0]?.message);
      compiled.program.evaluate({});
      expect(compiled.program.lastCost).toBe(cost);
    }
  });

  it.each(['+nothing', 'math@9', 'sets@1', '', '+', 'Math', '-constructor'])(
    '%j is refused with the names that exist',
    (adjustment) => {
      expect(() => librariesOf('convoy', [adjustment])).toThrow(/CEL library/);
    },
  );
});

describe('a version that does not exist', () => {
  it.each(['1.22', '1.37', '1', '2.0', 'latest', '1.36.1', '1.x', ''])(
    '%j is refused with those that do',
    (version) => {
      expect(() => librariesOf(version, [])).toThrow(/unknown CEL version .* convoy, cel-go, spec, 1\.23 … 1\.36/);
    },
  );
});

describe('the reference costs option', () => {
  it.each([
    ['base64.encode(b"abcdefghijk")', 2, 1],
    ['base64.decode("YWJjZGVmZ2hpams=")', 2, 1],
    ['regex.extract("a", "[0-9a-z]")', 2, 1],
    ['regex.replace("a", "[0-9a-z]", "b")', 2, 1],
  ])('restores the flat price of %s', (expression, own, reference) => {
    const costs = [false, true].map((referenceCosts) => {
      const compiled = createEnvironment({ referenceCosts }).compile(expression);
      if (!compiled.ok) throw new Error(compiled.issues[0]?.message);
      compiled.program.evaluate({});
      return compiled.program.lastCost;
    });
    expect(costs).toEqual([own, reference]);
  });
});
