/**
 * Makes dist/cel, what `convoy/cel` is for those who install the package: index.js, one ES module that needs no `node:*` and imports the
 * regular-expression engine; browser.js, the same with that engine inside, which a page loads as it is; and the declarations in types/.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');

/** The text of the engine as one minified module; `whole`: with the regular-expression engine inside. */
export async function bundleEngine(whole: boolean): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['src/cel/index.ts'],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    external: whole ? [] : ['re2js'],
    write: false,
    logLevel: 'warning',
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error('esbuild wrote nothing');
  return output.text;
}

/** The declarations of every module of the engine, by path under src/cel. */
function declarations(): Map<string, string> {
  const written = new Map<string, string>();
  const from = join(root, 'src', 'cel');
  const program = ts.createProgram([join(from, 'index.ts')], {
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2024.d.ts', 'lib.dom.d.ts'],
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    declaration: true,
    emitDeclarationOnly: true,
    skipLibCheck: true,
    rootDir: from,
    outDir: '/',
  });
  const { diagnostics } = program.emit(undefined, (path, text) => written.set(path.replace(/^\//, ''), text));
  const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (problems.length === 0) return written;
  throw new Error(
    ts.formatDiagnostics(problems, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => root,
      getNewLine: () => '\n',
    }),
  );
}

const IMPORTED = /(from |import\()'(\.[^']*)\.ts'/g;

/** Writes the declarations that the entry leads to, with `.js` in their imports, which both Node and bundlers read. */
function writeDeclarations(folder: string): void {
  const all = declarations();
  const pending = ['index.d.ts'];
  const done = new Set<string>();
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const text = all.get(path);
    if (text === undefined || done.has(path)) continue;
    done.add(path);
    for (const [, , module] of text.matchAll(IMPORTED)) pending.push(join(dirname(path), `${module}.d.ts`));
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text.replaceAll(IMPORTED, "$1'$2.js'"));
  }
}

async function writePackage(): Promise<void> {
  const folder = join(root, 'dist', 'cel');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.js'), await bundleEngine(false));
  writeFileSync(join(folder, 'browser.js'), await bundleEngine(true));
  writeDeclarations(join(folder, 'types'));
}

if (import.meta.main) await writePackage();
