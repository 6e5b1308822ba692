import { describe, expect, it } from 'vitest';
import { ruleSetSpec } from '../core/api/health-rule-set.ts';
import { read } from '../core/api/read.ts';
import { compileRuleSets, readRuleSet } from '../core/health/index.ts';
import { catalogue } from './index.ts';
import { ruleSetObjects } from './rule-set-objects.ts';

describe('the shipped rule sets as objects of a cluster', () => {
  const objects = ruleSetObjects(catalogue());

  it('are one for each API group, all with the default label', () => {
    expect(objects.map((object) => (object['metadata'] as { name: string }).name)).toEqual(
      catalogue().map(({ name }) => name),
    );
    expect(
      objects.every((object) => JSON.stringify(object['metadata']).includes('"convoy.kumodo.io/default":"true"')),
    ).toBe(true);
  });

  it('are read back as the same rules, for every API version, without a problem', () => {
    const sets = objects.map((object) => readRuleSet(object, 'x'));
    expect(sets.flatMap(({ problems }) => problems)).toEqual([]);
    const back = sets.flatMap(({ set }) => (set === undefined ? [] : [set]));
    expect(compileRuleSets(back).compileAll()).toEqual([]);
    for (const [index, { rules }] of catalogue().entries()) {
      const versions = rules.flatMap(({ name, apiVersions, healthy }) =>
        apiVersions.map((one) => [name, one, healthy]),
      );
      const found = back[index]?.rules.map(({ apiVersions, healthy }) => [apiVersions[0], healthy]);
      expect(found).toEqual(versions.map(([, one, healthy]) => [one, healthy]));
      expect(back[index]?.preamble).toBe(catalogue()[index]?.preamble);
    }
  });

  it('fit their definition', () => {
    for (const object of objects) expect(read(ruleSetSpec, object['spec'])).toMatchObject({ value: expect.anything() });
    const longest = objects.flatMap((object) =>
      Object.values((object['spec'] as { rules: object[] }).rules).map((rule) =>
        Math.max(...Object.values(rule).map((value) => String(value).length)),
      ),
    );
    expect(Math.max(...longest)).toBeLessThanOrEqual(16_384);
  });
});
