import { describe, expect, it } from 'vitest';
import { type LabelSelector, readLabelSelector, selectorText } from './label-selector.ts';

function fits(selector: LabelSelector, labels: Record<string, string>): boolean {
  const matcher = readLabelSelector(selector);
  if ('problem' in matcher) throw new Error(matcher.problem);
  return matcher(labels);
}

function problem(selector: LabelSelector): string {
  const matcher = readLabelSelector(selector);
  return 'problem' in matcher ? matcher.problem : 'none';
}

describe('a label selector', () => {
  it('that is empty fits everything', () => {
    expect([fits({}, {}), fits({ matchLabels: {}, matchExpressions: [] }, { a: 'b' })]).toEqual([true, true]);
  });

  it('asks for all of its labels', () => {
    const selector = { matchLabels: { team: 'shop', 'convoy.kumodo.io/default': 'true' } };
    expect(fits(selector, { team: 'shop', 'convoy.kumodo.io/default': 'true', more: '' })).toBe(true);
    expect(fits(selector, { team: 'shop' })).toBe(false);
  });

  it.each([
    ['In', ['a', 'b'], [true, false, false]],
    ['NotIn', ['a', 'b'], [false, true, true]],
    ['Exists', undefined, [true, true, false]],
    ['DoesNotExist', undefined, [false, false, true]],
  ])('%s %o: an object with a value of the list, with another, without the label', (operator, values, expected) => {
    const selector = { matchExpressions: [{ key: 'k', operator, ...(values === undefined ? {} : { values }) }] };
    expect([{ k: 'a' }, { k: 'x' }, {}].map((labels) => fits(selector, labels as Record<string, string>))).toEqual(
      expected,
    );
  });

  it.each<[string, LabelSelector]>([
    [
      'operator "Matches" of label "k" is none of In, NotIn, Exists, DoesNotExist',
      { matchExpressions: [{ key: 'k', operator: 'Matches' }] },
    ],
    ['In of label "k" needs values', { matchExpressions: [{ key: 'k', operator: 'In' }] }],
    ['Exists of label "k" takes no values', { matchExpressions: [{ key: 'k', operator: 'Exists', values: ['a'] }] }],
    ['"a b" is no label key', { matchLabels: { 'a b': 'c' } }],
    ['"Up/k" is no label key', { matchLabels: { 'Up/k': 'c' } }],
    ['"-x" is no value of label "k"', { matchLabels: { k: '-x' } }],
    ['"a,b" is no value of label "k"', { matchExpressions: [{ key: 'k', operator: 'In', values: ['a,b'] }] }],
  ])('is refused: %s', (message, selector) => {
    expect(problem(selector)).toBe(message);
  });

  it('as the query parameter of a list', () => {
    const matchExpressions = [
      { key: 'a', operator: 'In', values: ['1', '2'] },
      { key: 'b', operator: 'NotIn', values: ['3'] },
      { key: 'c', operator: 'Exists' },
      { key: 'd', operator: 'DoesNotExist' },
    ];
    expect(selectorText({ matchLabels: { app: 'web' }, matchExpressions })).toBe('app=web,a in (1,2),b notin (3),c,!d');
  });
});
