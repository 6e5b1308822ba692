import { describe, expect, it } from 'vitest';
import { assess, judge } from './assess.ts';
import { type CompiledRules, compileRuleSets } from './compile.ts';
import type { Verdict } from './verdict.ts';
import { ruleSet, widget, widgetRule, widgetRules } from './widget-rules.fixture.ts';

const MINUTE = 60_000;

function verdict(rules: CompiledRules, object = widget(), more: Partial<Parameters<typeof assess>[0]> = {}): Verdict {
  return assess({ object, rules, now: 10 * MINUTE, failFast: true, ...more });
}

describe('one rule', () => {
  it('no rule for the kind: healthy, and it says so', () => {
    expect(verdict(compileRuleSets([]))).toEqual({ state: 'Healthy', reason: 'NoRule', message: '' });
  });

  it('true: healthy without a message', () => {
    expect(verdict(widgetRules({ healthy: 'true', message: '"unused"' }))).toEqual({
      state: 'Healthy',
      reason: 'AllRulesPass',
      message: '',
    });
  });

  it('false: progressing with its message and its name', () => {
    expect(verdict(widgetRules({ healthy: 'false', message: '"no " + kind' }))).toEqual({
      state: 'Progressing',
      reason: 'RuleFailed',
      message: 'no Widget',
      rule: 'tested#works',
    });
  });

  it('false without a message: the message names the rule', () => {
    expect(verdict(widgetRules({ healthy: 'false' })).message).toBe('rule works is false');
  });

  it('an expression that fails is Unknown, not unhealthy', () => {
    const { state, reason, message } = verdict(widgetRules({ healthy: 'status.phase == "Done"' }));
    expect([state, reason]).toEqual(['Unknown', 'RuleError']);
    expect(message).toMatch(/^rule tested#works: .*phase/);
  });

  it('a value that is no bool is Unknown', () => {
    expect(verdict(widgetRules({ healthy: '"yes"' }))).toMatchObject({
      state: 'Unknown',
      reason: 'RuleError',
      message: 'rule tested#works: healthy gives no bool',
    });
  });

  it('a rule that does not compile is Unknown', () => {
    const { state, message } = verdict(widgetRules({ healthy: 'status.phase ==' }));
    expect(state).toBe('Unknown');
    expect(message).toContain('healthy does not compile');
  });

  it('an error in failed or suspended is Unknown too, but only when they are needed', () => {
    expect(verdict(widgetRules({ healthy: 'false', failed: 'status.gone' })).state).toBe('Unknown');
    expect(verdict(widgetRules({ healthy: 'false', suspended: '1' })).state).toBe('Unknown');
    expect(verdict(widgetRules({ healthy: 'true', failed: 'status.gone' })).state).toBe('Healthy');
  });

  it('an error in the message keeps the verdict', () => {
    const { state, message } = verdict(widgetRules({ healthy: 'false', message: 'status.gone' }));
    expect(state).toBe('Progressing');
    expect(message).toMatch(/^rule works is false \(its message: /);
  });

  it('a rule over the cost limit ends as Unknown', () => {
    const list = 'lists.range(1000)';
    const rules = widgetRules({ healthy: `${list}.all(a, ${list}.all(b, ${list}.all(c, a + b + c >= 0)))` });
    expect(verdict(rules)).toMatchObject({ state: 'Unknown', reason: 'CostLimitExceeded' });
  });

  it('a limit that a variable hits is not absorbed by an operator', () => {
    const list = 'lists.range(1000)';
    const expression = `${list}.all(a, ${list}.all(b, ${list}.all(c, a + b + c >= 0)))`;
    const rules = widgetRules({ variables: [{ name: 'slow', expression }], healthy: 'variables.slow || true' });
    expect(verdict(rules).reason).toBe('CostLimitExceeded');
  });
});

describe('what a rule sees', () => {
  it('the whole object under three names, its parts as variables', () => {
    const healthy = `object == self && self == obj && kind == "Widget" && apiVersion == "example.test/v1"
      && metadata.name == "one" && spec.size == 1 && status.phase == "Done" && data.key == "value"`;
    const object = widget({ spec: { size: 1 }, status: { phase: 'Done' }, data: { key: 'value' } });
    expect(verdict(widgetRules({ healthy }), object).state).toBe('Healthy');
  });

  it.each([undefined, null, 'text', 7, []])('spec, status and data are empty maps when they are %j', (odd) => {
    const object = widget({ spec: odd, status: odd, data: odd });
    const healthy = '!has(status.phase) && size(spec) == 0 && size(data) == 0';
    expect(verdict(widgetRules({ healthy }), object).state).toBe('Healthy');
  });

  it('now is the time of the pass', () => {
    expect(verdict(widgetRules({ healthy: 'now == timestamp("1970-01-01T00:10:00Z")' })).state).toBe('Healthy');
  });

  it('conditions are the list that is safe to read', () => {
    const object = widget({ status: { conditions: [null, 1, { type: 'Ready', status: 'True' }] } });
    expect(
      verdict(widgetRules({ healthy: 'conditions.exists(c, c.type == "Ready" && c.status == "True")' }), object).state,
    ).toBe('Healthy');
    expect(verdict(widgetRules({ healthy: 'conditions == []' }), widget({ status: { conditions: 'x' } })).state).toBe(
      'Healthy',
    );
  });

  it('variables, which see those before them', () => {
    const variables = [
      { name: 'ready', expression: 'status.?ready.orValue(0)' },
      { name: 'enough', expression: 'variables.ready >= 2' },
    ];
    const rules = widgetRules({
      variables,
      healthy: 'variables.enough',
      message: '"%d ready".format([variables.ready])',
    });
    expect(verdict(rules, widget({ status: { ready: 1 } })).message).toBe('1 ready');
    expect(verdict(rules, widget({ status: { ready: 2 } })).state).toBe('Healthy');
    // The values of one object do not stay for the next.
    expect(verdict(rules, widget()).message).toBe('0 ready');
  });

  it('a variable that fails is an error where it is read, and names itself', () => {
    const variables = [{ name: 'phase', expression: 'status.phase' }];
    expect(verdict(widgetRules({ variables, healthy: 'variables.phase == "Done"' })).message).toMatch(
      /variables\.phase: /,
    );
    expect(verdict(widgetRules({ variables, healthy: 'variables.phase == "Done" || true' })).state).toBe('Healthy');
    expect(verdict(widgetRules({ variables, healthy: 'kind == "Widget"' })).state).toBe('Healthy');
  });

  it('integers of JSON are ints, also beyond 2^53', () => {
    const object = widget({ spec: { replicas: 3 }, status: { ready: 3, big: 9007199254740993n } });
    const healthy = 'status.ready == 3 && status.ready >= spec.replicas && status.big == 9007199254740993';
    expect(verdict(widgetRules({ healthy }), object).state).toBe('Healthy');
  });

  it('a related object by name, and null when it is not there or the name is no text', () => {
    const related = [{ name: 'class', apiVersion: 'v1', resource: 'classes', object: 'spec.?class.orValue("")' }];
    const rules = widgetRules({ related, healthy: 'related.class != null && related.class.mode == "Late"' });
    const find = (_: unknown, name: string) => (name === 'late' ? { mode: 'Late' } : null);
    expect(verdict(rules, widget({ spec: { class: 'late' } }), { related: find }).state).toBe('Healthy');
    expect(verdict(rules, widget({ spec: { class: 'other' } }), { related: find }).state).toBe('Progressing');
    expect(verdict(rules, widget({ spec: { class: 5 } }), { related: find }).state).toBe('Progressing');
    expect(verdict(rules, widget(), { related: find }).state).toBe('Progressing');
  });

  it('no rule sees the values of a Secret: a local set its keys, a global one how long each value is', () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 's',
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"password":"aGk="}}' },
      },
      data: { password: 'aGk=' },
      stringData: { token: 'open' },
    };
    const rule = widgetRule({
      apiVersions: ['v1'],
      resources: ['secrets'],
      healthy: 'false',
      message: '"%s %s %s".format([object.data, object.stringData, object.metadata.annotations])',
    });
    const local = verdict(compileRuleSets([ruleSet([rule], { namespace: 'shop' })]), secret).message;
    expect(local).not.toMatch(/aGk|open/);
    expect(local).toContain('password');
    const global = verdict(compileRuleSets([ruleSet([rule])]), secret).message;
    expect(global).not.toMatch(/aGk|open/);
    expect(global).toMatch(/password.*\*{4}/);
  });
});

