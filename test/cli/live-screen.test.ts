import { describe, expect, it } from 'vitest';
import { screenOf } from '../../src/cli/printers/live-screen.ts';
import { healthReport } from '../../src/cli/report.ts';
import { NOW } from './memory-io.ts';

const report = healthReport(
  Array.from({ length: 10 }, (_, index) => ({
    index,
    object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: `pod-${index}`, namespace: 'shop' } },
    source: 'here',
    verdict: { state: 'Degraded', reason: 'Failed', message: 'a message that is long '.repeat(10) } as const,
  })),
);
const plain = (text: string): string[] =>
  text
    .replace(/\u001b\[\d*[A-Zm]/gi, '')
    .trimEnd()
    .split('\n');

describe('a picture', () => {
  it('is never higher or wider than the terminal', () => {
    for (const colour of [false, true]) {
      const lines = plain(screenOf(report, { wide: false, colour }, NOW, { rows: 8, columns: 60 }));
      expect(lines).toHaveLength(7);
      expect(Math.max(...lines.map((line) => line.length))).toBe(60);
      expect(lines[5]).toBe('… and 6 more lines');
      expect(lines[6]).toMatch(/^10 objects: 10 degraded, last change 10:00:00Z, Ctrl-C ends$/);
    }
  });

  it('shows all where there is room', () => {
    expect(plain(screenOf(report, { wide: false, colour: false }, NOW, { rows: 50, columns: 400 }))).toHaveLength(12);
  });
});
