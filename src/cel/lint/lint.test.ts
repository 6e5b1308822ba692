import { describe, expect, it } from 'vitest';
import { declare } from '../check/check.fixture.ts';
import { check } from '../check/checker.ts';
import { typeOfSchema } from '../check/schema.ts';
import type { Declarations } from '../declarations.ts';
import type { Issue } from '../issue.ts';
import { parsed } from '../syntax/syntax.fixture.ts';
import { type LintAstOptions, lintAst } from './lint.ts';

const schema = typeOfSchema({
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      properties: {
        replicas: { type: 'integer' },
        items: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, tag: { type: 'string' } },
          },
        },
      },
    },
  },
});
const env = declare({ obj: 'dyn', status: 'map(string, dyn)', list: 'list(dyn)', typed: schema, variables: 'dyn' });

function warnings(source: string, options: LintAstOptions = {}, declarations: Declarations = env): Issue[] {
  const ast = parsed(source, declarations);
  const { checked, issues } = check(ast, declarations);
  if (!checked) throw new Error(`${source}: ${issues[0]?.message}`);
  return lintAst(ast, checked, declarations, options);
}

function brief(source: string, options?: LintAstOptions): string[] {
  return warnings(source, options).map(({ code, start, end }) => `${code} ${source.slice(start, end)}`);
}

/** The source with all edits made, last first. */
function mended(source: string): string {
  return warnings(source)
    .flatMap(({ edit }) => edit ?? [])
    .sort((a, b) => b.start - a.start)
    .reduce((text, { start, end, text: inserted }) => text.slice(0, start) + inserted + text.slice(end), source);
}

describe('a field that may be absent', () => {
  it.each([
    ['obj.status.ready == 3', 'obj.?status.?ready.orValue(0) == 3'],
    ['obj.status.phase == "Bound"', 'obj.?status.?phase.orValue("") == "Bound"'],
    ['obj.suspended || obj.kind == "x"', 'obj.?suspended.orValue(false) || obj.kind == "x"'],
    ['status.conditions.exists(c, c.type == "Ready")', 'status.?conditions.orValue([]).exists(c, c.type == "Ready")'],
    ['size(obj.items) > 0', 'size(obj.?items.orValue([])) > 0'],
    ['obj["a"]["b"] == 1', 'obj[?"a"][?"b"].orValue(0) == 1'],
    ['"x" in obj.labels', '"x" in obj.?labels.orValue([])'],
    ['typed.spec.replicas == 1', 'typed.spec.?replicas.orValue(0) == 1'],
    [
      'typed.?spec.?items.orValue([]).all(i, i.tag == i.name)',
      'typed.?spec.?items.orValue([]).all(i, i.?tag.orValue("") == i.name)',
    ],
    [
      'cel.bind(s, obj.?status, obj.kind == "") && obj.a == 1',
      'cel.bind(s, obj.?status, obj.kind == "") && obj.?a.orValue(0) == 1',
    ],
  ])('%s is mended to %s, which has no warning left', (source, expected) => {
    expect(mended(source)).toBe(expected);
    expect(warnings(expected)).toEqual([]);
  });

  it('is named by its first segment that may be absent', () => {
    expect(warnings('obj.status.ready >= obj.kind')).toMatchObject([
      {
        code: 'unguarded_field',
        start: 4,
        end: 10,
        message: 'obj.status may be absent, and reading it is an error then',
      },
    ]);
  });

  it('is guarded by has() where the environment has no optional values', () => {
    const old = declare({ obj: 'dyn' }, { macros: new Set(['has']) });
    const [warning] = warnings('obj.a == 1', {}, old);
    expect(warning?.hint).toBe('guard it: has(obj.a) && …');
    expect(warning?.edit).toBeUndefined();
  });
});

describe('no warning', () => {
  it.each([
    ['obj.metadata.name == "x" && obj.kind == obj.apiVersion'],
    ['has(obj.a) && obj.a == 1'],
    ['obj.a == 1 && has(obj.a)'],
    ['has(obj.a) ? obj.a : 0'],
    ['!has(obj.a) ? 0 : obj.a'],
    ['!has(obj.a) || obj.a == 1'],
    ['has(obj.a) && has(obj.a.b) && obj.a.b == 1'],
    ['has(obj.?a.b) && obj.a.b == 1'],
    ['"a" in obj && obj.a == 1'],
    ['obj.?a.hasValue() && obj.a == 1'],
    ['obj.?a.orValue("") == "x" && obj.a.startsWith("x")'],
    ['size(obj.?a.orValue([])) > 0 && obj.a[0] == 1'],
    ['obj.?a.b.c.orValue(1) == 2'],
    ['type(obj.?a.orValue(0)) == string && obj.a != ""'],
    ['type(obj.?a.orValue(0)) != string || obj.a != ""'],
    ['obj.transformList(key, value, type(value[?key].orValue(0)) == string)'],
    ['obj.?a.optMap(a, a).orValue(0) == 1'],
    ['list.exists(c, c.type == "Ready")'],
    ['typed.spec == typed.spec || true == obj.?x.orValue(true)'],
  ])('for what is guarded: %s', (source) => {
    expect(brief(source).filter((text) => /unguarded|wrong_level/.test(text))).toEqual([]);
  });

  it('for paths that the caller knows', () => {
    expect(brief('variables.x == 1 && obj.spec.a == 1', { alwaysPresent: ['variables.*', 'obj.spec.a'] })).toEqual([]);
    expect(brief('variables.x.y == 1', { alwaysPresent: ['variables.*'] })).toEqual(['unguarded_field y']);
    expect(brief('variables.x.y == 1', { alwaysPresent: ['variables.**'] })).toEqual([]);
  });

  it('for what an earlier part has read already', () => {
    expect(brief('obj.a == 1 && obj.a != 2')).toEqual(['unguarded_field a']);
  });
});

