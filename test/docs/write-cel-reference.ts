/** Puts the made parts into docs/spec/cel.md: `node test/docs/write-cel-reference.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withMadeParts } from './cel-functions.ts';

const path = join(import.meta.dirname, '../../docs/spec/cel.md');
writeFileSync(path, withMadeParts(readFileSync(path, 'utf8')));
