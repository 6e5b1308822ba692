/**
 * Makes dist/convoy.cjs: the whole command line in one CommonJS file.
 * CommonJS because it starts faster than an ES module and commander needs no banner in it. Commands and the YAML reader are
 * reached by `import()`, which esbuild keeps lazy; what a small run does not need must not cost its start (bench/startup.ts).
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

const root = join(import.meta.dirname, '..');

/** A package as the text of one CommonJS module. */
async function packageText(name: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    logLevel: 'warning',
    stdin: { contents: `export * from ${JSON.stringify(name)};`, resolveDir: root },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    charset: 'ascii',
    minify: true,
    keepNames: true,
    legalComments: 'none',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

/**
 * Keeps a package as text until its first use. The engine reads over a string ten times as fast as over code, and re2js and
 * js-yaml are two fifths of the bundle.
 * @param exported statements that export what importers use, given `loadPackage()`, which is the package
 */
function textUntilUsed(name: string, exported: (names: readonly string[]) => string): Plugin {
  const exact = new RegExp(`^${name}$`);
  return {
    name: `${name} as text`,
    setup(on) {
      on.onResolve({ filter: exact }, () => ({ path: name, namespace: 'text', sideEffects: false }));
      on.onLoad({ filter: exact, namespace: 'text' }, async () => {
        const names = Object.keys(await import(name)).filter((one) => one !== 'default');
        const contents = `
          import { compileFunction } from 'node:vm';
          let real;
          const loadPackage = () => {
            if (real === undefined) {
              const module = { exports: {} };
              const text = ${JSON.stringify(await packageText(name))};
              compileFunction(text, ['module', 'exports', 'require'], { filename: ${JSON.stringify(`${name}.cjs`)} })(module, module.exports, require);
              real = module.exports;
            }
            return real;
          };
          ${exported(names)}`;
        return { contents, resolveDir: root };
      });
    },
  };
}

/** The module that imports the package is itself loaded on demand: the package may load with it. */
function atImport(names: readonly string[]): string {
  return names.map((name) => `export const ${name} = loadPackage().${name};`).join('\n');
}

/** A module that every run loads imports the package: each export stands in for a class until it is called, read or constructed. */
function atFirstCall(names: readonly string[]): string {
  return `
    const lazily = (name) => new Proxy(function () {}, {
      get: (_, property) => loadPackage()[name][property],
      has: (_, property) => property in loadPackage()[name],
      apply: (_, self, args) => Reflect.apply(loadPackage()[name], self, args),
      construct: (_, args) => Reflect.construct(loadPackage()[name], args),
    });
    ${names.map((name) => `export const ${name} = /* @__PURE__ */ lazily(${JSON.stringify(name)});`).join('\n')}`;
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

const manifest: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['src/apps/cli.ts'],
  outfile: 'dist/convoy.cjs',
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  charset: 'ascii',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  define: { CONVOY_VERSION: JSON.stringify(manifest.version), 'import.meta.dirname': '__dirname' },
  banner: { js: `'use strict';require('node:module').enableCompileCache?.();` },
  plugins: [textUntilUsed('re2js', atFirstCall), textUntilUsed('js-yaml', atImport), noChildProcesses],
  logLevel: 'warning',
  write: false,
});

/**
 * One character outside of Latin-1 makes the engine hold and scan the whole file at two bytes a character. esbuild escapes
 * strings but leaves regular expressions; the same escape means the same in both.
 */
function ascii(text: string): string {
  return text.replace(/[^\x00-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const [bundle] = outputFiles;
if (bundle === undefined) throw new Error('esbuild wrote nothing');
mkdirSync(join(root, 'dist'), { recursive: true });
writeFileSync(bundle.path, ascii(bundle.text));