describe('a guard on the wrong level', () => {
  it('tests the parent but not the field', () => {
    expect(brief('has(obj.status) && obj.status.ready == 3')).toEqual(['has_on_wrong_level ready']);
    expect(mended('has(obj.status) && obj.status.ready == 3')).toBe(
      'has(obj.status) && obj.status.?ready.orValue(0) == 3',
    );
  });

  it('tests the field but not the parent', () => {
    expect(brief('has(obj.status.ready)')).toEqual(['has_on_wrong_level status']);
    expect(mended('has(obj.status.ready)')).toBe('has(obj.?status.ready)');
  });

  it('gives an empty default and selects from it', () => {
    expect(brief('obj.?status.orValue({}).ready == 3')).toEqual(['unguarded_field ready']);
  });
});

describe('a comparison with null', () => {
  it('asks for absence, which is an error', () => {
    expect(brief('obj.a == null')).toEqual(['null_comparison a']);
    expect(mended('obj.a == null')).toBe('!has(obj.a)');
    expect(mended('obj.a != null')).toBe('has(obj.a)');
  });

  it('is fine where the field is known to be there', () => {
    expect(brief('has(obj.a) && obj.a != null')).toEqual([]);
  });
});

describe('conditions that never change', () => {
  it.each([
    ['true && obj.kind == "x"', ['constant_condition true']],
    ['obj.kind == obj.kind', ['constant_condition obj.kind == obj.kind']],
    ['obj.kind != obj.kind', ['always_false_comparison obj.kind != obj.kind']],
    ['1 > 2 ? obj.kind : ""', ['constant_condition 1 > 2']],
    ['list.filter(x, true) == []', ['constant_condition true']],
    ['size(list) >= 0', ['constant_condition size(list) >= 0']],
    ['size(list) < 0', ['always_false_comparison size(list) < 0']],
    ['type(size(list)) == string', ['always_false_comparison type(size(list)) == string']],
    ['obj.kind == "a" && obj.kind == "b"', ['always_false_comparison obj.kind == "b"']],
    ['obj.kind == "a" || obj.kind == "b"', []],
    ['obj.kind in ["a", "b"]', []],
  ])('%s', (source, expected) => {
    expect(brief(source)).toEqual(expected);
  });
});

describe('a pattern that needs no regular expression', () => {
  it.each([
    ['obj.kind.matches("abc")', 'obj.kind.contains("abc")'],
    ['obj.kind.matches("^abc")', 'obj.kind.startsWith("abc")'],
    ['(obj.kind + "x").matches("abc$")', '(obj.kind + "x").endsWith("abc")'],
    ['matches(obj.kind, "^abc$")', '(obj.kind == "abc")'],
    ['!obj.kind.matches("^(a|b)$")', '!(obj.kind in ["a", "b"])'],
    ['obj.kind.matches("a.c")', 'obj.kind.matches("a.c")'],
  ])('%s becomes %s', (source, expected) => {
    expect(mended(source)).toBe(expected);
  });
});

describe('the cost of loops', () => {
  it('is quadratic when one runs in another', () => {
    expect(brief('list.all(a, list.exists(b, a == b))')).toEqual(['cost_estimate list.exists(b, a == b)']);
  });

  it('is linear in a chain, over literals, and over lists of the element', () => {
    expect(brief('list.all(a, a.parts.exists(b, b == 1))', { costLimit: 1_000_000 })).toEqual([]);
    expect(brief('list.filter(a, a > 1).all(b, b < 3)', { costLimit: 1_000_000 })).toEqual([]);
    expect(brief('["a", "b"].all(a, list.exists(b, a == b))')).toEqual([]);
  });

  it('knows a name that was bound to a part of the element', () => {
    expect(brief('list.all(a, cel.bind(parts, a.parts, parts.exists(b, b == 1)))', { costLimit: 1_000_000 })).toEqual(
      [],
    );
  });

  it('knows the length of a list that is bound to a name', () => {
    expect(brief('cel.bind(known, ["a", "b"], list.all(x, known.exists(k, x == k)))')).toEqual([]);
    expect(brief('cel.bind(list, list.filter(x, x > 1), list.all(x, x > 2))', { costLimit: 1_000_000 })).toEqual([]);
  });

  it('is compared with the limit', () => {
    expect(brief('list.all(a, a > 1)', { costLimit: 1_000 })).toEqual(['cost_estimate list.all(a, a > 1)']);
  });
});
