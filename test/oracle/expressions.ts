import { Random } from '../fuzz/random.ts';

/** What an expression is meant to give; the generator now and then takes another one on purpose. */
type Sort = 'bool' | 'int' | 'string' | 'double' | 'list' | 'map' | 'timestamp' | 'duration' | 'optional' | 'any';

const SORTS: readonly Sort[] = ['bool', 'int', 'string', 'double', 'list', 'map', 'timestamp', 'duration', 'optional'];

/** The object every generated expression looks into. */
export const SUBJECT = {
  i: 3,
  zero: 0,
  neg: -7,
  big: 9007199254740994,
  d: 1.5,
  t: true,
  f: false,
  s: 'hello, wörld',
  e: '',
  n: null,
  ints: [3, 1, 2],
  strings: ['b', 'a', 'c'],
  mixed: [1, 'a', null, 2.5, [1]],
  none: [],
  m: { a: 1, b: 'two', c: { d: [1, 2] } },
  empty: {},
  when: '2024-02-29T12:30:45.123Z',
  long: '90m',
};

const PATHS: Readonly<Record<Exclude<Sort, 'any' | 'optional'>, readonly string[]>> = {
  bool: [
    'obj.t',
    'obj.f',
    'true',
    'false',
    'has(obj.m.a)',
    'has(obj.m.q)',
    'has(obj.s.q)',
    'has(obj.n.q)',
    'has(obj.q)',
  ],
  int: [
    'obj.i',
    'obj.zero',
    'obj.neg',
    'obj.big',
    '1',
    '2',
    '-3',
    '9223372036854775807',
    'obj.m.a',
    'obj.ints[0]',
    'obj.q',
  ],
  string: ['obj.s', 'obj.e', '"a"', '"wörld"', '""', 'obj.m.b', 'obj.strings[1]', 'obj.m["b"]', 'obj.when', 'obj.q.r'],
  double: ['obj.d', '1.5', '2.0', '-0.25', '1e300', 'double("NaN")'],
  list: ['obj.ints', 'obj.strings', 'obj.mixed', 'obj.none', '[1, 2, 3]', '["a"]', '[]', 'obj.m.c.d', 'obj.q'],
  map: ['obj.m', 'obj.empty', 'obj.m.c', '{"a": 1}', '{}', 'obj'],
  timestamp: ['timestamp(obj.when)', 'timestamp("2024-01-01T00:00:00Z")', 'timestamp(obj.i)'],
  duration: ['duration(obj.long)', 'duration("1h30m")', 'duration("-5s")'],
};

/** Writes random expressions over `obj`, well-typed for the most part. */
export class ExpressionWriter {
  private readonly random: Random;
  private readonly variables: string[] = [];

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  write(depth = 4): string {
    return this.expression(this.random.pick(SORTS), depth);
  }

  private expression(wanted: Sort, depth: number): string {
    const sort = wanted === 'any' || this.random.next() < 0.04 ? this.random.pick(SORTS) : wanted;
    if (depth <= 0 && sort !== 'optional') {
      if (this.variables.length > 0 && this.random.next() < 0.4) return this.random.pick(this.variables);
      return this.random.pick(PATHS[sort as keyof typeof PATHS]);
    }
    const sub = (of: Sort): string => this.expression(of, depth - 1 - this.random.below(2));
    return this.random.pick(this.forms(sort))(sub);
  }

