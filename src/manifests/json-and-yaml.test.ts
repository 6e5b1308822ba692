import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { readManifests } from './index.ts';

it('any JSON value survives the way through both readers alike', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (spec) => {
      const json = JSON.stringify({ apiVersion: 'v1', kind: 'A', spec });
      const [fast, slow] = await Promise.all(
        [json, `---\n${json}`].map((content) => readManifests({ name: 'f', content })),
      );
      expect(fast?.problems).toEqual([]);
      expect(slow?.problems).toEqual([]);
      expect(slow?.objects[0]?.object).toEqual(fast?.objects[0]?.object);
    }),
    { numRuns: 300 },
  );
});
