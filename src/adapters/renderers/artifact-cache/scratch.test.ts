import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { scratchIn } from './scratch.ts';

const base = mkdtempSync(join(tmpdir(), 'convoy-scratch-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

it('a folder is there for one work, for us alone, and gone behind it even when the work fails', async () => {
  const scratch = scratchIn(join(base, 'a'));
  const folders = await Promise.all(
    [1, 2].map(() =>
      scratch(async (folder) => {
        expect(statSync(folder).mode & 0o777).toBe(0o700);
        writeFileSync(join(folder, 'secret'), 'x');
        return folder;
      }),
    ),
  );
  await expect(scratch(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(folders[0]).not.toBe(folders[1]);
  expect(readdirSync(join(base, 'a'))).toEqual([]);
});

it('what a killed process left is removed before the first work', async () => {
  const left = join(base, 'b', `${hostname().replace(/[^\w.-]/g, '-')}~999999999~dead~1`);
  mkdirSync(left, { recursive: true });
  await scratchIn(join(base, 'b'))(async () => expect(existsSync(left)).toBe(false));
});

it('several users in one process leave each other in peace', async () => {
  const root = join(base, 'c');
  await scratchIn(root)(async (folder) => {
    await scratchIn(root)(async () => expect(existsSync(folder)).toBe(true));
  });
});
