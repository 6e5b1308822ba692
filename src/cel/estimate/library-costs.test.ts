import { describe, expect, it } from 'vitest';
import { Random } from '../../../test/fuzz/random.ts';
import { createEnvironment } from '../environment.ts';
import { CelError } from '../error.ts';
import { estimateCost } from '../tools.ts';

const LARGEST = 30;
const variables = {
  s: 'string',
  t: 'string',
  n: 'int',
  texts: 'list(string)',
  ints: 'list(int)',
  lists: 'list(list(int))',
  m: 'map(string, string)',
  d: 'dyn',
};
const environment = createEnvironment({ variables, libraries: ['+block'] });

/** Functions that make values of new sizes, each in a place where those sizes are charged. */
const MADE: readonly string[] = [
  's + t',
  's.replace(t, s)',
  's.replace("a", t + t)',
  's.replace("", t)',
  's.lowerAscii()',
  's.trim() + t.upperAscii()',
  's.substring(1)',
  's.charAt(0)',
  's.reverse()',
  's.find("[a-z]+")',
  'texts.join(s)',
  'texts.join()',
  'strings.quote(s)',
  'jsonpatch.escapeKey(s)',
  'base64.encode(bytes(s))',
  'string(base64.decode(base64.encode(bytes(s))))',
  'string(n)',
  'string(d)',
  'string(duration(string(n) + "s"))',
  'regex.extract(s, "[a-z]+").orValue(t)',
  'd.s',
  'd.?t.orValue("none")',
  'm["a"]',
  'm.?a.orValue(s)',
  'texts[0]',
  'texts.first().orValue("")',
  'texts.max()',
  'optional.of(s).optMap(x, x + x).value()',
  'cel.bind(x, s + t, x + x)',
  's.split("").join(t)',
  'true ? s : t + t',
];

const LISTS: readonly string[] = [
  'texts',
  'texts + texts',
  's.split("")',
  's.split("a", 3)',
  's.findAll("[a-z]")',
  'regex.extractAll(s, "[a-z]")',
  'texts.sort()',
  'texts.distinct()',
  'texts.reverse()',
  'texts.slice(0, 1)',
  'texts.filter(x, x != "a")',
  'texts.map(x, x + s)',
  'texts.sortBy(x, size(x))',
  'm.map(k, m[k])',
  'm.transformList(k, v, k + v)',
  '[s, t]',
  '[?optional.of(s), t]',
  'optional.unwrap([optional.of(s), optional.none()])',
  'texts.transformMap(i, v, v).map(i, texts[i])',
  'd.texts.map(x, string(x))',
];

const INT_LISTS: readonly string[] = [
  'ints',
  'ints.sort()',
  'lists.range(n)',
  'lists.flatten()',
  'ints + ints.map(x, x * 2)',
  'lists.map(x, x.size())',
  'lists.map(x, x.sum())',
];

const TEXT_USES = [
  (x: string) => `(${x}).contains(${x})`,
  (x: string) => `(${x}).matches("a+b")`,
  (x: string) => `(${x}) == s`,
  (x: string) => `(${x}) < t`,
  (x: string) => `(${x}).indexOf("a")`,
  (x: string) => `((${x}) + (${x})).startsWith(s)`,
  (x: string) => `isQuantity(${x}) || isIP(${x}) || (${x}).find(t) == ""`,
];

const LIST_USES = [
  (x: string) => `(${x}).all(e, e != e + "x")`,
  (x: string) => `(${x}).join(",").contains("a")`,
  (x: string) => `s in (${x})`,
  (x: string) => `(${x}).sort() == texts`,
  (x: string) => `(${x}).indexOf("a")`,
  (x: string) => `sets.intersects(${x}, texts)`,
  (x: string) => `(${x}).exists(e, e.contains("a"))`,
  (x: string) => `(${x}).map(e, e.upperAscii()).isSorted()`,
];

const INT_USES = [
  (x: string) => `(${x}).sum()`,
  (x: string) => `(${x}).distinct().sortBy(e, -e) == ints`,
  (x: string) => `(${x}).exists_one(e, e > 3) || sets.contains(${x}, ints)`,
];

const EXPRESSIONS = [
  ...MADE.flatMap((made) => TEXT_USES.map((use) => use(made))),
  ...LISTS.flatMap((made) => LIST_USES.map((use) => use(made))),
  ...INT_LISTS.flatMap((made) => INT_USES.map((use) => use(made))),
];

function text(random: Random): string {
  const letters = random.chance(0.2) ? ['a', 'ö', '😀', '"', '~'] : ['a', 'b', 'c'];
  return Array.from({ length: random.below(LARGEST + 1) }, () => random.pick(letters)).join('');
}

function several<T>(random: Random, make: () => T): T[] {
  return Array.from({ length: random.below(LARGEST + 1) }, make);
}

function bindings(random: Random): Record<string, unknown> {
  const s = text(random);
  const t = text(random);
  const texts = several(random, () => text(random));
  return {
    s,
    t,
    n: random.below(10),
    texts,
    ints: several(random, () => random.below(100)),
    lists: several(random, () => several(random, () => random.below(9))),
    m: { a: text(random), b: text(random) },
    d: random.chance(0.8) ? { s, t, texts } : random.pick([s, 1, null, texts, {}]),
  };
}

describe('the estimate over the libraries', () => {
  it('holds for data of any size up to the hint', () => {
    const random = new Random(5);
    let values = 0;
    for (const source of EXPRESSIONS) {
      const compiled = environment.compile(source);
      if (!compiled.ok) throw new Error(`${source}: ${compiled.issues[0]?.message}`);
      const { program } = compiled;
      const { min, max } = estimateCost(program, { others: LARGEST });
      for (let round = 0; round < 12; round += 1) {
        const result = program.evaluate(bindings(random));
        if (result instanceof CelError) continue;
        values += 1;
        expect(program.lastCost, `${source}: at least ${min}`).toBeGreaterThanOrEqual(min);
        expect(program.lastCost, `${source}: at most ${max}`).toBeLessThanOrEqual(max);
      }
    }
    expect(values / (EXPRESSIONS.length * 12)).toBeGreaterThan(0.7);
  });

  it('is finite where the sizes of the data are known', () => {
    const endless = EXPRESSIONS.filter((source) => {
      const compiled = environment.compile(source);
      return compiled.ok && estimateCost(compiled.program, { others: LARGEST }).max === Number.POSITIVE_INFINITY;
    });
    expect(endless.length / EXPRESSIONS.length).toBeLessThan(0.1);
  });

  it('is near to what the largest data cost', () => {
    const largest = {
      texts: Array.from({ length: LARGEST }, () => 'b'.repeat(LARGEST)),
      s: 'b'.repeat(LARGEST),
    };
    const compiled = environment.compile('texts.all(x, x.contains("a") == false && s.indexOf(x) == 0)');
    if (!compiled.ok) throw new Error(compiled.issues[0]?.message);
    compiled.program.evaluate(largest);
    const { max } = estimateCost(compiled.program, { others: LARGEST });
    expect(max / compiled.program.lastCost).toBeLessThan(2);
  });
});
