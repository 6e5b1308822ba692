import { assess, compileRuleSets, readRuleSet } from '../../../src/core/health/index.ts';
import { SUBJECT } from '../../oracle/expressions.ts';
import type { Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';

const EXPRESSIONS = [
  'true',
  'false',
  'object.x',
  'has(status.phase)',
  'status.phase == "x"',
  '1',
  '"m"',
  '(',
  '',
  'now > now',
  'variables.v',
  'related.r == null',
  'spec.a.all(x, x)',
  'conditions.exists(c, c.type == "Ready")',
];

function value(random: Random, depth: number): unknown {
  const scalar: readonly unknown[] = [null, true, 1, 1.5, '', 'x', ...EXPRESSIONS];
  if (depth <= 0 || random.chance(0.6)) return random.pick(scalar);
  const length = random.below(3);
  if (random.chance(0.4)) return Array.from({ length }, () => value(random, depth - 1));
  return Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, value(random, depth - 1)]));
}

/** A rule that is right for the most part: each field may be anything. */
function rule(random: Random): unknown {
  if (random.chance(0.05)) return value(random, 2);
  const field = (usual: unknown): unknown => (random.chance(0.12) ? value(random, 2) : usual);
  const text = (): unknown => field(random.pick(EXPRESSIONS));
  const fields: Record<string, unknown> = {
    apiVersion: field('apps/v1'),
    resources: field(['deployments']),
    healthy: text(),
  };
  if (random.chance(0.5)) fields['message'] = text();
  if (random.chance(0.4)) fields['failed'] = text();
  if (random.chance(0.3)) fields['suspended'] = text();
  if (random.chance(0.3)) fields['name'] = field('a');
  if (random.chance(0.2)) fields['variables'] = field([{ name: field('v'), expression: text() }]);
  if (random.chance(0.2))
    fields['related'] = field([{ name: field('r'), apiVersion: 'v1', resource: field('configmaps'), object: text() }]);
  if (random.chance(0.1)) fields['odd'] = value(random, 1);
  return fields;
}

function ruleSet(random: Random): Record<string, unknown> {
  const spec: Record<string, unknown> = {
    rules: random.chance(0.05) ? value(random, 2) : Array.from({ length: 1 + random.below(3) }, () => rule(random)),
  };
  if (random.chance(0.4)) spec['preamble'] = random.chance(0.2) ? value(random, 1) : random.pick(['None', 'Standard']);
  if (random.chance(0.2)) spec['generic'] = random.chance(0.3) ? value(random, 1) : true;
  const kind = random.pick(['GlobalHealthRuleSet', 'HealthRuleSet']);
  return {
    apiVersion: 'convoy.kumodo.io/v1alpha1',
    kind,
    metadata: random.chance(0.1) ? value(random, 1) : { name: 's' },
    spec: random.chance(0.05) ? value(random, 2) : spec,
  };
}

function subject(random: Random): Record<string, unknown> {
  const pick = (usual: unknown): unknown => (random.chance(0.2) ? value(random, 3) : usual);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: pick({ name: 'a', generation: 1 }),
    spec: pick(SUBJECT.m),
    status: pick({ phase: 'x', conditions: pick([{ type: 'Ready', status: 'True' }]) }),
  };
}

export const ruleFiles: FuzzTarget = {
  name: 'rule-files',
  law: 'any rule document is read or refused in the words of its author, and what is read judges any object',
  try(random, describe) {
    const document = ruleSet(random);
    const object = subject(random);
    describe(JSON.stringify({ document, object }));
    const { set, problems } = readRuleSet(document, 'fuzz.yaml');
    for (const { message } of problems)
      if (message.includes('\n')) throw new Error(`a problem of several lines: ${message}`);
    if (!set) {
      if (problems.length === 0) throw new Error('refused without a problem');
      return;
    }
    const rules = compileRuleSets([set]);
    rules.compileAll();
    const verdict = assess({ object, rules, now: 0, failFast: random.chance(0.5) });
    if (!['Healthy', 'Progressing', 'Degraded', 'Unknown'].includes(verdict.state))
      throw new Error(`state ${verdict.state}`);
    if (new TextEncoder().encode(verdict.message).length > 512) throw new Error('a message of more than 512 bytes');
  },
};
