import { describe, expect, it } from 'vitest';
import { pickVersion } from './pick-version.ts';

const ALL = [
  'v1.0.0',
  '1.4.2',
  '1.10.0',
  '2.0.0-rc.1',
  'latest',
  '1.4',
  'release-9',
  '3.0.0+build.2',
  '3.0.0+build.10',
];

describe('the highest version in a range', () => {
  it.each([
    ['~1.4', '1.4.2'],
    ['1.4', '1.4.2'],
    ['^1', '1.10.0'],
    ['>=1.0, <1.5', '1.4.2'],
    ['>=1.0 <1.5', '1.4.2'],
    ['1.0 - 1.4', '1.4.2'],
    ['1.0.0', 'v1.0.0'],
    ['<2.5', '1.10.0'],
    ['>=1.0.0-0 <2.5', '2.0.0-rc.1'],
    ['^2', undefined],
    ['*', '3.0.0+build.10'],
    ['^1 || ^3', '3.0.0+build.10'],
    ['x', '3.0.0+build.10'],
  ])('%s is %s', (range, version) => {
    expect(pickVersion(range, ALL)).toBe(version);
  });

  it('is refused for what is no range', () => {
    expect(() => pickVersion('newest', ALL)).toThrow('newest is no range of versions; write it like ~1.4 or >=1.2 <2');
  });
});
