import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../src/catalogue/index.ts';
import { type CompiledRules, compileRuleSets, judge } from '../../src/core/health/index.ts';
import { refOf } from '../../src/core/object/fields.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';
import { projectionFor } from '../../src/core/release/health/index.ts';
import { ROOT, readObject, ruleFolders } from './rule-folders.ts';

const NOW = Date.parse('2026-03-02T10:00:00Z');
const rules = compileRuleSets(catalogue());

function judged(object: KubernetesObject, by: CompiledRules) {
  return judge({ object, rules: by, now: NOW, failFast: true, deadline: 1_000, firstUnhealthy: NOW });
}

/** The object, and each that is made by taking one field out of it. */
function variants(object: KubernetesObject): readonly KubernetesObject[] {
  const found: KubernetesObject[] = [object];
  const walk = (value: unknown, rebuild: (changed: unknown) => KubernetesObject): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const key of Object.keys(value)) {
      const { [key]: inner, ...rest } = value as Record<string, unknown>;
      const restored = Array.isArray(value) ? value.filter((_, index) => String(index) !== key) : rest;
      if (key !== 'apiVersion' && key !== 'kind') found.push(rebuild(restored));
      walk(inner, (changed) =>
        rebuild(
          Array.isArray(value)
            ? value.map((item, index) => (String(index) === key ? changed : item))
            : { ...value, [key]: changed },
        ),
      );
    }
  };
  walk(object, (changed) => changed as KubernetesObject);
  return found;
}

describe('an object that is kept as far as the rules read it', () => {
  for (const folder of ruleFolders('rules')) {
    it(`${folder.path}: has the verdict of the whole one, whatever of it is missing`, () => {
      const data = join(folder.path, 'testdata');
      for (const file of readdirSync(resolve(ROOT, data))) {
        const object = readObject(join(data, file));
        const { group, kind } = refOf(object);
        const projection = projectionFor(group, kind, rules.select(String(object['apiVersion']), kind));
        // Large objects give thousands: each of an evenly spread part is enough for a rule that reads a wrong place.
        const all = variants(object);
        const every = Math.ceil(all.length / 60);
        for (const variant of all.filter((_, index) => index % every === 0)) {
          expect(judged(projection.project(variant), rules), file).toEqual(judged(variant, rules));
        }
      }
    });
  }
});
