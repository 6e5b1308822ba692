import { describe, expect, it } from 'vitest';
import { readRuleTests, runRuleTest } from './rule-test.ts';
import { widget, widgetRules } from './widget-rules.fixture.ts';

describe('reading rule.test.yaml', () => {
  it('gives the cases', () => {
    const document = {
      cases: [
        {
          name: 'done',
          object: 'a.yaml',
          with: ['b.yaml'],
          state: 'Healthy',
          message: '',
          now: '1970-01-01T00:00:01Z',
          deadline: '5m',
        },
      ],
    };
    expect(readRuleTests(document, 't')).toEqual({
      cases: [
        {
          name: 'done',
          object: 'a.yaml',
          with: ['b.yaml'],
          state: 'Healthy',
          message: '',
          now: 1000,
          deadline: 300_000,
        },
      ],
      problems: [],
    });
  });

  it.each([undefined, null, {}, { cases: [] }, { cases: 'x' }])('%j has no cases and says so', (document) => {
    expect(readRuleTests(document, 't').problems.map(({ path }) => path)).toEqual(['cases']);
  });

  it('says what is wrong with a case and keeps the others', () => {
    const document = {
      cases: [
        5,
        { object: 'a.yaml', state: 'Fine' },
        { state: 'Healthy' },
        { object: 'a', state: 'Healthy', stat: 1 },
        { object: 'a', state: 'Healthy', now: 'noon', deadline: 'soon' },
      ],
    };
    const { cases, problems } = readRuleTests(document, 't');
    expect(cases).toHaveLength(2);
    expect(problems.map(({ path }) => path)).toEqual([
      'cases[0]',
      'cases[1].state',
      'cases[2].object',
      'cases[3].stat',
      'cases[4].now',
      'cases[4].deadline',
    ]);
  });
});

describe('running a case', () => {
  const rules = widgetRules({ healthy: 'status.?ok.orValue(false)', message: '"not ok"' });
  const base = { name: 'case', object: 'a.yaml', with: [] };

  it('passes when state, reason and message are as written; what is not written is not compared', () => {
    const full = { ...base, state: 'Progressing', reason: 'RuleFailed', message: 'not ok' } as const;
    expect(runRuleTest(full, [widget()], rules, 0)).toMatchObject({ passed: true, differences: [] });
    expect(runRuleTest({ ...base, state: 'Healthy' }, [widget({ status: { ok: true } })], rules, 0).passed).toBe(true);
  });

  it('shows each difference, and what the rule said', () => {
    const result = runRuleTest({ ...base, state: 'Healthy' }, [widget()], rules, 0);
    expect(result.passed).toBe(false);
    expect(result.differences).toEqual(['state: expected "Healthy", got "Progressing"', 'it says: not ok']);
  });

  it('judges at the time of the case with its deadline', () => {
    const object = widget({ metadata: { name: 'one', creationTimestamp: '1970-01-01T00:00:00Z' } });
    const late = { ...base, state: 'Degraded', reason: 'DeadlineExceeded', now: 60_000, deadline: 60_000 } as const;
    expect(runRuleTest(late, [object], rules, 0).differences).toEqual([]);
  });
});
