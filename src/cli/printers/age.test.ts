import { expect, it } from 'vitest';
import { ageOf } from './age.ts';

const NOW = Date.parse('2026-03-02T10:00:00Z');

it.each([
  ['2026-03-02T10:00:00Z', '0s'],
  ['2026-03-02T09:59:15Z', '45s'],
  ['2026-03-02T09:58:15Z', '105s'],
  ['2026-03-02T09:57:30Z', '2m30s'],
  ['2026-03-02T09:40:30Z', '19m'],
  ['2026-03-02T06:40:00Z', '3h20m'],
  ['2026-02-28T10:00:00Z', '2d'],
  ['2025-03-02T10:00:00Z', '365d'],
  ['2026-03-02T10:00:05Z', '0s'],
  ['yesterday', ''],
  [undefined, ''],
])('%s is %s ago', (time, age) => {
  expect(ageOf(time, NOW)).toBe(age);
});