describe('time and failFast', () => {
  const rules = widgetRules({ healthy: 'false', message: '"not yet"' });

  it('without a deadline a failing object stays progressing', () => {
    expect(verdict(rules, widget(), { firstUnhealthy: 0 })).toMatchObject({
      state: 'Progressing',
      reason: 'RuleFailed',
    });
  });

  it('before the deadline it is progressing and says when to look again', () => {
    expect(verdict(rules, widget(), { firstUnhealthy: 8 * MINUTE, deadline: 5 * MINUTE })).toMatchObject({
      state: 'Progressing',
      recheckAfter: 3 * MINUTE,
    });
  });

  it('at the deadline it is degraded', () => {
    const degraded = verdict(rules, widget(), { firstUnhealthy: 5 * MINUTE, deadline: 5 * MINUTE });
    expect(degraded).toMatchObject({ state: 'Degraded', reason: 'DeadlineExceeded', message: 'not yet' });
    expect(degraded.recheckAfter).toBeUndefined();
  });

  it('failed is degraded at once with failFast, at the deadline without', () => {
    const failed = widgetRules({ healthy: 'false', failed: 'true' });
    expect(verdict(failed)).toMatchObject({ state: 'Degraded', reason: 'Failed' });
    expect(verdict(failed, widget(), { failFast: false })).toMatchObject({ state: 'Progressing', reason: 'Failed' });
    const late = { failFast: false, firstUnhealthy: 0, deadline: MINUTE };
    expect(verdict(failed, widget(), late)).toMatchObject({ state: 'Degraded', reason: 'Failed' });
  });

  it('a suspended object waits for ever, and its clock stands', () => {
    const suspended = widgetRules({ healthy: 'false', suspended: 'true' });
    const input = {
      object: widget(),
      rules: suspended,
      now: 10 * MINUTE,
      failFast: true,
      firstUnhealthy: 0,
      deadline: MINUTE,
    };
    expect(judge(input)).toEqual({
      verdict: expect.objectContaining({ state: 'Progressing', reason: 'Suspended' }),
      firstUnhealthy: undefined,
    });
  });

  it('failed is asked before suspended', () => {
    expect(verdict(widgetRules({ healthy: 'false', failed: 'true', suspended: 'true' })).reason).toBe('Failed');
  });
});

