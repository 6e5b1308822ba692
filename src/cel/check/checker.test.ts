import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Reference } from '../declarations.ts';
import { lintAst } from '../lint/lint.ts';
import { parse } from '../syntax/parser.ts';
import { parsed } from '../syntax/syntax.fixture.ts';
import { BOOL, CelType, DYN, INT, list } from '../value/cel-type.ts';
import { declare, verdict } from './check.fixture.ts';
import { check } from './checker.ts';
import { resolveUnchecked } from './unchecked.ts';

const env = declare({
  obj: 'dyn',
  n: 'int',
  s: 'string',
  l: 'list(int)',
  m: 'map(string, bool)',
  o: 'optional_type(string)',
  'a.b': 'bool',
  a: 'map(string, int)',
  t: 'timestamp',
});

describe('the type of an expression', () => {
  it.each([
    ['1 + 2', 'int'],
    ['obj.x + 1', 'int'],
    ['obj.x + obj.y', 'dyn'],
    ['[]', 'list(dyn)'],
    ['[[], [1]]', 'list(list(int))'],
    ['[1, "a"]', 'list(dyn)'],
    ['[1, dyn("a")]', 'list(dyn)'],
    ['{}', 'map(dyn, dyn)'],
    ['{"a": [], "b": [1.5]}', 'map(string, list(double))'],
    ['l + []', 'list(int)'],
    ['l[0]', 'int'],
    ['m["x"]', 'bool'],
    ['m.x', 'bool'],
    ['has(m.x)', 'bool'],
    ['m.?x', 'optional_type(bool)'],
    ['m[?"x"].orValue(false)', 'bool'],
    ['obj.?x.y.orValue(1)', 'dyn'],
    ['[?m.?x, true]', 'list(bool)'],
    ['{?"k": m.?x}', 'map(string, bool)'],
    ['o.optMap(x, size(x))', 'optional_type(int)'],
    ['o.optFlatMap(x, m[?x])', 'optional_type(bool)'],
    ['true ? 1 : n', 'int'],
    ['true ? 1 : obj', 'dyn'],
    ['true ? t : null', 'google.protobuf.Timestamp'],
    ['type(n)', 'type(int)'],
    ['int', 'type(int)'],
    ['type(n) == int', 'bool'],
    ['l.map(x, string(x))', 'list(string)'],
    ['l.filter(x, x > 0)', 'list(int)'],
    ['m.map(k, k)', 'list(string)'],
    ['m.filter(k, m[k])', 'list(string)'],
    ['obj.filter(x, x.y)', 'list(dyn)'],
    ['l.exists(i, x, i == x)', 'bool'],
    ['l.transformList(i, x, i + x)', 'list(int)'],
    ['l.transformMap(i, x, string(x))', 'map(int, string)'],
    ['m.transformMapEntry(k, v, {v: k})', 'map(bool, string)'],
    ['l.sortBy(x, -x)', 'list(int)'],
    ['cel.bind(x, l, x.map(y, y))', 'list(int)'],
    ['cel.block([1, cel.index(0) + 1], [cel.index(1)])', 'list(int)'],
    ['math.greatest(1, 2, 3)', 'int'],
    ['optional.none()', 'optional_type(dyn)'],
    ['[optional.none(), optional.of(1)]', 'list(optional_type(int))'],
    ['quantity("1Gi").add(quantity("1"))', 'kubernetes.Quantity'],
    ['n in l && s in m', 'bool'],
    ['t - duration("1h")', 'google.protobuf.Timestamp'],
    ['1 < 1.5', 'bool'],
    ['[].map(x, x)[0].foo', 'dyn'],
  ])('%s is %s', (source, type) => {
    expect(verdict(source, env)).toBe(type);
  });
});

