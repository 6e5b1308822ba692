import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXPECTED, nodeProgram, page, TYPED_PROGRAM } from './consumer.ts';
import { OLDER_NODES, olderNode } from './nodes.ts';

const root = join(import.meta.dirname, '..', '..');
const CHROMIUM = '/usr/bin/chromium';
const folder = mkdtempSync(join(tmpdir(), 'convoy-cel-'));
const installed = join(folder, 'node_modules', 'convoy');
const entry = join(installed, 'dist', 'cel');

/** The package as `npm pack` makes it, unpacked where nothing of the checkout is, with the one dependency it needs. */
beforeAll(() => {
  const packed = spawnSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root, encoding: 'utf8' });
  if (packed.status !== 0) throw new Error(packed.stderr);
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  mkdirSync(installed, { recursive: true });
  spawnSync('tar', ['xzf', join(folder, archive), '-C', installed, '--strip-components=1']);
  cpSync(join(root, 'node_modules', 're2js'), join(folder, 'node_modules', 're2js'), { recursive: true });
  writeFileSync(join(folder, 'consumer.mjs'), nodeProgram());
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true }));

function reportOf(node: string, args: readonly string[] = []): unknown {
  const ran = spawnSync(node, [...args, 'consumer.mjs'], { cwd: folder, encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(ran.stderr);
  return JSON.parse(ran.stdout);
}

describe('convoy/cel, installed from a tarball', () => {
  it('compiles, evaluates and explains', () => {
    expect(reportOf(process.execPath)).toEqual({ ...EXPECTED, backend: 'code' });
  });

  it('does so with closures where code must not be made from text', () => {
    const forbidden = ['--disallow-code-generation-from-strings'];
    expect(reportOf(process.execPath, forbidden)).toEqual({ ...EXPECTED, backend: 'closures' });
  });

  for (const version of OLDER_NODES) {
    it(`does so under Node ${version}`, { timeout: 240_000 }, (context) => {
      const node = olderNode(version);
      if ('unavailable' in node) {
        console.log(node.unavailable);
        return context.skip(node.unavailable);
      }
      expect(reportOf(node.binary)).toEqual({ ...EXPECTED, backend: 'code' });
    });
  }

  it('needs nothing of Node, and its modules for pages no other package', () => {
    const modules = (folderName: string) =>
      ['index.js', 'tools.js', 'engine.js'].map((name) => readFileSync(join(entry, folderName, name), 'utf8'));
    const imported = (texts: readonly string[]): string[] =>
      texts
        .flatMap((text) => Array.from(text.matchAll(/(?:from|import)\s*\(?["'`]([^"'`]+)["'`]/g), ([, name]) => name!))
        .filter((name) => name !== './engine.js');
    expect(imported(modules('.'))).toEqual(['re2js']);
    expect(imported(modules('browser'))).toEqual([]);
    for (const text of [...modules('.'), ...modules('browser')]) {
      expect(text).not.toMatch(/["'`]node:|\brequire\(|\bprocess\.|\bBuffer\b/);
    }
  });

  it.each([
    ['Node', ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext],
    ['a bundler', ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler],
  ])('has types as %s resolves them', (_, module, moduleResolution) => {
    const file = join(folder, 'typed.mts');
    writeFileSync(file, TYPED_PROGRAM);
    const options = { module, moduleResolution, target: ts.ScriptTarget.ES2022, strict: true, noEmit: true, types: [] };
    const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram([file], options));
    expect(diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
  });

  it('runs in a browser whose page forbids code from text', { timeout: 60_000 }, async (context) => {
    if (!existsSync(CHROMIUM)) {
      console.log(`${CHROMIUM} is not here`);
      return context.skip(`${CHROMIUM} is not here`);
    }
    expect(await reportOfPage()).toEqual({ ...EXPECTED, backend: 'closures' });
  });
});

async function reportOfPage(): Promise<unknown> {
  const server = createServer(({ url }, response) => {
    const module = /^\/(?:index|tools|engine)\.js$/.exec(url ?? '')?.[0];
    response.setHeader('content-type', module ? 'text/javascript' : 'text/html');
    response.end(module ? readFileSync(join(entry, 'browser', module)) : page());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const dom = await domOf(`http://127.0.0.1:${port}/`);
    return JSON.parse(/<body>(.*?)<\/body>/s.exec(dom)?.[1]?.replaceAll('&gt;', '>').replaceAll('&amp;', '&') || dom);
  } finally {
    server.close();
  }
}

/** The document as it stands when the page has loaded and run its modules. */
function domOf(url: string): Promise<string> {
  const quiet = [
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ];
  const args = ['--headless', '--no-sandbox', '--disable-gpu', ...quiet, `--user-data-dir=${join(folder, 'profile')}`];
  const child = spawn(CHROMIUM, [...args, '--virtual-time-budget=10000', '--dump-dom', url], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve(text));
  });
}
