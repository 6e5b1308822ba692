import { describe, expect, it } from 'vitest';
import { parsed } from '../syntax/syntax.fixture.ts';
import { declare } from './check.fixture.ts';
import { resolveUnchecked } from './unchecked.ts';

const env = declare({ obj: 'dyn', 'a.b': 'dyn' });

function reference(source: string) {
  const ast = parsed(source);
  return resolveUnchecked(ast, env).checked.references.get(ast.root.id);
}

describe('names of an expression that is not checked', () => {
  it('stand for variables, types and the longest qualified name', () => {
    expect(reference('obj')).toEqual({ kind: 'variable', name: 'obj' });
    expect(reference('a.b')).toEqual({ kind: 'variable', name: 'a.b' });
    expect(reference('int')).toMatchObject({ kind: 'type', type: { name: 'int' } });
  });

  it('are variables when nothing declares them', () => {
    expect(reference('unknown')).toEqual({ kind: 'variable', name: 'unknown' });
    expect(reference('.unknown')).toEqual({ kind: 'variable', name: 'unknown' });
  });

  it('of iteration variables have no reference', () => {
    const ast = parsed('[1].map(obj, obj)');
    expect(resolveUnchecked(ast, env).checked.references.size).toBe(0);
  });
});

describe('calls of an expression that is not checked', () => {
  it('keep every overload of their style', () => {
    const global = reference('size(obj)');
    const member = reference('obj.size()');
    expect(global?.kind === 'function' && global.overloads.every((each) => !each.member)).toBe(true);
    expect(member?.kind === 'function' && member.overloads.every((each) => each.member)).toBe(true);
    expect(reference('math.abs(obj)')).toMatchObject({ kind: 'function', namespaced: true });
  });

  it('have no reference and no issue when nothing declares the function', () => {
    expect(reference('unknown(1)')).toBeUndefined();
    expect(resolveUnchecked(parsed('unknown(1) || true'), env).issues).toEqual([]);
  });

  it('refuse message literals all the same', () => {
    expect(resolveUnchecked(parsed('[T{}]'), env).issues).toMatchObject([{ code: 'not_supported', start: 1, end: 4 }]);
  });
});
