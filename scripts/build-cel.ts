/**
 * Makes dist/cel: what `convoy/cel` is for those who install the package. One ES module that needs no `node:*`, the regular-expression
 * engine left as a dependency, and the declarations of the public names.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** Declarations of the entry and of the modules it names, with `.js` in their imports. */
function writeDeclarations(folder: string): void {
  const program = ts.createProgram([join(root, 'src', 'cel', 'index.ts')], {
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2024.d.ts'],
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: true,
    declaration: true,
    emitDeclarationOnly: true,
    stripInternal: true,
    skipLibCheck: true,
    rootDir: join(root, 'src', 'cel'),
    outDir: folder,
  });
  const { emitSkipped, diagnostics } = program.emit();
  const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (emitSkipped || problems.length > 0) {
    throw new Error(
      ts.formatDiagnostics(problems, {
        getCanonicalFileName: (name) => name,
        getCurrentDirectory: () => root,
        getNewLine: () => '\n',
      }),
    );
  }
}

async function writePackage(): Promise<void> {
  const folder = join(root, 'dist', 'cel');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.js'), await bundleEngine(false));
  writeDeclarations(join(folder, 'types'));
}

if (import.meta.main) await writePackage();
