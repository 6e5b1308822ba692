import { describe, expect, it } from 'vitest';
import { evaluateJsonPath } from './evaluate.ts';
import { parseJsonPath } from './parse.ts';

const value = {
  kind: 'HealthReport',
  summary: { total: 3 },
  items: [
    { name: 'a', state: 'Healthy', index: 0, labels: { 'app.kubernetes.io/name': 'x' } },
    { name: 'b', state: 'Degraded', index: 1 },
    { name: 'c', state: 'Degraded', index: 2, deep: { name: 'd' } },
  ],
};

const run = (template: string): string => evaluateJsonPath(parseJsonPath(template), value);

describe('a template in the language of kubectl', () => {
  it.each([
    ['{.kind}', 'HealthReport'],
    ['.kind', 'HealthReport'],
    ['kind', 'HealthReport'],
    ['{$.summary.total}', '3'],
    ['{.items[*].name}', 'a b c'],
    ['{.items[0].name}', 'a'],
    ['{.items[-1].name}', 'c'],
    ['{.items[0,2].name}', 'a c'],
    ['{.items[1:].name}', 'b c'],
    ['{.items[:2].name}', 'a b'],
    ['{.items[::2].name}', 'a c'],
    ['{.items[7].name}', ''],
    ['{.nothing.here}', ''],
    ["{.items[0]['name','state']}", 'a Healthy'],
    ['{.items[0].labels.app\\.kubernetes\\.io/name}', 'x'],
    ['{.summary}', '{"total":3}'],
    ['{.items[?(@.state=="Degraded")].name}', 'b c'],
    ["{.items[?(@.state!='Degraded')].name}", 'a'],
    ['{.items[?(@.index>=1)].name}', 'b c'],
    ['{.items[?(@.deep)].name}', 'c'],
    ['{..name}', 'a b c d'],
    ['{range .items[*]}{.name}={.state}{"\\n"}{end}', 'a=Healthy\nb=Degraded\nc=Degraded\n'],
    ['total: {.summary.total}\n', 'total: 3\n'],
    ['{.kind} {.summary.total}', 'HealthReport 3'],
  ])('%s', (template, text) => {
    expect(run(template)).toBe(text);
  });

  it('prints the whole report for {.} and {@}', () => {
    expect(JSON.parse(run('{.}'))).toEqual(value);
    expect(JSON.parse(run('{@}'))).toEqual(value);
  });
});

describe('a template with a mistake says where', () => {
  it.each([
    ['', 'it is empty'],
    ['{.a', '"{" without "}"'],
    ['{.items[}', '"[" wants a number, a name in quotes, * or ?( )'],
    ['{.items[0}', '"]" is missing'],
    ['{range .items[*]}{.name}', '{range} without {end}'],
    ['{end}', '{end} without {range}'],
    ['{.items[?(@.a=="b"]}', '")" is missing'],
    ['{(}', '"(}" where a path should be'],
    ['{range .items[*]}'.repeat(60), 'more than 50 ranges inside each other'],
    ['x'.repeat(100_001), 'it is longer than 100000 characters'],
  ])('%s', (template, reason) => {
    expect(() => run(template)).toThrow(reason);
  });
});

it('shows nothing that steers a terminal', () => {
  expect(evaluateJsonPath(parseJsonPath('{.a}'), { a: '\u001b[31mred\u009b\u202e' })).toBe('?[31mred??');
});

it('ends for a template that multiplies what it finds', () => {
  const deep = Array.from({ length: 30 }).reduce<unknown>((inner) => ({ a: inner, b: inner }), 1);
  expect(() => evaluateJsonPath(parseJsonPath('{..*}'), deep)).toThrow('multiplies what it finds');
  const chain = Array.from({ length: 40 }).reduce<unknown>((inner) => [inner], 1);
  expect(() => evaluateJsonPath(parseJsonPath(`{${'..[*]'.repeat(12)}}`), chain)).toThrow('multiplies what it finds');
});
