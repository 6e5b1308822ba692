import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileRuleSets, readRuleSet, readRuleTests, runRuleTest } from '../../src/core/health/index.ts';
import { readObject, ruleFolders } from './rule-folders.ts';

/** A case that names no time is judged then: the fixtures' objects were written for that moment. */
const NOW = Date.parse('2026-03-02T10:00:00Z');

for (const folder of [...ruleFolders('rules'), ...ruleFolders('examples/own-kind')]) {
  describe(folder.path, () => {
    const source = join(folder.path, 'rule.yaml');
    const { set, problems } = readRuleSet(folder.rule, source);
    const rules = compileRuleSets(set === undefined ? [] : [set]);
    const tests = readRuleTests(folder.tests, join(folder.path, 'rule.test.yaml'));

    it('reads and compiles', () => {
      expect(problems).toEqual([]);
      expect(rules.compileAll()).toEqual([]);
      expect(tests.problems).toEqual([]);
    });

    it('links the documentation of the fields it reads', () => {
      expect(set?.rules[0]?.links.length).toBeGreaterThan(0);
      for (const link of set?.rules[0]?.links ?? []) expect(link).toMatch(/^https:\/\//);
    });

    it('has a healthy, a failing and a no-status case', () => {
      const states = tests.cases.map((test) => test.state);
      expect(states).toContain('Healthy');
      expect(states.some((state) => state !== 'Healthy')).toBe(true);
      const withoutStatus = tests.cases.filter(
        (test) => readObject(join(folder.path, test.object))['status'] === undefined,
      );
      expect(withoutStatus.length).toBeGreaterThan(0);
    });

    for (const test of tests.cases) {
      it(test.name, () => {
        const objects = [test.object, ...test.with].map((file) => readObject(join(folder.path, file)));
        expect(runRuleTest(test, objects, rules, NOW).differences).toEqual([]);
      });
    }
  });
}
