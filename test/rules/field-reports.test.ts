import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { createEnvironment } from '../../src/cel/index.ts';
import { assessObjects, type Verdict } from '../../src/core/health/index.ts';
import { asList, asMap, asString, field, isMap, type JsonMap } from '../../src/core/object/fields.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';
import { CASES, casesPresent, catalogueRules } from './third-party-cases.ts';

/** Reports that need what a set of objects cannot show, each with what it waits for. */
const NOT_YET: Readonly<Record<string, string>> = {
  '021': 'needs observations over time',
  '041': 'needs recovery decisions over time',
  '082': 'needs the aggregate of k0rdent services',
  '089': 'needs the watch',
  '093': 'needs the recovery engine',
  '098': 'needs the recovery engine',
};

/** Variants whose verdict docs/adr/0010-health-verdicts-apart-from-peers.md decides in another way. */
const DECIDED: Readonly<Record<string, string>> = {
  '036 sidecar itself crash-loops': 'a crash loop is Progressing until the deadline',
};

interface Report {
  readonly id: string;
  readonly name: string;
  readonly input: JsonMap;
  readonly now: string;
  readonly expected: JsonMap;
}

function readReports(): readonly Report[] {
  const folder = join(CASES, 'field-reports');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .flatMap((file) => {
      const report = asMap(load(readFileSync(join(folder, file), 'utf8')));
      const id = file.slice(0, 3);
      const main = {
        id,
        name: asString(report['title']),
        input: asMap(report['input']),
        now: asString(report['now']),
        expected: asMap(report['expected']),
      };
      const variants = asList(report['variants'])
        .map(asMap)
        .map((variant) => ({
          id,
          name: asString(variant['name']),
          input: isMap(variant['input']) ? variant['input'] : main.input,
          now: asString(variant['now']) || main.now,
          expected: asMap(variant['expected']),
        }));
      return [main, ...variants];
    });
}

/** The objects in view: those of `objects`, else the last state that was watched. */
function objectsOf(input: JsonMap): readonly KubernetesObject[] {
  const objects = asList(input['objects']).filter(isMap);
  if (objects.length > 0) return objects;
  const last = asList(input['events'])
    .map((event) => field(event, 'object'))
    .filter(isMap)
    .at(-1);
  return last === undefined ? [] : [last];
}

function reversedConditions(object: KubernetesObject): KubernetesObject {
  const status = asMap(object['status']);
  return { ...object, status: { ...status, conditions: [...asList(status['conditions'])].reverse() } };
}

function judge(report: Report, objects: readonly KubernetesObject[]): Verdict | undefined {
  // Without a time in the report time plays no part: any does.
  const now = Date.parse(report.now || '2026-01-10T12:00:00Z');
  return assessObjects(objects, catalogueRules(), { now, failFast: true })[0]?.verdict;
}

describe.skipIf(!casesPresent('field-reports'))('field reports', () => {
  for (const report of casesPresent('field-reports') ? readReports() : []) {
    const title = `${report.id} ${report.name}`;
    const reason = NOT_YET[report.id];
    if (reason !== undefined) {
      it.skip(`${title} (${reason})`, () => undefined);
      continue;
    }
    it(title, () => {
      const objects = objectsOf(report.input);
      const verdict = judge(report, objects);
      expect(verdict, 'an object to judge').toBeDefined();
      const { expected } = report;
      const shown = JSON.stringify(verdict);
      for (const word of asList(expected['must_not'])) expect(verdict?.state, shown).not.toBe(word);
      expect(verdict?.reason, shown).not.toBe('RuleError');
      const accepted = [expected['verdict'], ...asList(expected['also_acceptable'])];
      if (DECIDED[title] === undefined && expected['verdict'] !== undefined)
        expect(accepted, shown).toContain(verdict?.state);
      if (expected['order_invariant'] === true) {
        expect(judge(report, objects.map(reversedConditions))).toEqual(verdict);
      }
    });
    for (const source of asList(report.input['rules']).map(asString)) {
      it(`${report.id} ${source}`, () => {
        const compiled = createEnvironment({ variables: { object: 'dyn' } }).compile(source);
        expect(compiled.ok).toBe(true);
        const result = compiled.ok ? compiled.program.evaluate({ object: objectsOf(report.input)[0] }) : undefined;
        expect(result).toBe(report.expected['each_rule']);
      });
    }
  }
});
