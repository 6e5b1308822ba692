/**
 * Makes dist/cel, what `convoy/cel` and `convoy/cel/tools` are for those who install the package: index.js, tools.js and what both share in
 * engine.js, ES modules that need no `node:*` and import the regular-expression engine; browser/, the same with that engine inside, which a
 * page loads as it is; and the declarations in types/.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';
import { minifySync } from 'vite';

const root = join(import.meta.dirname, '..');
const ENTRIES = ['index', 'tools'] as const;

/** The texts of the modules of both entries, minified, by file name; `whole`: with the regular-expression engine inside. */
async function bundleModules(whole: boolean): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ENTRIES.map((name) => `src/cel/${name}.ts`),
    outdir: 'dist/cel',
    bundle: true,
    splitting: true,
    chunkNames: 'engine',
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2022',
    minify: true,
    mangleProps: new RegExp(`^(?:${innerNames().join('|')})$`),
    legalComments: 'none',
    external: whole ? [] : ['re2js'],
    write: false,
    logLevel: 'warning',
  });
  return new Map(outputFiles.map(({ path, text }) => [basename(path), smaller(path, text)]));
}

/** Once more by a minifier that also shortens within functions: two per cent less. */
function smaller(path: string, text: string): string {
  const { code, errors } = minifySync(path, text, { module: true, compress: { target: 'es2022' } });
  const [problem] = errors;
  if (problem) throw new Error(`${path}: ${problem.message}`);
  return code;
}

/** What an application loads that evaluates, without the tools. */
export async function engineTexts(whole: boolean): Promise<readonly string[]> {
  const modules = await bundleModules(whole);
  return Array.from(modules).flatMap(([name, text]) => (name === 'tools.js' ? [] : [text]));
}

const from = join(root, 'src', 'cel');

const engineProgram = once(() =>
  ts.createProgram(
    ENTRIES.map((name) => join(from, `${name}.ts`)),
    {
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
    },
  ),
);

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Names that the entries export. */
function exportedNames(program: ts.Program): ReadonlySet<string> {
  const checker = program.getTypeChecker();
  const modules = ENTRIES.map((name) => program.getSourceFile(join(from, `${name}.ts`))).filter(
    (file) => file !== undefined,
  );
  const symbols = modules.map((file) => checker.getSymbolAtLocation(file)).filter((symbol) => symbol !== undefined);
  return new Set(symbols.flatMap((symbol) => checker.getExportsOfModule(symbol).map(({ name }) => name)));
}

/**
 * Names that may become short: of members of classes that nobody outside can reach, private ones or of a class that is not exported,
 * where nothing else is called so, neither in a type of ours nor in the language, and no text holds the word (generated code does).
 */
const innerNames = once((): readonly string[] => {
  const inner = new Set<string>();
  const others = new Set<string>();
  const exported = exportedNames(engineProgram());
  const isInner = (node: ts.Node, owner: ts.ClassLikeDeclaration | undefined): boolean => {
    if (!owner || !ts.isClassElement(node) || !owner.getSourceFile().fileName.startsWith(from)) return false;
    if (owner.name !== undefined && !exported.has(owner.name.text)) return true;
    const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
    return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) ?? false;
  };
  const visit = (node: ts.Node, owner?: ts.ClassLikeDeclaration): void => {
    const isMember = ts.isClassElement(node) || ts.isTypeElement(node) || ts.isObjectLiteralElement(node);
    if (isMember && node.name && ts.isIdentifier(node.name))
      (isInner(node, owner) ? inner : others).add(node.name.text);
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      for (const word of node.text.match(/\w+/g) ?? []) others.add(word);
    }
    ts.forEachChild(node, (child) => visit(child, ts.isClassLike(node) ? node : undefined));
  };
  for (const file of engineProgram().getSourceFiles()) visit(file);
  return [...inner].filter((name) => !others.has(name));
});

/** The declarations of every module of the engine, by path under src/cel. */
function declarations(): Map<string, string> {
  const written = new Map<string, string>();
  const program = engineProgram();
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

/** Writes the declarations that the entries lead to, with `.js` in their imports, which both Node and bundlers read. */
function writeDeclarations(folder: string): void {
  const all = declarations();
  const pending = ENTRIES.map((name) => `${name}.d.ts`);
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

async function writeModules(folder: string, whole: boolean): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of await bundleModules(whole)) writeFileSync(join(folder, name), text);
}

async function writePackage(): Promise<void> {
  const folder = join(root, 'dist', 'cel');
  rmSync(folder, { recursive: true, force: true });
  await writeModules(folder, false);
  await writeModules(join(folder, 'browser'), true);
  writeDeclarations(join(folder, 'types'));
}

if (import.meta.main) await writePackage();
