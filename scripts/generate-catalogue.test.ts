import { expect, it } from 'vitest';
import { catalogueModule, committedModule, readCatalogue } from './generate-catalogue.ts';

it('the committed catalogue is what rules/ gives', () => {
  expect(committedModule() === catalogueModule(readCatalogue()), 'run node scripts/generate-catalogue.ts').toBe(true);
});

it('there is one set per API group, and the generic one', () => {
  const names = readCatalogue().map((set) => set.name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain('kubernetes-core');
  expect(names).toContain('apps');
  expect(
    readCatalogue()
      .filter((set) => set.generic)
      .map((set) => set.name),
  ).toEqual(['generic']);
});
