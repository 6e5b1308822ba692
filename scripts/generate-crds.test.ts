import { expect, it } from 'vitest';
import { committedDefinitions, renderDefinitions } from './generate-crds.ts';

it('deploy/crds says what the schemas say, and holds nothing else', () => {
  const sorted = (files: ReadonlyMap<string, string>) => Object.fromEntries([...files].sort());
  expect(sorted(committedDefinitions()), 'run `node scripts/generate-crds.ts`').toEqual(sorted(renderDefinitions()));
});
