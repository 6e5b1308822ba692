import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '../src/core/errors/index.ts';

const root = join(import.meta.dirname, '..');

function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name));
}

const pages = [
  ...readdirSync(root)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(root, name)),
  ...filesBelow('docs', '.md'),
];

describe('the documentation', () => {
  it.each(pages.map((page) => [relative(root, page), page]))('%s links to what is there', (_, page) => {
    const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, target = '']) => target);
    const lost = links.filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(dirname(page), target)));
    expect(lost).toEqual([]);
  });

  it('tells only errors that can happen', () => {
    const sources = filesBelow('src', '.ts')
      .filter((file) => !file.endsWith('.test.ts') && !file.endsWith(join('errors', 'errors.ts')))
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    expect(Object.keys(ERRORS).filter((code) => !sources.includes(`'${code}'`))).toEqual([]);
  });
});
