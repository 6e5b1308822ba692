import { describe, expect, it } from 'vitest';
import {
  BOOL,
  type CelType,
  DYN,
  INT,
  list,
  map,
  NULL,
  opaque,
  optional,
  param,
  STRING,
  TIMESTAMP,
} from '../value/cel-type.ts';
import { mostGeneral, sameType, Unification } from './unification.ts';

const T = param('T');
const U = param('U');

describe('assignability', () => {
  it.each<[CelType, CelType, boolean]>([
    [INT, INT, true],
    [INT, STRING, false],
    [INT, DYN, true],
    [DYN, INT, true],
    [list(DYN), list(INT), true],
    [list(INT), list(STRING), false],
    [map(STRING, INT), map(STRING, DYN), true],
    [NULL, TIMESTAMP, true],
    [TIMESTAMP, NULL, true],
    [NULL, opaque('x'), true],
    [NULL, INT, false],
    [NULL, list(INT), false],
    [opaque('x'), opaque('y'), false],
    [optional(INT), optional(STRING), false],
    [list(T), list(INT), true],
    [T, list(T), false],
  ])('%s to %s: %s', (from, to, expected) => {
    expect(new Unification().assignable(from, to)).toBe(expected);
  });

  it('binds a parameter to the most general type it met', () => {
    const unification = new Unification();
    expect(unification.allAssignable([INT, DYN], [T, T])).toBe(true);
    expect(String(unification.substitute(list(T), false))).toBe('list(dyn)');
  });

  it('follows chains of parameters', () => {
    const unification = new Unification();
    expect(unification.assignable(T, U)).toBe(true);
    expect(unification.assignable(list(INT), U)).toBe(true);
    expect(String(unification.substitute(map(T, U), true))).toBe('map(list(int), list(int))');
  });

  it('binds nothing when a later argument does not fit', () => {
    const unification = new Unification();
    expect(unification.allAssignable([INT, STRING], [T, BOOL])).toBe(false);
    expect(unification.assignable(STRING, T)).toBe(true);
  });

  it('gives the same name the same fresh parameter', () => {
    const [a, b, c] = new Unification().instantiate([T, list(T), U]);
    expect(a && b && sameType(list(a), b)).toBe(true);
    expect(a && c && sameType(a, c)).toBe(false);
  });

  it('takes dyn for what nothing settled', () => {
    expect(String(new Unification().substitute(map(T, INT), true))).toBe('map(dyn, int)');
    expect(String(new Unification().substitute(T, false))).toBe('T');
  });
});

describe('the more general of two types', () => {
  it.each<[CelType, CelType, CelType]>([
    [INT, DYN, DYN],
    [list(INT), list(DYN), list(DYN)],
    [optional(INT), NULL, optional(INT)],
    [NULL, TIMESTAMP, TIMESTAMP],
    [INT, INT, INT],
  ])('of %s and %s is %s', (a, b, expected) => {
    expect(String(mostGeneral(a, b))).toBe(String(expected));
  });
});
