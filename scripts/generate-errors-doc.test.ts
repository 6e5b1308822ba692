import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { renderErrorsDoc } from './generate-errors-doc.ts';

it('docs/errors.md says what the error table says', () => {
  const written = readFileSync(join(import.meta.dirname, '..', 'docs', 'errors.md'), 'utf8');
  expect(written, 'run `node scripts/generate-errors-doc.ts`').toBe(renderErrorsDoc());
});
