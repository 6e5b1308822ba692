import { describe, expect, it } from 'vitest';
import { createEnvironment } from '../environment.ts';
import { CelError } from '../error.ts';
import { nameSince } from '../libraries/kubernetes-since.ts';
import { librariesOf } from '../libraries/version-sets.ts';
import * as tools from '../tools.ts';
import { typeOf } from '../value/type-of.ts';
import { LIBRARY_DOCS } from './library-tables.ts';

const everything = createEnvironment({ libraries: ['+block'] });
const { libraries } = librariesOf('convoy', ['+block'], {});
const docs = tools.describe(everything);
const examples = Object.entries(LIBRARY_DOCS).flatMap(([library, { entries }]) =>
  Object.entries(entries).flatMap(([name, entry]) =>
    entry.examples.map(([expression, result]) => ({ library, name, expression, result })),
  ),
);

describe('the docs of the libraries', () => {
  it('tell of every function and macro of every library', () => {
    const missing = libraries.flatMap((library) =>
      [...library.functions.map(({ name }) => name), ...(library.macros ?? [])]
        .filter((name) => LIBRARY_DOCS[library.name]?.entries[name] === undefined)
        .map((name) => `${library.name} ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it('tell of nothing that is not there', () => {
    const strange = Object.entries(LIBRARY_DOCS).flatMap(([library, { entries }]) => {
      const found = libraries.find(({ name }) => name === library);
      const names = [...(found?.functions ?? []).map(({ name }) => name), ...(found?.macros ?? [])];
      return Object.keys(entries).filter((name) => !names.includes(name));
    });
    expect(strange).toEqual([]);
  });

  it('have one sentence and at least one example for everything', () => {
    const poor = docs.filter(
      ({ documentation, examples: own, signature }) =>
        !/^[A-Z0-9-].*[^.]\.$/.test(documentation) || own.length === 0 || signature === '',
    );
    expect(poor.map(({ library, name }) => `${library} ${name}`)).toEqual([]);
  });

  it.each(examples)('$expression gives $result', ({ name, expression, result }) => {
    expect(expression).toMatch(new RegExp(`\\b${name.replace(/2$/, '').replace('.', '\\.')}\\(`));
    const compiled = everything.compile(expression);
    if (!compiled.ok) throw new Error(compiled.issues[0]?.message);
    const value = compiled.program.evaluate({});
    if (result.startsWith('error ')) {
      expect(value instanceof CelError && value.code).toBe(result.slice('error '.length));
      return;
    }
    const expected = everything.compile(result);
    if (!expected.ok) throw new Error(expected.issues[0]?.message);
    const wanted = expected.program.evaluate({});
    if (value instanceof CelError || wanted instanceof CelError) throw new Error(`${expression} is an error`);
    expect(typeOf(value).name).toBe(typeOf(wanted).name);
    const same = everything.compile(`dyn(${expression}) == dyn(${result})`);
    expect(same.ok && same.program.evaluate({})).toBe(true);
  });
});

describe('describe()', () => {
  it('gives each overload with its signature and the first Kubernetes version that has it', () => {
    const signatures = (name: string): string[] =>
      docs.filter((doc) => doc.name === name).map(({ signature, since }) => `${signature} ${since ?? 'never'}`);
    expect(signatures('indexOf')).toEqual([
      'string.indexOf(string) → int 1.23',
      'string.indexOf(string, int) → int 1.23',
      'list(A).indexOf(A) → int 1.23',
    ]);
    expect(signatures('semver')).toEqual([
      'semver(string) → kubernetes.Semver 1.33',
      'semver(string, bool) → kubernetes.Semver 1.33',
    ]);
    expect(signatures('math.abs')[0]).toBe('math.abs(double) → double never');
    expect(signatures('exists')).toEqual(['list.exists(x, condition) 1.23', 'list.exists(i, v, condition) 1.32']);
    expect(signatures('cel.bind')).toEqual(['cel.bind(name, value, expression) never']);
  });

  it('holds what the environment has, and no more', () => {
    const old = tools.describe(createEnvironment({ version: '1.27' }));
    expect(old.some(({ name }) => name === 'quantity')).toBe(false);
    expect(old.every(({ since }) => since === '1.23')).toBe(true);
  });

  it('holds the functions of the caller', () => {
    const own = tools.describe(
      createEnvironment({
        functions: [{ name: 'twice', params: ['int'], result: 'int', doc: 'Doubles.', impl: (x) => x ?? null }],
      }),
    );
    expect(own.at(-1)).toMatchObject({ library: 'own', signature: 'twice(int) → int', documentation: 'Doubles.' });
  });

  it('knows the version that first had a name', () => {
    expect([nameSince('quantity'), nameSince('size'), nameSince('math.abs'), nameSince('transformList')]).toEqual([
      28,
      23,
      undefined,
      32,
    ]);
  });
});
