import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configMap } from '../testing/builders.ts';
import { Indexer } from './indexer.ts';
import { keyOf } from './object-key.ts';

const byColour = {
  colour: (object: ReturnType<typeof configMap>) => String((object['data'] as never)['colours']).split(''),
};

describe('an indexer', () => {
  it('finds by name, by namespace and by index', () => {
    const indexer = new Indexer(byColour);
    const [a, b] = [configMap('one/a', { colours: 'rg' }), configMap('two/b', { colours: 'r' })];
    indexer.set(a);
    indexer.set(b);
    expect(indexer.get('one', 'a')).toBe(a);
    expect(indexer.get('one', 'b')).toBeUndefined();
    expect(indexer.inNamespace('two')).toEqual([b]);
    expect(indexer.indexed('colour', 'r')).toEqual([a, b]);
    expect(indexer.indexed('colour', 'x')).toEqual([]);
    expect(() => indexer.indexed('shape', 'x')).toThrow('there is no index shape');
  });

  it('keeps a cluster-scoped object apart from one of a namespace', () => {
    const indexer = new Indexer();
    indexer.set({ metadata: { name: 'a' } });
    expect(indexer.get('', 'a')).toBeDefined();
    expect(indexer.get('default', 'a')).toBeUndefined();
    expect(indexer.inNamespace('')).toHaveLength(1);
  });

  it('has in each index what a walk over its objects finds, after any writes', () => {
    const names = fc.constantFrom('one/a', 'one/b', 'two/a', 'two/c');
    const write = fc.record({ name: names, colours: fc.option(fc.constantFrom('', 'r', 'g', 'rg', 'rr')) });
    fc.assert(
      fc.property(fc.array(write), (writes) => {
        const indexer = new Indexer(byColour);
        for (const { name, colours } of writes) {
          if (colours === null) indexer.delete(name);
          else indexer.set(configMap(name, { colours }));
        }
        const sorted = (objects: readonly ReturnType<typeof configMap>[]): string[] => objects.map(keyOf).sort();
        for (const colour of ['', 'r', 'g']) {
          const walked = indexer.list().filter((object) => byColour.colour(object).includes(colour));
          expect(sorted(indexer.indexed('colour', colour))).toEqual(sorted(walked));
        }
        expect(sorted([...indexer.inNamespace('one'), ...indexer.inNamespace('two')])).toEqual(sorted(indexer.list()));
      }),
    );
  });
});
