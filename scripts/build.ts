/**
 * Makes dist/convoy.cjs: the whole command line in one CommonJS file.
 * CommonJS because it starts faster than an ES module and commander needs no banner in it; the compile cache is turned on
 * before anything else loads. Commands and the YAML reader are reached by `import()`, which esbuild keeps lazy.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

const root = join(import.meta.dirname, '..');

/**
 * Lets a statically imported package load at its first use: a class costs nothing until it is called, read or constructed.
 * re2js alone doubles the time of an empty process (0.45 of 50 ms), and most rules have no regular expression.
 */
function lazyPackage(name: string, classNames: readonly string[]): Plugin {
  const facade = `
    let real;
    const load = () => (real ??= require(${JSON.stringify(name)}));
    const lazily = (key) => new Proxy(function () {}, {
      get: (_, property) => load()[key][property],
      has: (_, property) => property in load()[key],
      apply: (_, self, args) => Reflect.apply(load()[key], self, args),
      construct: (_, args) => Reflect.construct(load()[key], args),
    });
    ${classNames.map((key) => `export const ${key} = /* @__PURE__ */ lazily(${JSON.stringify(key)});`).join('\n    ')}
  `;
  const exact = new RegExp(`^${name}$`);
  return {
    name: `lazy ${name}`,
    setup(on) {
      on.onResolve({ filter: exact }, ({ namespace }) =>
        namespace === 'lazy' ? undefined : { path: name, namespace: 'lazy', sideEffects: false },
      );
      on.onLoad({ filter: exact, namespace: 'lazy' }, () => ({ contents: facade, resolveDir: root }));
    },
  };
}

async function classesOf(name: string): Promise<string[]> {
  const module: Record<string, unknown> = await import(name);
  return Object.keys(module).filter((key) => typeof module[key] === 'function');
}

const manifest: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

mkdirSync(join(root, 'dist'), { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: ['src/apps/cli.ts'],
  outfile: 'dist/convoy.cjs',
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  charset: 'utf8',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  define: { CONVOY_VERSION: JSON.stringify(manifest.version) },
  banner: { js: `'use strict';require('node:module').enableCompileCache?.();` },
  plugins: [lazyPackage('re2js', await classesOf('re2js'))],
  logLevel: 'warning',
});
