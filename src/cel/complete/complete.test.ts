import { describe, expect, it } from 'vitest';
import { Random } from '../../../test/fuzz/random.ts';
import { ExpressionWriter } from '../../../test/oracle/expressions.ts';
import { createEnvironment } from '../environment.ts';
import { type Completion, complete } from '../tools.ts';

const schema = {
  type: 'object',
  required: ['metadata'],
  properties: {
    metadata: {
      type: 'object',
      properties: { name: { type: 'string' }, namespace: { type: 'string' }, 'x-y': { type: 'string' } },
    },
    status: {
      type: 'object',
      properties: {
        phase: { type: 'string', description: 'Where it stands.' },
        replicas: { type: 'integer' },
        conditions: {
          type: 'array',
          items: { type: 'object', properties: { type: { type: 'string' }, status: { type: 'string' } } },
        },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
  },
};
const environment = createEnvironment({
  variables: { obj: { openapi: schema }, any: 'dyn', 'dotted.name': 'int', names: 'list(string)' },
});

/** The source with a few characters gone, doubled or put in. */
function damaged(source: string, random: Random): string {
  let text = source;
  for (let more = random.below(4); more >= 0; more -= 1) {
    const at = random.below(text.length + 1);
    const piece = random.pick([
      '',
      '.',
      '.?',
      '(',
      ')',
      '[',
      '"',
      '{',
      ',',
      ' ',
      '//',
      '?',
      ':',
      '`',
      'x.',
      '1',
      '\n',
      '\ud800',
    ]);
    text = text.slice(0, at) + piece + text.slice(at + random.below(3));
  }
  return text;
}

/** Completions at the `|`. */
function at(marked: string): readonly Completion[] {
  const offset = marked.indexOf('|');
  return complete(environment, marked.slice(0, offset) + marked.slice(offset + 1), offset);
}

function labels(marked: string, kind?: Completion['kind']): string[] {
  return at(marked)
    .filter((each) => kind === undefined || each.kind === kind)
    .map(({ label }) => label);
}

describe('behind a dot', () => {
  it.each([
    ['obj.|', ['metadata', 'status']],
    ['obj.st|', ['status']],
    ['obj.status.| == 3', ['conditions', 'labels', 'phase', 'replicas']],
    ['obj.?status.|', ['conditions', 'labels', 'phase', 'replicas']],
    ['obj.?status.?|', ['conditions', 'labels', 'phase', 'replicas']],
    ['has(obj.status.|', ['conditions', 'labels', 'phase', 'replicas']],
    ['obj.metadata.|', ['name', 'namespace', 'x__dash__y']],
    ['obj.status.conditions.exists(c, c.|', ['status', 'type']],
    ['obj.status.conditions.exists(c, c.|)', ['status', 'type']],
    ['obj.status.conditions.all(i, c, c.|', ['status', 'type']],
    ['obj.status.conditions[0].|', ['status', 'type']],
    ['obj.status.conditions.filter(c, c.type == "a").map(d, {"k": [d.|', ['status', 'type']],
    ['obj.status.conditions.exists(c, names.exists(n, n == c.|', ['status', 'type']],
    ['cel.bind(s, obj.status, s.conditions.exists(c, s.|', ['conditions', 'labels', 'phase', 'replicas']],
    ['obj.?status.optMap(s, s.|', ['conditions', 'labels', 'phase', 'replicas']],
    ['(1 > 2 ? obj.status : obj.status).|', ['conditions', 'labels', 'phase', 'replicas']],
    ['1 + "x" &&& ) obj.|', ['metadata', 'status']],
  ])('%s has the fields %j', (marked, expected) => {
    expect(labels(marked, 'field')).toEqual(expected);
  });

  it('offers of untyped data what the rest of the source reads of it', () => {
    expect(
      labels('any.status.phase == "a" && has(any.?status.ready) && any.status.size() > 0 && any.status.|', 'field'),
    ).toEqual(['phase', 'ready']);
    expect(labels('any.?spec.|.a && any.spec.replicas == 1', 'field')).toEqual(['replicas']);
  });

  it('offers what fits the type of the value', () => {
    expect(labels('obj.status.phase.|', 'function')).toEqual(expect.arrayContaining(['startsWith', 'matches', 'size']));
    expect(labels('obj.status.phase.|', 'macro')).toEqual([]);
    expect(labels('obj.status.phase.|')).not.toContain('isSorted');
    expect(labels('names.|', 'macro')).toEqual(expect.arrayContaining(['exists', 'all', 'map', 'sortBy']));
    expect(labels('names.|', 'function')).toEqual(expect.arrayContaining(['join', 'first']));
    expect(labels('names.|')).not.toContain('sum');
    expect(labels('obj.?status.|')).toEqual(expect.arrayContaining(['orValue', 'hasValue', 'optMap']));
    expect(labels('quantity("1").|', 'function')).toEqual(expect.arrayContaining(['asInteger', 'isLessThan']));
    expect(labels('quantity("1").|')).not.toContain('startsWith');
  });

  it('offers first what the operator before it wants', () => {
    expect(labels('obj.status.phase == obj.status.|', 'field').indexOf('phase')).toBeLessThan(
      labels('obj.status.phase == obj.status.|', 'field').indexOf('replicas'),
    );
    expect(labels('obj.status.replicas + obj.status.|', 'field').indexOf('replicas')).toBeLessThan(
      labels('obj.status.replicas + obj.status.|', 'field').indexOf('phase'),
    );
    const afterAnd = at('obj.status.replicas > 0 && obj.status.phase.|').map(({ label }) => label);
    expect(afterAnd.indexOf('startsWith')).toBeLessThan(afterAnd.indexOf('lowerAscii'));
    const afterText = at('obj.status.phase == obj.status.phase.|').map(({ label }) => label);
    expect(afterText.indexOf('lowerAscii')).toBeLessThan(afterText.indexOf('startsWith'));
  });

  it('offers what a namespace holds', () => {
    expect(labels('math.|')).toEqual(expect.arrayContaining(['abs', 'least', 'sqrt']));
    expect(labels('math.le|')).toEqual(['least', 'bitShiftLeft']);
    expect(labels('cel.|')).toEqual(['bind']);
    expect(labels('dotted.|')).toEqual(['name']);
  });

  it('tells the type, the documentation and what to replace', () => {
    expect(at('obj.status.ph|x + 1')).toMatchObject([
      {
        label: 'phase',
        kind: 'field',
        detail: 'string, may be absent',
        documentation: 'Where it stands.',
        insert: 'phase',
        replace: { start: 11, end: 14 },
      },
    ]);
    const [startsWith] = at('obj.status.phase.startsW|');
    expect(startsWith).toMatchObject({ insert: 'startsWith(', detail: 'string.startsWith(string) → bool' });
    expect(startsWith?.documentation).toBe('Whether a string begins with another.');
    expect(at('obj.status.phase.startsW|("a")')[0]?.insert).toBe('startsWith');
    expect(at('obj.status.phase.tri|')[0]?.insert).toBe('trim()');
  });
});

describe('where a value begins', () => {
  it('offers variables first, those of macros before others', () => {
    expect(labels('|').slice(0, 3)).toEqual(['any', 'names', 'obj']);
    expect(labels('names.exists(n, |').slice(0, 2)).toEqual(['n', 'any']);
    expect(labels('names.exists(n, n == |').slice(0, 2)).toEqual(['n', 'any']);
    expect(labels('{"k": |')).toContain('obj');
    expect(labels('[1, |')).toContain('obj');
    expect(labels('any ? o|')).toEqual(expect.arrayContaining(['obj', 'optional']));
  });

  it('offers global functions, macros, namespaces, types and keywords', () => {
    expect(labels('!ha|')).toEqual(['has']);
    expect(labels('siz|')).toEqual(['size']);
    expect(labels('mat|')).toEqual(['matches', 'math', 'format']);
    expect(labels('tru|')).toEqual(['true']);
    expect(labels('null_|')).toEqual(['null_type']);
  });
});

describe('nothing is offered', () => {
  it.each([
    'obj.status |',
    'obj.status.phase x|',
    'names.exists(|',
    'names.exists(n|',
    'names.transformList(i, |',
    'cel.bind(|',
    '"obj.|"',
    'obj // see obj.|',
    '12|',
    'a + 1.5|',
  ])('at %s', (marked) => {
    expect(labels(marked)).toEqual([]);
  });
});

describe('inside the quotes of an index', () => {
  it.each([
    ['obj.metadata["|', ['name', 'namespace', 'x-y']],
    ['obj.metadata["x|"]', ['x-y']],
    ["obj.metadata[?'na|", ['name', 'namespace']],
  ])('%s has the properties %j', (marked, expected) => {
    expect(labels(marked)).toEqual(expected);
  });
});

it('completes in sources that were damaged anywhere, without a throw', () => {
  const writer = new ExpressionWriter(11);
  const random = new Random(11);
  for (let count = 0; count < 3_000; count += 1) {
    const source = damaged(writer.write(4), random);
    const offset = random.below(source.length + 1);
    expect(Array.isArray(complete(environment, source, offset)), source).toBe(true);
  }
});

it('completes at every place of any source, cut anywhere, without a throw', () => {
  const writer = new ExpressionWriter(3);
  for (let count = 0; count < 150; count += 1) {
    const source = writer.write(4);
    for (let offset = 0; offset <= source.length; offset += 3) {
      for (const text of [source, source.slice(0, offset)]) {
        for (const { replace } of complete(environment, text, offset)) {
          expect(replace.start <= offset && offset <= replace.end && replace.end <= text.length).toBe(true);
          break;
        }
      }
    }
  }
});
