import { describe, expect, it } from 'vitest';
import { asInteger, asList, asMap, asTime, field, refOf, splitApiVersion } from './fields.ts';

describe('reading objects that nothing has validated', () => {
  it('anything but a map is an empty map, anything but a list an empty list', () => {
    for (const odd of [null, undefined, 'text', 7, true]) {
      expect(asMap(odd)).toEqual({});
      expect(asList(odd)).toEqual([]);
    }
    expect(asMap([1])).toEqual({});
    expect(asList({ a: 1 })).toEqual([]);
  });

  it('a field of the prototype is no field of the object', () => {
    expect(field({}, 'constructor')).toBeUndefined();
    expect(field({ a: 1 }, 'a')).toBe(1);
    expect(field(null, 'a')).toBeUndefined();
  });

  it('integers are read from numbers, big integers and strings of digits', () => {
    expect(asInteger(3)).toBe(3n);
    expect(asInteger(9007199254740993n)).toBe(9007199254740993n);
    expect(asInteger('12')).toBe(12n);
    expect(asInteger('6d4b7c')).toBeUndefined();
    expect(asInteger(1.5)).toBeUndefined();
    expect(asInteger(null)).toBeUndefined();
  });

  it('times are RFC 3339 texts', () => {
    expect(asTime('1970-01-01T00:00:01Z')).toBe(1000);
    expect(asTime('2026-01-01')).toBeUndefined();
    expect(asTime('2026-99-99T00:00:00Z')).toBeUndefined();
    expect(asTime(1000)).toBeUndefined();
  });

  it('the group of an apiVersion is what stands before the slash', () => {
    expect(splitApiVersion('apps/v1')).toEqual({ group: 'apps', version: 'v1' });
    expect(splitApiVersion('v1')).toEqual({ group: '', version: 'v1' });
  });

  it('an object without metadata has a reference with empty parts', () => {
    expect(refOf({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: null })).toEqual({
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
      namespace: '',
      name: '',
    });
  });
});
