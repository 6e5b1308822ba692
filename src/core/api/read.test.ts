import { describe, expect, expectTypeOf, it } from 'vitest';
import { read } from './read.ts';
import { anyMap, choice, type Infer, integer, list, object, optional, text, texts, truth } from './schema.ts';

const widget = object({
  name: text('Its name.'),
  size: integer('How large.', { default: 3 }),
  color: choice(['red', 'blue'], 'Which.', { default: 'red' }),
  parts: list(object({ of: text('What.'), spare: optional(truth('Whether.')) }), 'Parts.', { maxItems: 9 }),
  labels: optional(texts('Labels.', { maxProperties: 9 })),
  values: optional(anyMap('Anything.')),
  policy: object({ keep: truth('Whether.', { default: true }) }, 'How.', { default: {} }),
});

describe('the reader of a schema', () => {
  it('fills in defaults, in maps that have a default too, and leaves out what nobody gave', () => {
    expect(read(widget, { name: 'a', parts: [] })).toEqual({
      value: { name: 'a', size: 3, color: 'red', parts: [], policy: { keep: true } },
    });
  });

  it('leaves out what the schema does not know, but not in a map that is open', () => {
    const given = { name: 'a', parts: [{ of: 'wood', age: 4 }], values: { any: [1] }, none: 1 };
    expect(read(widget, given)).toMatchObject({ value: { parts: [{ of: 'wood' }], values: { any: [1] } } });
    expect(JSON.stringify(read(widget, given))).not.toMatch(/age|none/);
  });

  it('takes null for absent, as the API server does for what may be absent', () => {
    expect(read(widget, { name: 'a', parts: [], size: null, labels: null })).toMatchObject({ value: { size: 3 } });
  });

  it('takes no field from a prototype', () => {
    expect(read(object({ constructor: optional(text('x')) }), {})).toEqual({ value: {} });
  });

  it('reads a number beyond 2^53 that a client kept whole', () => {
    expect(read(object({ size: integer('x') }), { size: 7n })).toEqual({ value: { size: 7 } });
  });

  it.each([
    [{ parts: [] }, 'spec.name: a text is missing'],
    [{ name: 3, parts: [] }, 'spec.name: a text is missing'],
    [{ name: 'a' }, 'spec.parts: a list is missing'],
    [{ name: 'a', parts: [{ of: 'x' }, { spare: true }] }, 'spec.parts[1].of: a text is missing'],
    [{ name: 'a', parts: [], size: 1.5 }, 'spec.size: a whole number is missing'],
    [{ name: 'a', parts: [], policy: [] }, 'spec.policy: a map is missing'],
    [{ name: 'a', parts: [], labels: { x: 1 } }, 'spec.labels.x: a text is missing'],
    [{ name: 'a', parts: [{ of: 'x', spare: 'yes' }] }, 'spec.parts[0].spare: true or false is missing'],
  ])('says where %j does not fit', (given, problem) => {
    expect(read(widget, given, 'spec')).toEqual({ problem });
  });

  it('gives the types that the schema describes', () => {
    type Widget = Infer<typeof widget>;
    expectTypeOf<Widget['size']>().toEqualTypeOf<number>();
    expectTypeOf<Widget['color']>().toEqualTypeOf<'red' | 'blue'>();
    expectTypeOf<Widget['parts'][number]['spare']>().toEqualTypeOf<boolean | undefined>();
    expectTypeOf<{ name: string }>().not.toExtend<Widget>();
  });
});
