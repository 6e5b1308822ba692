import { describe, expect, it } from 'vitest';
import { type CelValue, createEnvironment, isCelError, type Program } from './index.ts';
import { explainText } from './tools.ts';

const environment = createEnvironment({ variables: { c: 'dyn', o: 'dyn' } });
const generating = createEnvironment({ variables: { c: 'dyn', o: 'dyn' }, codegen: 'eager' });

function program(source: string, from = environment): Program {
  const compiled = from.compile(source);
  if (!compiled.ok) throw new Error(compiled.issues[0]?.message);
  return compiled.program;
}

/** `cel.bind` in `cel.bind`, sixty deep, each of which reads the variable before it twice: 2^60 reads, written out. */
function doubling(read: (variable: string) => string): string {
  const levels = Array.from({ length: 60 }, (_, level) => `cel.bind(v${level + 1}, ${read(`v${level}`)}, `);
  return `cel.bind(v0, o, ${levels.join('')}v60${')'.repeat(61)}`;
}

describe('variables that read others twice, sixty levels deep', () => {
  const choice = doubling((variable) => `c ? ${variable} : ${variable}`);
  const path = doubling((variable) => `${variable}.x[${variable}.y]`);
  const sum = doubling((variable) => `${variable} + ${variable}`);

  it.each([
    ['closures', environment],
    ['generated code', generating],
  ])('compile and run: %s', (_, from) => {
    expect(program(choice, from).evaluate({ c: true, o: 7 })).toBe(7);
    expect(program(sum, from).evaluate({ c: true, o: 0 })).toBe(0);
    expect(program(path, from).evaluate({ c: true, o: {} })).toMatchObject({ code: 'no_such_key' });
  });

  it('are explained, and know what they read', () => {
    expect(program(choice).explain({ c: true, o: 7 }).result).toBe(7);
    expect(program(choice).referencedPaths.toArray()).toHaveLength(2);
    expect(program(choice).affectedBy('o', 7, 8)).toBe(true);
  });
});

describe('constants that cost more than compiling may', () => {
  it('are left to the run, which meets the limit', () => {
    const long = `"${'a'.repeat(1000)}".replace("a", "${'b'.repeat(1000)}").replace("b", "${'c'.repeat(1000)}")`;
    const result = program(`${long} == ""`).evaluate({});
    expect(isCelError(result) && result.code).toMatch(/^(?:cost|work)_limit$/);
  });

  it('share one limit, whatever their number', () => {
    const many = `[${Array.from({ length: 3000 }, () => 'lists.range(100000).sum()').join(', ')}]`;
    const result = program(`${many}.size()`).evaluate({});
    expect(isCelError(result) && result.code).toMatch(/^(?:cost|work)_limit$/);
  });
});

describe('what a caller of the engine may get wrong', () => {
  const wordless = Object.create(null);
  const throwing = (): never => {
    throw wordless;
  };

  it('a getter that throws something without a text is an error, and an explanation', () => {
    const o = Object.defineProperty({}, 'a', { enumerable: true, get: throwing });
    expect(program('o.a').evaluate({ o })).toMatchObject({ code: 'internal' });
    expect(explainText(program('o').explain({ o }))).toBe('o is ?');
  });

  it('a limit that is not a number lets nothing run', () => {
    expect(program('1 + o').evaluate({ o: 1 }, { cost: Number.NaN })).toMatchObject({ code: 'cost_limit' });
  });

  it.each([
    ['nothing', undefined],
    ['a promise', Promise.resolve(1)],
    ['a function', () => 1],
  ])('a function of its own that gives %s has failed', (_, given) => {
    const own = createEnvironment({
      functions: [{ name: 'own', params: [], result: 'dyn', impl: () => given as unknown as CelValue }],
    });
    expect(program('own()', own).evaluate({})).toMatchObject({ code: 'function_threw' });
  });

  it('a function of its own that throws something without a text has failed', () => {
    const own = createEnvironment({ functions: [{ name: 'own', params: [], result: 'int', impl: throwing }] });
    expect(program('own()', own).evaluate({})).toMatchObject({ code: 'function_threw' });
  });
});
