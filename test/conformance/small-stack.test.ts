import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('the deepest expressions that the limits allow fit a stack of 480 kB, from parser to evaluation', () => {
  const script = fileURLToPath(new URL('./small-stack.ts', import.meta.url));
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--stack-size=480', script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(stdout.trim().split('\n')).toEqual(
    [
      'parentheses',
      'lists',
      'maps',
      'calls',
      'negations',
      'conditions',
      'sums',
      'fields',
      'indexes',
      'mixed',
      'disjunction',
      'comprehensions',
    ].map((name) => `${name}: ok`),
  );
});
