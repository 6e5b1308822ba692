import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseManifests } from '../../../apps/parse-manifests.ts';
import { checkedPath, renderFolder } from './render-folder.ts';
import { renderTexts } from './render-texts.ts';

const { signal } = new AbortController();
const object = (kind: string) => `apiVersion: v1\nkind: ${kind}\nmetadata: {name: a}\n`;
const base = mkdtempSync(join(tmpdir(), 'convoy-texts-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let count = 0;
function folderOf(files: Record<string, string>): string {
  count += 1;
  const folder = join(base, String(count));
  mkdirSync(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const ofTexts = (...texts: string[]) =>
  renderTexts(
    texts.map((text, n) => ({ name: `t${n}`, text })),
    parseManifests,
    signal,
  );
const ofFolder = async (folder: string, path = '', maxBytes = 1e6) => {
  const objects = await renderFolder({ folder, path, parse: parseManifests, maxBytes, signal });
  return objects.map(({ object: { kind }, source, document, line }) => `${kind} ${source} ${document}:${line}`);
};

describe('texts', () => {
  it('give their objects with the places they stand at; empty ones give none', async () => {
    const objects = await ofTexts(`${object('A')}---\n---\n${object('B')}`, '', '# only words\n');
    expect(objects.map(({ object: { kind }, source, document, line }) => [kind, source, document, line])).toEqual([
      ['A', 't0', 1, 1],
      ['B', 't0', 3, 6],
    ]);
  });

  it('may be health rules, which are objects here', async () => {
    expect(await ofTexts(object('HealthRuleSet').replace('v1', 'convoy.kumodo.io/v1alpha1'))).toHaveLength(1);
  });

  it('that cannot be read are told in one line with their places', async () => {
    await expect(ofTexts(`${object('A')}---\na: [`, 'kind: B', 'apiVersion: v1', '7')).rejects.toMatchObject({
      name: 'SourceError',
      retry: 'terminal',
      message: expect.stringMatching(
        /^t0: document 2, line 5: [^\n]*; t1: document 1, line 1: B without apiVersion[^\n]*; and 2 more$/,
      ),
    });
  });
});

describe('a folder', () => {
  it('gives the objects of its manifests, sorted by path, with everything else left out', async () => {
    const folder = folderOf({
      'b.yaml': object('B'),
      'a/z.yml': object('Z'),
      'a/a.json': '{"apiVersion": "v1", "kind": "J"}',
      'a.yaml': object('A'),
      'README.md': 'kind: x',
      '.github/workflows/ci.yaml': 'on: push',
      '.hidden.yaml': 'x: 1',
    });
    symlinkSync('b.yaml', join(folder, 'c.yaml'));
    symlinkSync('.', join(folder, 'round'));
    expect(await ofFolder(folder)).toEqual([
      'A a.yaml 1:1',
      'J a/a.json 1:1',
      'Z a/z.yml 1:1',
      'B b.yaml 1:1',
      'B c.yaml 1:1',
    ]);
    expect(await ofFolder(folder, 'a')).toEqual(['J a/a.json 1:1', 'Z a/z.yml 1:1']);
  });

  it('without manifests gives nothing: whether that is meant is for its Release to say', async () => {
    expect(await ofFolder(folderOf({ 'README.md': 'x' }))).toEqual([]);
  });

  it('that is a chart is told how to be written', async () => {
    await expect(ofFolder(folderOf({ 'Chart.yaml': 'name: x' }))).rejects.toThrow(
      'the source is a Helm chart (Chart.yaml); write it as source.helm',
    );
  });

  it('with too much in it is refused', async () => {
    await expect(ofFolder(folderOf({ 'a.yaml': object('A') }), '', 10)).rejects.toThrow('more than the 10 bytes');
  });

  it('has to be there, below the source', async () => {
    const folder = folderOf({ 'a/b.yaml': object('A') });
    expect(await checkedPath(folder, './a/')).toBe('a');
    for (const path of ['gone', '../..', '/etc', 'a/b.yaml']) {
      await expect(checkedPath(folder, path)).rejects.toThrow(`there is no folder ${path} in the source; check path`);
    }
  });
});
