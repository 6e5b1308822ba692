/**
 * Makes dist/convoy.cjs and its parts in dist/convoy: the command line as CommonJS that starts fast (bench/startup.ts).
 * - CommonJS starts faster than an ES module, and commander needs no banner in it.
 * - The program is a text, run by scripts/bundle-start.ts with the code that earlier runs compiled; so is what not every run needs.
 * - Commands and the YAML reader are reached by `import()`, which esbuild keeps lazy.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';

const root = join(import.meta.dirname, '..');

/**
 * What is no part of the program's own text, by name: what is required of it, and which imports it stands for. Each is larger than most
 * of what a run needs, and read when it is first used.
 */
const PARTS = {
  undici: { filter: /^undici$/, source: 'undici' },
  re2js: { filter: /^re2js$/, source: 're2js' },
  fastify: { filter: /^fastify$/, source: 'fastify' },
  pino: { filter: /^pino$/, source: 'pino' },
  'prom-client': { filter: /^prom-client$/, source: 'prom-client' },
  tar: { filter: /^tar$/, source: 'tar' },
  semver: { filter: /^semver$/, source: 'semver' },
  'js-yaml': { filter: /^js-yaml$/, source: 'js-yaml' },
  schemas: { filter: /\/schemas\.gen\.ts$/, source: './src/catalogue/schemas.gen.ts' },
  'built-in-schemas': {
    filter: /\/built-in-schemas\.gen\.ts$/,
    source: './src/sandbox/resources/built-in-schemas.gen.ts',
  },
} as const;

/** re2js is imported by what every run loads, and used by hardly any: its exports stand in for themselves until they are called, read or constructed. */
async function lateExports(name: string): Promise<string> {
  const names = Object.keys(await import(name)).filter((one) => one !== 'default');
  return `
    const load = () => part(${JSON.stringify(name)});
    const lazily = (name) => new Proxy(function () {}, {
      get: (_, property) => load()[name][property],
      has: (_, property) => property in load()[name],
      apply: (_, self, args) => Reflect.apply(load()[name], self, args),
      construct: (_, args) => Reflect.construct(load()[name], args),
    });
    ${names.map((one) => `export const ${one} = /* @__PURE__ */ lazily(${JSON.stringify(one)});`).join('\n')}`;
}

const apart: Plugin = {
  name: 'parts',
  setup(on) {
    for (const [name, { filter }] of Object.entries(PARTS)) {
      on.onResolve({ filter }, () => ({ path: name, namespace: 'part', sideEffects: false }));
    }
    on.onLoad({ filter: /.*/, namespace: 'part' }, async ({ path }) => ({
      contents: path === 're2js' ? await lateExports(path) : `module.exports = part(${JSON.stringify(path)});`,
    }));
  },
};

/** commander starts other programs for commands that are programs of their own. convoy has none, and loading it costs 5 ms. */
const noChildProcesses: Plugin = {
  name: 'no child processes',
  setup(on) {
    on.onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      importer.includes('commander') ? { path: 'child_process', namespace: 'none' } : undefined,
    );
    on.onLoad({ filter: /.*/, namespace: 'none' }, () => ({ contents: 'export default {};' }));
  },
};

const SETTINGS = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions;

/**
 * What esbuild makes of an entry, in ASCII: one character outside of Latin-1 makes the engine hold and scan the whole text at
 * two bytes a character. esbuild escapes strings but leaves regular expressions; the same escape means the same in both.
 */
async function bundleText(options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({ ...SETTINGS, ...options, write: false });
  const [output] = outputFiles ?? [];
  if (output === undefined) throw new Error('esbuild wrote nothing');
  return output.text.replace(
    /[^\x00-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

async function writeBundle(): Promise<void> {
  const manifest: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const texts = new Map<string, string>();
  const program = await bundleText({
    entryPoints: ['src/apps/cli.ts'],
    define: { CONVOY_VERSION: JSON.stringify(manifest.version), 'import.meta.dirname': '__dirname' },
    plugins: [apart, noChildProcesses],
  });
  texts.set('program', program);
  for (const [name, { source }] of Object.entries(PARTS)) {
    const contents = `module.exports = require(${JSON.stringify(source)});`;
    texts.set(name, await bundleText({ stdin: { contents, resolveDir: root } }));
  }
  const start = await bundleText({ entryPoints: ['scripts/bundle-start.ts'], format: 'iife', globalName: 'start' });
  const folder = join(root, 'dist', 'convoy');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const hashes: Record<string, string> = {};
  for (const [name, text] of texts) {
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
    hashes[name] = hash;
    writeFileSync(join(folder, `${name}-${hash}.js`), text);
  }
  const scope = '{ exports, require, module, filename: __filename, dirname: __dirname }';
  writeFileSync(
    join(root, 'dist', 'convoy.cjs'),
    `'use strict';\n// Made by scripts/build.ts.\n${start}start.runProgram(${JSON.stringify(hashes)}, 'convoy', ${scope});\n`,
  );
}

try {
  await writeBundle();
} catch (error) {
  // esbuild has told the place already; its exception only repeats it.
  if (!(error instanceof Error && 'errors' in error)) throw error;
  process.exitCode = 1;
}
