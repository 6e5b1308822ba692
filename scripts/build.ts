/**
 * Makes dist/convoy.cjs: the whole command line in one CommonJS file that starts fast (bench/startup.ts).
 * - CommonJS starts faster than an ES module, and commander needs no banner in it.
 * - The program is a text inside the file, run by scripts/bundle-start.ts with the code that earlier runs compiled.
 * - Commands and the YAML reader are reached by `import()`, which esbuild keeps lazy.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';

const root = join(import.meta.dirname, '..');

/**
 * Lets a statically imported package load at its first use: each export stands in for a class until it is called, read or
 * constructed. re2js costs as much as half an empty process, and most rules have no regular expression.
 */
function lazyPackage(name: string): Plugin {
  const exact = new RegExp(`^${name}$`);
  return {
    name: `lazy ${name}`,
    setup(on) {
      on.onResolve({ filter: exact }, ({ namespace }) =>
        namespace === 'lazy' ? undefined : { path: name, namespace: 'lazy', sideEffects: false },
      );
      on.onLoad({ filter: exact, namespace: 'lazy' }, async () => {
        const names = Object.keys(await import(name)).filter((one) => one !== 'default');
        const contents = `
          let real;
          const loadPackage = () => (real ??= require(${JSON.stringify(name)}));
          const lazily = (name) => new Proxy(function () {}, {
            get: (_, property) => loadPackage()[name][property],
            has: (_, property) => property in loadPackage()[name],
            apply: (_, self, args) => Reflect.apply(loadPackage()[name], self, args),
            construct: (_, args) => Reflect.construct(loadPackage()[name], args),
          });
          ${names.map((one) => `export const ${one} = /* @__PURE__ */ lazily(${JSON.stringify(one)});`).join('\n')}`;
        return { contents, resolveDir: root };
      });
    },
  };
}

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
  const program = await bundleText({
    entryPoints: ['src/apps/cli.ts'],
    define: { CONVOY_VERSION: JSON.stringify(manifest.version), 'import.meta.dirname': '__dirname' },
    plugins: [lazyPackage('re2js'), noChildProcesses],
  });
  const start = await bundleText({ entryPoints: ['scripts/bundle-start.ts'], format: 'iife', globalName: 'start' });
  const hash = createHash('sha256').update(program).digest('hex').slice(0, 16);
  const scope = '{ exports, require, module, filename: __filename, dirname: __dirname }';
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(
    join(root, 'dist', 'convoy.cjs'),
    `'use strict';\n// Made by scripts/build.ts.\n${start}start.runProgram(${JSON.stringify(program)}, '${hash}', ${scope});\n`,
  );
}

try {
  await writeBundle();
} catch (error) {
  // esbuild has told the place already; its exception only repeats it.
  if (!(error instanceof Error && 'errors' in error)) throw error;
  process.exitCode = 1;
}