describe('the start of the failing time', () => {
  const input = { object: widget(), now: 10 * MINUTE, failFast: true };

  it('is now at the first failure and stays after it', () => {
    const rules = widgetRules({ healthy: 'false' });
    expect(judge({ ...input, rules }).firstUnhealthy).toBe(10 * MINUTE);
    expect(judge({ ...input, rules, firstUnhealthy: MINUTE }).firstUnhealthy).toBe(MINUTE);
  });

  it('ends with a pass', () => {
    expect(
      judge({ ...input, rules: widgetRules({ healthy: 'true' }), firstUnhealthy: MINUTE }).firstUnhealthy,
    ).toBeUndefined();
  });

  it('is kept by Unknown and not begun by it', () => {
    const rules = widgetRules({ healthy: 'status.gone' });
    expect(judge({ ...input, rules, firstUnhealthy: MINUTE }).firstUnhealthy).toBe(MINUTE);
    expect(judge({ ...input, rules }).firstUnhealthy).toBeUndefined();
  });
});

describe('several rules', () => {
  const several = (...rules: Parameters<typeof widgetRule>[0][]) =>
    compileRuleSets([ruleSet(rules.map((rule, index) => widgetRule({ ...rule, name: `r${index}` })))]);

  it('the first that fails gives the message', () => {
    const rules = several(
      { healthy: 'true' },
      { healthy: 'false', message: '"first"' },
      { healthy: 'false', message: '"second"' },
    );
    expect(verdict(rules)).toMatchObject({ message: 'first', rule: 'tested#r1' });
  });

  it('the worst state decides and names its first rule', () => {
    const rules = several(
      { healthy: 'false', message: '"slow"' },
      { healthy: 'status.gone' },
      { healthy: 'false', failed: 'true', message: '"dead"' },
    );
    expect(verdict(rules)).toMatchObject({ state: 'Degraded', message: 'dead' });
    expect(verdict(rules, widget(), { failFast: false })).toMatchObject({ state: 'Unknown', rule: 'tested#r1' });
  });

  it('a failure beside an error is Unknown, and Degraded on time', () => {
    const rules = several({ healthy: 'status.gone' }, { healthy: 'false', message: '"slow"' });
    const input = { object: widget(), rules, now: 10 * MINUTE, failFast: true, deadline: 5 * MINUTE };
    const first = judge(input);
    expect(first.verdict).toMatchObject({ state: 'Unknown', recheckAfter: 5 * MINUTE });
    expect(first.firstUnhealthy).toBe(10 * MINUTE);
    const later = judge({ ...input, now: 15 * MINUTE, firstUnhealthy: first.firstUnhealthy });
    expect(later.verdict).toMatchObject({ state: 'Degraded', message: 'slow' });
  });
});

