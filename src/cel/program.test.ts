import { describe, expect, it } from 'vitest';
import { createEnvironment, type EnvironmentOptions, type Program } from './index.ts';

const RULE = 'obj.list.exists(e, e.a == 3) || obj.b / obj.c > 1';
const OBJECTS = [
  { list: [{ a: 1 }, { a: 3 }] },
  { list: [{}], b: 4, c: 2 },
  { list: [], b: 1, c: 0 },
  { list: 1 },
  {},
  7,
];

function program(codegen: NonNullable<EnvironmentOptions['codegen']>): Program {
  const compiled = createEnvironment({ variables: { obj: 'dyn' }, codegen }).compile(RULE);
  if (!compiled.ok) throw new Error(compiled.issues[0]?.message);
  return compiled.program;
}

/** Result and cost of every object, as text. */
function answers(of: Program): string {
  return JSON.stringify(OBJECTS.map((obj) => [of.evaluate({ obj }), of.lastCost]));
}

describe('a program of an environment that may generate code', () => {
  it('runs as closures until it has proved hot, and answers the same before, at and after that', () => {
    const [tried, plain] = [program(true), program(false)];
    expect(tried.backend).toBe('closures');
    const expected = answers(plain);
    let rounds = 0;
    while (tried.backend === 'closures' && rounds < 10_000) {
      expect(answers(tried)).toBe(expected);
      rounds += 1;
    }
    expect(rounds).toBeGreaterThan(100);
    expect(tried.backend).toBe('code');
    expect(answers(tried)).toBe(expected);
    expect(plain.backend).toBe('closures');
  });

  it('compares two versions of an object alike, before it is hot and after that', () => {
    const [tried, plain] = [program(true), program(false)];
    const versions = [...OBJECTS, { list: [{ a: 1 }, { a: 4 }] }, { list: [{ a: 1 }], other: 1 }, { list: { a: 3 } }];
    const verdicts = (of: Program): string =>
      versions
        .map((one) => versions.map((other) => Number(of.affectedBy('obj', one, structuredClone(other)))).join(''))
        .join(' ');
    const expected = verdicts(plain);
    expect(expected).toMatch(/01|10/);
    for (let round = 0; round < 30; round += 1) expect(verdicts(tried)).toBe(expected);
    expect(tried.affectedBy('nothing', 1, 2)).toBe(false);
  });

  it('is code from the first evaluation where that is asked for', () => {
    const eager = program('eager');
    expect(eager.backend).toBe('code');
    expect(answers(eager)).toBe(answers(program(false)));
  });
});

it('takes any text for a function of the caller that is called like a search', () => {
  const find = { name: 'find', params: ['string', 'string'], result: 'bool', impl: () => true } as const;
  const own = createEnvironment({ variables: { s: 'string' }, libraries: ['-kubernetes.regex'], functions: [find] });
  expect(own.compile('find(s, "(")').ok).toBe(true);
  expect(createEnvironment({ variables: { s: 'string' } }).compile('s.find("(")').ok).toBe(false);
});