describe('names', () => {
  it('are the longest declared name, and a leading dot asks for the root', () => {
    expect(verdict('a.b', env)).toBe('bool');
    expect(verdict('a.c', env)).toBe('int');
    expect(verdict('.a.b', env)).toBe('bool');
  });

  it('of iteration variables hide declared ones, dotted ones and namespaces', () => {
    expect(verdict('["x"].map(a, a)', env)).toBe('list(string)');
    expect(verdict('[{"b": 1}].map(a, a.b)', env)).toBe('list(int)');
    expect(verdict('["x"].map(math, math.size())', env)).toBe('list(int)');
  });

  it('are looked up under each prefix of the container', () => {
    const inside = declare({ 'x.y.v': 'int', 'x.v': 'string', v: 'bool' }, { container: 'x.y' });
    expect(verdict('v', inside)).toBe('int');
    expect(verdict('.v', inside)).toBe('bool');
    expect(verdict('v', { ...inside, container: 'x' })).toBe('string');
  });
});

describe('refused expressions', () => {
  it.each([
    ["1 + 'a'", ['1:1 no_matching_overload no matching overload: int + string | convert the other side: string(…)']],
    [
      'n == 1.0',
      ['1:1 no_matching_overload no matching overload: int == double | convert one side: int(…) or double(…)'],
    ],
    [
      'n && true',
      [
        '1:1 no_matching_overload no matching overload: int && bool | a condition is a bool, this is int: compare it with something',
      ],
    ],
    [
      'o == "x"',
      [
        '1:1 no_matching_overload no matching overload: optional_type(string) == string | take the value out first: .orValue(default)',
      ],
    ],
    [
      'true ? 1 : s',
      [
        '1:1 no_matching_overload no matching overload: bool ? int : string | both values of ? : need the same type; dyn(…) lifts that',
      ],
    ],
    ['x', ["1:1 undeclared_reference undeclared reference to 'x'"]],
    ['ojb.x', ["1:1 undeclared_reference undeclared reference to 'ojb' | did you mean obj?"]],
    ['s.startWith("a")', ["1:3 undeclared_reference undeclared function 'startWith' | did you mean startsWith?"]],
    ['sizeof(s)', ["1:1 undeclared_reference undeclared function 'sizeof' | did you mean size?"]],
    [
      'startsWith(s, "a")',
      [
        '1:1 no_matching_overload no matching overload: startsWith(string, string) | call it on a value: x.startsWith(…)',
      ],
    ],
    ['s.startsWith()', ['1:1 no_matching_overload no matching overload: string.startsWith() | it takes 1 argument']],
    [
      'l.x',
      ['1:3 type_mismatch list(int) has no fields | a list is read by index, or by its elements: .exists(x, x.x == …)'],
    ],
    ['n.all(x, true)', ['1:1 type_mismatch all() needs a list or a map, this is int']],
    ['l.all(x, x)', ['1:10 type_mismatch the condition of all() has to be bool, this is int']],
    ['l.exists(x)', ['1:3 invalid_macro exists() does not take 1 argument | write list.exists(x, …)']],
    [
      'n.optMap(x, x)',
      ['1:1 type_mismatch optMap() needs an optional, this is int | an optional comes from .? or optional.of()'],
    ],
    [
      'o.optFlatMap(x, x)',
      ['1:17 type_mismatch optFlatMap() needs an optional as its result, this is string | did you mean optMap?'],
    ],
    ['[?n]', ['1:3 type_mismatch an entry marked ? needs an optional, this is int']],
    ['T{a: 1}', ["1:1 not_supported message literals are not supported | write a map: {'field': value}"]],
    [
      'authorizer.path("/x").check("get").allowed()',
      ['1:1 not_supported authorizer: it asks a live API server, which a rule cannot'],
    ],
    ["{'a': 1, 'a': 2}", ['1:10 duplicate_key the key "a" stands twice']],
    ['{0: 1, 0u: 2}', ['1:8 duplicate_key the key "0" stands twice']],
    ['{1.5: 2}', ['1:2 type_mismatch a map key is a bool, int, uint or string, this is double']],
    ["duration('1d')", [expect.stringMatching(/^1:10 invalid_argument /)]],
    ["timestamp('yesterday')", [expect.stringMatching(/^1:11 invalid_argument /)]],
    ["s.matches('(')", [expect.stringMatching(/^1:11 invalid_argument /)]],
    ["'%s %d'.format([s])", ['1:1 invalid_argument the template needs more than the 1 arguments given']],
    ["'%s'.format([s, n])", ['1:17 invalid_argument the template has 1 clauses for 2 arguments']],
    ["'%d'.format([s])", ['1:14 invalid_argument %d cannot print a string']],
    ["'%q'.format([s])", ['1:1 invalid_argument unknown format clause %q']],
  ])('%s', (source, expected) => {
    expect(verdict(source, env)).toEqual(expected);
  });

  it('are reported all at once, in the order of the source, and one mistake once', () => {
    expect(verdict('x.y.z(1) + 1 == 2 && n + s == 1 && [[z]] == 1', env)).toEqual([
      expect.stringContaining("1:1 undeclared_reference undeclared reference to 'x'"),
      expect.stringContaining('1:22 no_matching_overload no matching overload: int + string'),
      expect.stringContaining("1:38 undeclared_reference undeclared reference to 'z'"),
    ]);
  });

  it('mark the name of the function, wherever it stands', () => {
    expect(verdict('(s // x.\n)\n  .siez()', env)).toEqual([expect.stringMatching(/^3:4 undeclared_reference/)]);
  });
});