describe('the preamble', () => {
  const deleting = widget({ metadata: { name: 'one', deletionTimestamp: '2026-01-01T00:00:00Z' } });

  it('Standard: a deleting object is Terminating before its rules are asked', () => {
    const rules = widgetRules({ healthy: 'true', failed: 'true' }, { preamble: 'Standard' });
    expect(verdict(rules, deleting)).toMatchObject({ state: 'Progressing', reason: 'Terminating' });
  });

  it('Standard: its failures run into the deadline like any other', () => {
    const rules = widgetRules({ healthy: 'true' }, { preamble: 'Standard' });
    expect(verdict(rules, deleting, { firstUnhealthy: 0, deadline: MINUTE })).toMatchObject({
      state: 'Degraded',
      reason: 'Terminating',
    });
  });

  it('None: nothing but the rules', () => {
    const stale = { ...deleting, metadata: { generation: 2 }, status: { observedGeneration: 1 } };
    expect(verdict(widgetRules({ healthy: 'true' }), deleting).state).toBe('Healthy');
    expect(verdict(widgetRules({ healthy: 'true' }), stale).state).toBe('Healthy');
  });

  it('k0rdent rules: a deleting object is healthy, only obj is bound', () => {
    const set = { contract: 'k0rdent' } as const;
    expect(verdict(widgetRules({ healthy: 'false', message: '"x"' }, set), deleting).state).toBe('Healthy');
    expect(verdict(widgetRules({ healthy: 'obj.kind == "Widget"', message: '"x"' }, set)).state).toBe('Healthy');
    expect(verdict(widgetRules({ healthy: 'object.kind == "Widget"', message: '"x"' }, set)).state).toBe('Unknown');
  });
});

describe('reasons that a rule refines', () => {
  it('may stand in a variable', () => {
    const variables = [{ name: 'why', expression: '"NoStatus"' }];
    expect(verdict(widgetRules({ variables, healthy: 'false', reason: 'variables.why' })).reason).toBe('NoStatus');
  });

  it('an error in it keeps the verdict', () => {
    const reason = 'status.gone == 1 ? "NoStatus" : "NoSignal"';
    expect(verdict(widgetRules({ healthy: 'false', message: '"no"', reason }))).toMatchObject({
      state: 'Progressing',
      reason: 'RuleFailed',
      message: 'no',
    });
    expect(verdict(widgetRules({ healthy: 'true', reason }))).toMatchObject({
      state: 'Healthy',
      reason: 'AllRulesPass',
    });
  });

  it('NoSignal beside a pass, NoStatus beside a failure, nothing else', () => {
    expect(verdict(widgetRules({ healthy: 'true', reason: '"NoSignal"' })).reason).toBe('NoSignal');
    expect(verdict(widgetRules({ healthy: 'false', reason: '"NoStatus"' })).reason).toBe('NoStatus');
    expect(verdict(widgetRules({ healthy: 'false', reason: '"NoSignal"' })).reason).toBe('RuleFailed');
    expect(verdict(widgetRules({ healthy: 'true', reason: '"Anything"' })).reason).toBe('AllRulesPass');
  });
});

describe('odd objects', () => {
  it.each([
    ['metadata null', widget({ metadata: null })],
    ['status a text', widget({ status: 'a string' })],
    ['conditions a map', widget({ status: { conditions: { type: 'Ready' } } })],
    ['everything null', { apiVersion: 'example.test/v1', kind: 'Widget', metadata: null, spec: null, status: null }],
    [
      'a key named __proto__',
      JSON.parse('{"apiVersion":"example.test/v1","kind":"Widget","status":{"__proto__":{"phase":"Done"}}}'),
    ],
  ])('%s: judged, never a crash', (_, object) => {
    const rules = widgetRules({ healthy: 'status.?phase.orValue("") == "Done"' }, { preamble: 'Standard' });
    expect(verdict(rules, object).state).toBe('Progressing');
  });
});
