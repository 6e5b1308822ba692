import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assess, compileRuleSets, type Rule, readRuleSet, readRuleTests } from '../../src/core/health/index.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';
import { damagedObjects } from './damaged-objects.ts';
import { readObject, ruleFolders } from './rule-folders.ts';

const NOW = Date.parse('2026-03-02T10:00:00Z');

/** The `reason` of a rule in the place of its `healthy`: an error in it would not show in a verdict. */
function reasonAsRule({ name, apiVersions, resources, variables, related, links, reason }: Rule): readonly Rule[] {
  const healthy = `type(${reason}) == string`;
  return reason === undefined ? [] : [{ name, apiVersions, resources, variables, related, links, healthy }];
}

/** A damaged object may change its verdict; it may not make the rule an error, nor its message. */
describe('no rule fails on an object with any subtree removed, emptied or of another type', () => {
  for (const folder of [...ruleFolders('rules'), ...ruleFolders('examples/own-kind')]) {
    const { set } = readRuleSet(folder.rule, folder.path);
    const rules = compileRuleSets(set === undefined ? [] : [set]);
    const reasons = compileRuleSets(set === undefined ? [] : [{ ...set, rules: set.rules.flatMap(reasonAsRule) }]);
    const { cases } = readRuleTests(folder.tests, folder.path);

    it(folder.path, () => {
      const failures: string[] = [];
      let judged = 0;
      for (const test of cases) {
        const [object, ...related] = [test.object, ...test.with].map((file) => readObject(join(folder.path, file)));
        if (object === undefined) continue;
        const judge = (damaged: KubernetesObject, neighbour: KubernetesObject | null): string => {
          judged += 1;
          const input = { object: damaged, now: NOW, failFast: true, related: () => neighbour };
          const verdict = assess({ ...input, rules });
          const reason = assess({ ...input, rules: reasons });
          if (reason.state === 'Unknown') return reason.message;
          return verdict.state === 'Unknown' || verdict.message.includes('(its message') ? verdict.message : '';
        };
        for (const { what, object: damaged } of damagedObjects(object)) {
          const failure = judge(damaged, related[0] ?? null);
          if (failure !== '') failures.push(`${test.object}: ${what}: ${failure}`);
        }
        for (const { what, object: damaged } of related[0] === undefined ? [] : damagedObjects(related[0])) {
          const failure = judge(object, damaged);
          if (failure !== '') failures.push(`${test.with[0]}: ${what}: ${failure}`);
        }
      }
      expect(failures).toEqual([]);
      expect(judged).toBeGreaterThan(100);
    });
  }
});