describe('a wanted result type', () => {
  it('is met, also by dyn', () => {
    expect(verdict('n == 1', env, BOOL)).toBe('bool');
    expect(verdict('obj.x', env, BOOL)).toBe('dyn');
  });

  it('is missed by another type', () => {
    expect(verdict('n', env, BOOL)).toEqual(['1:1 result_type the result is int, expected bool']);
    expect(verdict('o', env, BOOL)).toEqual([
      '1:1 result_type the result is optional_type(string), expected bool | take the value out: .orValue(default)',
    ]);
  });
});

describe('lists and maps of one type', () => {
  const strict = { ...env, homogeneousLiterals: true };
  it.each(['[1, 2]', '[[], [1]]', '{"a": 1, "b": 2}', '"%s %d".format([s, n])', '[?o, "x"]'])('%s passes', (source) => {
    expect(typeof verdict(source, strict)).toBe('string');
  });
  it.each([
    ['[1, "a"]', '1:5 type_mismatch element is string, the ones before are int | convert it, or use dyn(…) for each'],
    ['[obj.a, 2]', '1:9 type_mismatch element is int, the ones before are dyn | convert it, or use dyn(…) for each'],
    [
      '{"a": 1, "b": "c"}',
      '1:15 type_mismatch value is string, the ones before are int | convert it, or use dyn(…) for each',
    ],
    [
      '{"a": 1, 2: 1}',
      '1:10 type_mismatch key is int, the ones before are string | convert it, or use dyn(…) for each',
    ],
  ])('%s does not', (source, expected) => {
    expect(verdict(source, strict)).toEqual([expected]);
  });
});

describe('the overloads left', () => {
  function overloads(source: string): readonly string[] {
    const ast = parsed(source);
    const reference = check(ast, env).checked?.references.get(ast.root.id);
    return reference?.kind === 'function' ? reference.overloads.map(({ params }) => params.join()) : [];
  }
  it.each([
    ['n + 1', ['int,int']],
    ['obj.a == 1', ['T,T']],
    ['obj.a + 1', ['int,int']],
    ['size(l)', ['list(A)']],
    ['obj.a[0]', ['list(T),int', 'map(K, V),K', 'optional_type(list(T)),int', 'optional_type(map(K, V)),K']],
    ['l[0]', ['list(T),int']],
    ['dyn(1) in l', ['T,list(T)']],
  ])('of %s are in the order of declaration: %j', (source, expected) => {
    expect(overloads(source)).toEqual(expected);
  });

  it('keep the namespace of a function apart from a receiver', () => {
    const ast = parsed('math.abs(n)');
    const reference: Reference | undefined = check(ast, env).checked?.references.get(ast.root.id);
    expect(reference).toMatchObject({ kind: 'function', namespaced: true });
  });
});