  private forms(sort: Sort): readonly ((sub: (of: Sort) => string) => string)[] {
    const pick = <T>(items: readonly T[]): T => this.random.pick(items);
    const leaf = (): string => this.expression(sort === 'optional' ? 'any' : sort, 0);
    const conditional = (sub: (of: Sort) => string): string => `(${sub('bool')} ? ${sub(sort)} : ${sub(sort)})`;
    switch (sort) {
      case 'bool':
        return [
          leaf,
          conditional,
          (sub) => `(${sub('bool')} ${pick(['&&', '||'])} ${sub('bool')})`,
          (sub) => `!${sub('bool')}`,
          (sub) => `(${sub('int')} ${pick(['<', '<=', '>', '>=', '==', '!='])} ${sub(pick(['int', 'double']))})`,
          (sub) => `(${sub('string')} ${pick(['<', '==', '!=', '>='])} ${sub('string')})`,
          (sub) => `(${sub('any')} == ${sub('any')})`,
          (sub) => `(${sub('any')} in ${sub(pick(['list', 'map']))})`,
          (sub) => `${sub('string')}.${pick(['startsWith', 'endsWith', 'contains'])}(${sub('string')})`,
          (sub) => `${sub('string')}.matches(${pick(['"w.r"', '"^a"', '"[0-9]+"', 'obj.s'])})`,
          (sub) => this.macro(sub, ['exists', 'all', 'exists_one'], 'bool'),
          (sub) => `${sub('optional')}.hasValue()`,
          (sub) => `${sub('list')}.isSorted()`,
          (sub) => `sets.${pick(['contains', 'intersects', 'equivalent'])}(${sub('list')}, ${sub('list')})`,
          (sub) => `${pick(['isQuantity', 'isURL', 'isIP'])}(${sub('string')})`,
          () =>
            `quantity("${pick(['1', '1.5Gi', '100m', '2k'])}").isLessThan(quantity("${pick(['1Gi', '0', '1500m'])}"))`,
          (sub) => `(${sub('timestamp')} < ${sub('timestamp')})`,
        ];
      case 'int':
        return [
          leaf,
          conditional,
          (sub) => `(${sub('int')} ${pick(['+', '-', '*', '/', '%'])} ${sub('int')})`,
          (sub) => `size(${sub(pick(['list', 'string', 'map']))})`,
          (sub) => `int(${sub(pick(['string', 'double', 'timestamp', 'int']))})`,
          (sub) => `${sub('list')}[${sub('int')}]`,
          (sub) => `-${sub('int')}`,
          (sub) => `${sub('optional')}.orValue(${sub('int')})`,
          (sub) =>
            `${sub('timestamp')}.${pick(['getFullYear', 'getMonth', 'getHours', 'getDayOfWeek', 'getDayOfYear'])}()`,
          (sub) => `${sub('duration')}.getMinutes()`,
          (sub) => `${sub('string')}.indexOf(${sub('string')})`,
          (sub) => `${sub('list')}.${pick(['sum', 'min', 'max'])}()`,
          (sub) => `${sub('list')}.indexOf(${sub('any')})`,
        ];
      case 'string':
        return [
          leaf,
          conditional,
          (sub) => `(${sub('string')} + ${sub('string')})`,
          (sub) => `string(${sub(pick(['int', 'double', 'bool', 'duration', 'timestamp', 'string']))})`,
          (sub) =>
            `${sub('string')}.${pick(['lowerAscii()', 'upperAscii()', 'trim()', 'charAt(1)', 'substring(1)', 'replace("l", "L")'])}`,
          (sub) => `${sub('list')}.join(",")`,
          (sub) => `${sub('string')}.find("[a-z]+")`,
          (sub) => `"%s and %d".format([${sub('any')}, ${sub('int')}])`,
        ];
      case 'double':
        return [
          leaf,
          conditional,
          (sub) => `(${sub('double')} ${pick(['+', '-', '*', '/'])} ${sub('double')})`,
          (sub) => `double(${sub('int')})`,
        ];
      case 'list':
        return [
          leaf,
          conditional,
          (sub) => `(${sub('list')} + ${sub('list')})`,
          (sub) => `[${sub('any')}, ${sub('any')}]`,
          (sub) => this.macro(sub, ['map'], 'any'),
          (sub) => this.macro(sub, ['filter'], 'bool'),
          (sub) => `${sub('string')}.split(${sub('string')})`,
          (sub) => `${sub('string')}.findAll("[a-z]")`,
          (sub) =>
            `${sub('list')}.${pick(['distinct()', 'sort()', 'reverse()', 'slice(0, 1)', 'flatten()', 'sortBy(e, e)'])}`,
        ];
      case 'map':
        return [
          leaf,
          conditional,
          (sub) => `{${sub('string')}: ${sub('any')}}`,
          (sub) => `{"k": ${sub('any')}, "l": ${sub('any')}}`,
        ];
      case 'timestamp':
        return [leaf, (sub) => `(${sub('timestamp')} ${pick(['+', '-'])} ${sub('duration')})`];
      case 'duration':
        return [
          leaf,
          (sub) => `(${sub('duration')} + ${sub('duration')})`,
          (sub) => `(${sub('timestamp')} - ${sub('timestamp')})`,
        ];
      case 'optional':
        return [
          () =>
            pick([
              'obj.?i',
              'obj.?q',
              'obj.?m.a',
              'obj.?m.?q',
              'obj.m.?c.d',
              'obj.?n.x',
              'obj[?"s"]',
              'obj.ints[?1]',
              'obj.ints[?9]',
              'optional.none()',
            ]),
          (sub) => `optional.of(${sub('any')})`,
          (sub) => `optional.ofNonZeroValue(${sub('any')})`,
          (sub) => `${sub('optional')}.or(${sub('optional')})`,
          (sub) => `${sub('optional')}.optMap(o, ${sub('any')})`,
        ];
      case 'any':
        return [leaf];
    }
  }

  private macro(sub: (of: Sort) => string, names: readonly string[], body: Sort): string {
    const variable = `v${this.variables.length}`;
    const range = sub(this.random.next() < 0.85 ? 'list' : 'map');
    this.variables.push(variable);
    const inner = sub(body);
    this.variables.pop();
    return `${range}.${this.random.pick(names)}(${variable}, ${inner})`;
  }
}
