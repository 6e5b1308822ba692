import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

const root = join(import.meta.dirname, '..', '..');

/** Statements that charge, in closures and in the text of generated code, and what stands in their place. */
const CHARGES: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/frame\.cost \+= [^;]+;/g, ';'],
  [/frame\.checkCost\(\);/g, ';'],
  [/if \(this\.cost > this\.costLimit\) this\.checkCost\(\);/g, ''],
  [/this\.pending \+= units;/g, ''],
  [/f\.cost\+=c;(?:c=0;)?/g, ''],
  [/f\.cost\+c>f\.costLimit\|\|/g, ''],
  [/c\+=\$\{[^}]*\};?/g, ''],
  [/c\+=\d+;?/g, ''],
  [/c-=\$\{[^}]*\};?/g, ''],
];

/** The engine has no switch that turns cost accounting off; what it costs is told by an engine from which it was cut. */
const withoutCharges: Plugin = {
  name: 'without charges',
  setup(on) {
    on.onLoad({ filter: /\/src\/cel\/(?:evaluate|generate)\/[^/]+\.ts$/ }, ({ path }) => {
      let contents = readFileSync(path, 'utf8');
      for (const [pattern, instead] of CHARGES) contents = contents.replaceAll(pattern, instead);
      return { contents, loader: 'ts' };
    });
  },
};

/** The engine as one file, with its cost accounting or without; returns the paths. */
export async function buildEngines(): Promise<{ readonly charging: string; readonly free: string }> {
  const folder = join(root, '.cache', 'bench');
  const paths = { charging: join(folder, 'engine.mjs'), free: join(folder, 'engine-without-cost.mjs') };
  for (const [kind, outfile] of Object.entries(paths)) {
    await build({
      absWorkingDir: root,
      entryPoints: ['src/cel/index.ts'],
      bundle: true,
      format: 'esm',
      platform: 'neutral',
      external: ['re2js'],
      outfile,
      plugins: kind === 'free' ? [withoutCharges] : [],
      logLevel: 'warning',
    });
  }
  return paths;
}
