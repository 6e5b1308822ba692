import { describe, expect, it } from 'vitest';
import { createEnvironment } from '../environment.ts';
import type { Issue } from '../issue.ts';
import * as tools from '../tools.ts';

const environment = createEnvironment({
  variables: {
    obj: 'dyn',
    list: 'list(dyn)',
    texts: 'list(string)',
    typed: {
      openapi: {
        type: 'object',
        properties: {
          few: { type: 'array', maxItems: 20, items: { type: 'string', maxLength: 10 } },
          many: { type: 'array', maxItems: 20_000, items: { type: 'string', maxLength: 10 } },
        },
        required: ['few', 'many'],
      },
    },
  },
});

function lint(source: string, kubernetes?: `1.${number}`): readonly Issue[] {
  const issues = tools.lint(environment, source, kubernetes === undefined ? {} : { kubernetes });
  const broken = issues.find(({ severity }) => severity === 'error');
  if (broken) throw new Error(`${source}: ${broken.message}`);
  return issues;
}

function brief(source: string, kubernetes?: `1.${number}`): string[] {
  return lint(source, kubernetes).map(({ code, message }) => `${code} ${message}`);
}

/** Sources with every kind of warning. */
const SOURCES: readonly string[] = [
  'obj.status.ready == 3',
  'obj.status.phase == "Bound" && has(obj.status.x.y)',
  'has(obj.status) && obj.status.ready == 3',
  'obj.a == null || obj.b != null',
  'size(obj.items) > 0',
  'true && obj.kind == "x"',
  'obj.kind == "x" && true',
  'false || obj.kind == "x" || false',
  '(true) && obj.kind == "x"',
  'true ? obj.kind : "x"',
  'obj.kind == obj.kind',
  'obj.kind == "a" && obj.kind == "b"',
  'size(list) >= 0',
  'size(list) < 0',
  'type(size(list)) == string',
  'list.filter(x, true) == []',
  'obj.kind.matches("^abc")',
  'matches(obj.kind, "^(a|b)$")',
  'list.all(a, list.exists(b, a == b))',
  'typed.many.all(a, typed.many.exists(b, a == b))',
  'list.sort() == list',
  'list.sortBy(x, x.name) == []',
  'list.reverse() == []',
  'list.existsOne(x, x == 1)',
  'obj.?a.orValue("") == "x"',
  'obj.`a-b` == 1',
  'has(obj.`a-b`)',
  'math.abs(-1) == 1 && quantity("1") == quantity("1")',
  'cel.bind(x, obj.kind, x == "a")',
  'list.transformList(i, v, v) == [?optional.of(1)]',
  'list.all(i, v, v == i) && obj[?"a"].optMap(x, x).hasValue()',
];

describe('warnings', () => {
  it.each(SOURCES)('of %s all say how to mend it', (source) => {
    const issues = [...lint(source), ...lint(source, '1.27')];
    expect(issues.length).toBeGreaterThan(0);
    expect(issues.filter(({ hint }) => !hint)).toEqual([]);
  });

  const edits = SOURCES.flatMap((source) =>
    lint(source, '1.27').flatMap(({ code, message, edit }) => (edit ? [{ source, code, message, edit }] : [])),
  );

  it('have an edit more often than not', () => {
    const all = SOURCES.flatMap((source) => lint(source));
    expect(all.filter(({ edit }) => edit).length / all.length).toBeGreaterThan(0.5);
  });

  it.each(edits)('$code of $source is gone after its edit', ({ source, code, message, edit }) => {
    const mended = source.slice(0, edit.start) + edit.text + source.slice(edit.end);
    const alike = (text: string): number => brief(text, '1.27').filter((each) => each === `${code} ${message}`).length;
    expect(alike(mended)).toBeLessThan(alike(source));
  });
});

describe('a function that a Kubernetes version does not have', () => {
  it.each([
    ['quantity("1") == quantity("1")', '1.27', 'quantity() came with Kubernetes 1.28, not in 1.27'],
    ['list.all(i, v, v == i)', '1.31', 'all() with two variables came with Kubernetes 1.32, not in 1.31'],
    ['list.existsOne(x, x == 1)', '1.36', 'existsOne() is in no Kubernetes version'],
    ['math.abs(-1) == 1', '1.36', 'math.abs() is in no Kubernetes version'],
    ['obj.?a.hasValue()', '1.27', 'an optional selection (.?) came with Kubernetes 1.28, not in 1.27'],
    ['semver("v1", true).major() == 1', '1.32', 'semver() came with Kubernetes 1.33, not in 1.32'],
    ['texts.sort() == texts', '1.33', 'sort() came with Kubernetes 1.34, not in 1.33'],
  ] as const)('%s under %s: %s', (source, kubernetes, expected) => {
    expect(brief(source, kubernetes)).toContain(`newer_function ${expected}`);
  });

  it('is no matter where the version has it, or where none is asked for', () => {
    expect(brief('quantity("1") == quantity("1")', '1.28').filter((each) => each.startsWith('newer'))).toEqual([]);
    expect(brief('quantity("1") == quantity("2")').filter((each) => each.startsWith('newer'))).toEqual([]);
    expect(brief('texts.exists(x, x.startsWith("a"))', '1.23')).toEqual([]);
  });

  it('is named in what lint says of the error, in an environment of that version', () => {
    const old = createEnvironment({ version: '1.27', variables: { obj: 'dyn' } });
    const hints = (source: string) => tools.lint(old, source).map(({ hint }) => hint);
    expect(hints('quantity("1")')).toEqual(['quantity() came with Kubernetes 1.28']);
    expect(hints('math.abs(-1)')).toEqual(['no Kubernetes version has math.…']);
    expect(hints('format.uri()')).toEqual(['format.… came with Kubernetes 1.31']);
    expect(hints('obj.list.sort()')).toEqual(['sort() came with Kubernetes 1.34']);
    expect(hints('ip("::1") == 1')).toEqual(['ip() came with Kubernetes 1.30']);
  });
});

describe('the cost of data with a schema', () => {
  it('is known, so that loops in loops are no matter while they fit', () => {
    expect(brief('typed.few.all(a, typed.few.exists(b, a == b))')).toEqual([]);
  });

  it('is told exactly when it is too high', () => {
    expect(brief('typed.many.all(a, typed.many.exists(b, a == b))')).toEqual([
      'cost_estimate up to 2,800,180,005 cost units by the sizes its schema allows, the limit is 1,000,000',
    ]);
  });
});

describe('a call that is charged one unit whatever the length of its list', () => {
  it.each([
    ['list.sort() == list', ['uncharged_call']],
    ['texts.sort() == texts', []],
    ['list.map(x, string(x)).sort() == texts', []],
    ['list.sortBy(x, x.name) == []', ['uncharged_call']],
    ['list.sortBy(x, string(x.name)) == []', []],
    ['list.distinct() == []', []],
    ['string(obj.kind) == "a" && obj.kind + "x" == "y"', []],
  ])('%s: %j', (source, expected) => {
    expect(lint(source).map(({ code }) => code)).toEqual(expected);
  });
});