describe('object types', () => {
  const spec = new CelType('object', 'object.spec', [], new Map([['replicas', { type: INT, required: false }]]));
  const root = new CelType('object', 'object', [], new Map([['spec', { type: spec, required: true }]]));
  const typed = declare({ obj: root, old: root, any: DYN, l: list(root) });

  it.each([
    ['obj.spec.replicas', 'int'],
    ['obj.?spec.replicas', 'optional_type(int)'],
    ['l.map(x, x.spec)', 'list(object.spec)'],
    ['obj.spec == old.spec', 'bool'],
    ['obj == any', 'bool'],
    ['obj.spec == null', 'bool'],
  ])('%s is %s', (source, type) => {
    expect(verdict(source, typed)).toBe(type);
  });

  it('know their fields', () => {
    expect(verdict('obj.spec.replica', typed)).toEqual([
      "1:10 undefined_field undefined field 'replica' in object.spec | did you mean replicas?",
    ]);
    expect(verdict('has(obj.sepc)', typed)).toEqual([
      "1:9 undefined_field undefined field 'sepc' in object | did you mean spec?",
    ]);
  });
});

describe('any expression', () => {
  const atom = fc.constantFrom(
    'obj',
    'n',
    's',
    'l',
    'm',
    'o',
    't',
    '1',
    '1u',
    '1.5',
    '"a"',
    'true',
    'null',
    '[]',
    '{}',
    'int',
    'x',
  );
  const grammar = fc.letrec<{ expr: string }>((tie) => {
    const expr = tie('expr');
    const pair = fc.tuple(expr, expr);
    return {
      expr: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        atom,
        pair.chain(([a, b]) =>
          fc.constantFrom('+', '-', '*', '==', '<', '&&', '||', 'in').map((op) => `(${a} ${op} ${b})`),
        ),
        pair.chain(([a, b]) =>
          fc.constantFrom(
            `[${a}, ${b}]`,
            `{${a}: ${b}}`,
            `(${a})[${b}]`,
            `(${a})[?${b}]`,
            `(${a}).map(x, ${b})`,
            `(${a}).all(x, ${b})`,
            `(${a}).transformMap(n, x, ${b})`,
            `(${a}).sortBy(x, ${b})`,
            `(${a}).optMap(x, ${b})`,
            `cel.bind(x, ${a}, ${b})`,
            `(${a}).orValue(${b})`,
            `math.greatest(${a}, ${b})`,
            `has((${a}).f) ? ${a} : ${b}`,
          ),
        ),
        expr.chain((a) => fc.constantFrom(`!(${a})`, `(${a}).f`, `(${a}).?f`, `size(${a})`, `type(${a})`, `dyn(${a})`)),
      ),
    };
  });

  it('is typed whole or refused, and then linted, without a throw', () => {
    void fc.assert(
      fc.property(grammar.expr, (source) => {
        const { ast } = parse(source, env);
        if (!ast) return;
        resolveUnchecked(ast, env);
        const { checked, issues } = check(ast, env);
        expect(checked === undefined).toBe(issues.length > 0);
        for (const { start, end } of issues) expect(source.slice(start, end)).not.toBe('');
        if (!checked) return;
        expect([...checked.types.values()].some((type) => /%|!error!/.test(String(type)))).toBe(false);
        for (const { start, end } of lintAst(ast, checked, env)) expect(source.slice(start, end)).not.toBe('');
      }),
      { numRuns: 2_000, seed: 20_261 },
    );
  });
});
