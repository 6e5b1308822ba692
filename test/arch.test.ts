import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** A row of the import table: what the files of one folder may reach. */
interface Row {
  /** Folder under src/ that the row speaks about; the longest match wins. */
  readonly folder: string;
  /** Folders and files under src/ it may import, itself included only where named. */
  readonly may: readonly string[];
  /** As `may`, but for `import type` alone. */
  readonly types?: readonly string[];
  /** npm packages it may import: a list, or any. */
  readonly packages: readonly string[] | 'any';
  /** Whether `node:*` modules may be imported. */
  readonly node: boolean;
  /** Expressions that must not stand in product code of this folder. */
  readonly never?: readonly string[];
}

const CLOCK_AND_CHANCE = [
  'Date.now',
  'new Date()',
  'performance.now',
  'Math.random',
  'setTimeout',
  'setInterval',
  'setImmediate',
];
const PROCESS = ['process', 'console'];
const IMPURE = [...CLOCK_AND_CHANCE, ...PROCESS];

/** Files beside the source that only tests may import. */
const FOR_TESTS = /\.(?:test|fixture)\.ts$/;

/** Who may import whom. ARCHITECTURE.md tells the reasons. */
const TABLE: readonly Row[] = [
  { folder: 'cel', may: ['cel'], packages: ['re2js'], node: false, never: IMPURE },
  {
    folder: 'core',
    may: ['core', 'cel/index.ts', 'cel/texts.ts', 'cel/tools.ts'],
    packages: [],
    node: false,
    never: IMPURE,
  },
  { folder: 'ports', may: ['ports'], types: ['core'], packages: [], node: false },
  { folder: 'runtime', may: ['runtime', 'core/object', 'core/errors', 'ports'], packages: [], node: true },
  { folder: 'controllers', may: ['core', 'ports', 'runtime'], packages: [], node: true },
  { folder: 'adapters', may: ['core', 'ports'], packages: 'any', node: true, never: ['process.env'] },
  { folder: 'manifests', may: ['manifests', 'core'], packages: 'any', node: false, never: IMPURE },
  { folder: 'catalogue', may: ['catalogue', 'core'], packages: 'any', node: false, never: IMPURE },
  {
    folder: 'http',
    may: ['http', 'core', 'ports', 'manifests', 'catalogue', 'controllers'],
    packages: 'any',
    node: true,
  },
  {
    folder: 'cli',
    may: ['cli', 'core', 'ports', 'manifests', 'catalogue', 'controllers'],
    packages: 'any',
    node: false,
    never: IMPURE,
  },
  {
    folder: 'sandbox',
    may: ['sandbox', 'core', 'cel', 'ports', 'runtime'],
    types: ['adapters/kube'],
    packages: 'any',
    node: true,
  },
  {
    folder: 'testing',
    may: ['testing', 'core', 'ports', 'runtime'],
    types: ['adapters/kube'],
    packages: 'any',
    node: true,
  },
  {
    folder: 'apps',
    may: [
      'apps',
      'cel',
      'core',
      'ports',
      'runtime',
      'controllers',
      'adapters',
      'manifests',
      'catalogue',
      'http',
      'cli',
      'sandbox',
    ],
    packages: 'any',
    node: true,
  },
];

interface Import {
  readonly file: string;
  readonly line: number;
  readonly target: string;
  readonly typeOnly: boolean;
}

interface SourceFile {
  /** Path under the root of the tree that is checked, with `/`. */
  readonly path: string;
  readonly text: string;
}

function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function rowOf(path: string): Row | undefined {
  return TABLE.filter((row) => within(path, row.folder)).sort((a, b) => b.folder.length - a.folder.length)[0];
}

/** The folder that must not import its sibling: `controllers/x`, `adapters/kind/name`; undefined where siblings are free. */
function closedRoom(path: string): string | undefined {
  const parts = path.split('/');
  if (parts[0] === 'controllers' && parts.length > 2) return parts.slice(0, 2).join('/');
  if (parts[0] === 'adapters' && parts.length > 2) return parts.slice(0, parts.length > 3 ? 3 : 2).join('/');
  return undefined;
}

const parsed = new WeakMap<SourceFile, ts.SourceFile>();

function parse(file: SourceFile): ts.SourceFile {
  let source = parsed.get(file);
  if (source === undefined) {
    source = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.ESNext, true);
    parsed.set(file, source);
  }
  return source;
}

function lineOf(source: ts.SourceFile, node: ts.Node): number {
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
}

function specifierOf(node: ts.Node): { text: string; typeOnly: boolean } | undefined {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    return {
      text: node.moduleSpecifier.text,
      typeOnly: node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword,
    };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
    return { text: node.moduleSpecifier.text, typeOnly: node.isTypeOnly };
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const [argument] = node.arguments;
    return argument && ts.isStringLiteral(argument) ? { text: argument.text, typeOnly: false } : undefined;
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal)) {
    return { text: node.argument.literal.text, typeOnly: true };
  }
  return undefined;
}

function forbiddenExpression(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    return `${node.expression.text}.${node.name.text}`;
  }
  if (ts.isNewExpression(node) && ts.isIdentifier(node.expression) && !node.arguments?.length) {
    return `new ${node.expression.text}()`;
  }
  if (ts.isIdentifier(node) && !(ts.isPropertyAccessExpression(node.parent) && node.parent.name === node)) {
    const declares = ts.isPropertyAssignment(node.parent) || ts.isPropertySignature(node.parent);
    return declares ? undefined : node.text;
  }
  return undefined;
}

function importsOf(file: SourceFile): Import[] {
  const source = parse(file);
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier) {
      const target = specifier.text.startsWith('.') ? join(dirname(file.path), specifier.text) : specifier.text;
      found.push({ file: file.path, line: lineOf(source, node), target, typeOnly: specifier.typeOnly });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isOurs(target: string): boolean {
  return TABLE.some((row) => within(target, row.folder)) && /\.(ts|json)$/.test(target);
}

function packageOf(target: string): string {
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
}

function offence(row: Row, { file, target, typeOnly }: Import): string | undefined {
  if (target.startsWith('#')) return 'use the relative path: #imports are for code outside src';
  if (!isOurs(target)) {
    if (target.startsWith('..')) return `reaches out of src to ${target}`;
    if (target.startsWith('node:')) return row.node ? undefined : `${row.folder} may not import ${target}`;
    if (row.packages === 'any' || row.packages.includes(packageOf(target))) return undefined;
    return `${row.folder} may not import the package ${packageOf(target)}`;
  }
  if (FOR_TESTS.test(target)) return `${target} is for tests`;
  const room = closedRoom(file);
  if (room && within(target, room)) return undefined;
  const allowed = [...row.may, ...(typeOnly ? (row.types ?? []) : [])];
  return allowed.some((folder) => within(target, folder)) ? undefined : `${row.folder} may not import ${target}`;
}

/** Lines of product code that break the table, each as `FILE:LINE  WHY`. */
function offendersAgainstTable(files: readonly SourceFile[]): string[] {
  const lines: string[] = [];
  for (const file of files) {
    const row = rowOf(file.path);
    if (!row) {
      lines.push(`${file.path}:1  is in no folder of the import table`);
      continue;
    }
    for (const one of importsOf(file)) {
      const why = offence(row, one);
      if (why) lines.push(`${file.path}:${one.line}  ${why}`);
    }
  }
  return lines;
}

/** Uses of clocks, chance and process globals where the table forbids them. */
function offendersAgainstPurity(files: readonly SourceFile[]): string[] {
  const lines: string[] = [];
  for (const file of files) {
    const never = new Set(rowOf(file.path)?.never);
    if (never.size === 0) continue;
    const source = parse(file);
    const visit = (node: ts.Node): void => {
      const expression = forbiddenExpression(node);
      if (expression && never.has(expression)) lines.push(`${file.path}:${lineOf(source, node)}  uses ${expression}`);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return lines;
}

/** An import between two sibling folders, told with the line that makes it. */
interface Edge {
  readonly from: string;
  readonly to: string;
  readonly line: string;
}

/** Lifts an import to the two sibling folders that it joins; undefined where the common folder holds one of the files itself. */
function siblingEdge({ file, line, target }: Import): Edge | undefined {
  const from = file.split('/');
  const to = target.split('/');
  let depth = 0;
  while (from[depth] === to[depth]) depth += 1;
  if (depth + 1 >= from.length || depth + 1 >= to.length) return undefined;
  return { from: from.slice(0, depth + 1).join('/'), to: to.slice(0, depth + 1).join('/'), line: `${file}:${line}` };
}

/** Circles of sibling folders that import each other, each told by the imports that close it. Types count: a circle of words is one too. */
function circlesOfFolders(files: readonly SourceFile[]): string[] {
  const edges = new Map<string, Map<string, Edge>>();
  for (const one of files.flatMap(importsOf)) {
    const edge = isOurs(one.target) ? siblingEdge(one) : undefined;
    if (!edge) continue;
    const out = edges.get(edge.from) ?? new Map<string, Edge>();
    if (!out.has(edge.to)) out.set(edge.to, edge);
    edges.set(edge.from, out);
  }
  const circles: string[] = [];
  const done = new Set<string>();
  const walk = (folder: string, path: readonly Edge[]): void => {
    const start = path.findIndex((edge) => edge.from === folder);
    if (start >= 0) {
      circles.push(
        path
          .slice(start)
          .map((edge) => `${edge.from} → ${edge.to} (${edge.line})`)
          .join(', '),
      );
      return;
    }
    if (done.has(folder)) return;
    for (const edge of edges.get(folder)?.values() ?? []) walk(edge.to, [...path, edge]);
    done.add(folder);
  };
  for (const folder of edges.keys()) walk(folder, []);
  return circles;
}

const root = join(import.meta.dirname, '..', 'src');

function productFiles(): SourceFile[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !FOR_TESTS.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.endsWith('.gen.ts'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

describe('the product', () => {
  const files = productFiles();

  it('imports only what the table allows', () => {
    expect(offendersAgainstTable(files)).toEqual([]);
  });

  it('keeps clocks, chance and process globals out of the pure folders', () => {
    expect(offendersAgainstPurity(files)).toEqual([]);
  });

  it('has no circle of folders', () => {
    expect(circlesOfFolders(files)).toEqual([]);
  });
});

describe('a tree that breaks the law', () => {
  const file = (path: string, text: string): SourceFile => ({ path, text });

  it('is told the line of an import that crosses the table', () => {
    const files = [
      file('core/health/rule.ts', "import { a } from './verdict.ts';\nimport { b } from '../../cli/io.ts';\n"),
      file('core/object/x.ts', "import { readFileSync } from 'node:fs';"),
      file('cel/lexer.ts', "import { load } from 'js-yaml';\nimport { RE2JS } from 're2js';"),
      file('core/y.ts', "import { a } from '../cel/index.ts';\nimport { b } from '../cel/lexer.ts';"),
      file('strange/z.ts', ''),
    ];
    expect(offendersAgainstTable(files)).toEqual([
      'core/health/rule.ts:2  core may not import cli/io.ts',
      'core/object/x.ts:1  core may not import node:fs',
      'cel/lexer.ts:1  cel may not import the package js-yaml',
      'core/y.ts:2  core may not import cel/lexer.ts',
      'strange/z.ts:1  is in no folder of the import table',
    ]);
  });

  it('is told a lazy import and an import of types as well', () => {
    const files = [
      file('manifests/a.ts', "const x = await import('../cli/io.ts');"),
      file('sandbox/b.ts', "import type { T } from '../adapters/kube/client.ts';"),
      file('sandbox/c.ts', "import { T } from '../adapters/kube/client.ts';"),
    ];
    expect(offendersAgainstTable(files)).toEqual([
      'manifests/a.ts:1  manifests may not import cli/io.ts',
      'sandbox/c.ts:1  sandbox may not import adapters/kube/client.ts',
    ]);
  });

  it('may not lean on what is for tests', () => {
    const files = [file('core/a.ts', "import { b } from './b.fixture.ts';")];
    expect(offendersAgainstTable(files)).toEqual(['core/a.ts:1  core/b.fixture.ts is for tests']);
  });

  it('may import its own closed room but not the neighbour', () => {
    const files = [
      file('adapters/stores/sqlite/a.ts', "import { b } from './b.ts';\nimport { c } from '../redis/c.ts';"),
      file('controllers/release/a.ts', "import { b } from './b.ts';\nimport { c } from '../observer/c.ts';"),
    ];
    expect(offendersAgainstTable(files)).toEqual([
      'adapters/stores/sqlite/a.ts:2  adapters may not import adapters/stores/redis/c.ts',
      'controllers/release/a.ts:2  controllers may not import controllers/observer/c.ts',
    ]);
  });

  it('is told the use of a clock, of chance and of the process', () => {
    const files = [
      file(
        'core/a.ts',
        'const t = Date.now();\nconst u = new Date();\nconst v = new Date(t);\n// Date.now in a comment is fine',
      ),
      file('cli/b.ts', 'const x = { process: 1 };\nconst y = process.argv;\nx.process;\nconst d = new Date;'),
      file('apps/c.ts', 'process.exit(1);'),
    ];
    expect(offendersAgainstPurity(files)).toEqual([
      'core/a.ts:1  uses Date.now',
      'core/a.ts:2  uses new Date()',
      'cli/b.ts:2  uses process',
      'cli/b.ts:4  uses new Date()',
    ]);
  });

  it('is told each circle with the lines that close it', () => {
    const files = [
      file('core/health/a.ts', "import type { B } from '../object/b.ts';"),
      file('core/object/b.ts', "\nimport { C } from '../release/c.ts';"),
      file('core/release/c.ts', "import { A } from '../health/a.ts';"),
      file('cli/x.ts', "import { y } from './commands/y.ts';"),
      file('cli/commands/y.ts', "import { z } from '../z.ts';"),
    ];
    expect(circlesOfFolders(files)).toEqual([
      'core/health → core/object (core/health/a.ts:1), core/object → core/release (core/object/b.ts:2), core/release → core/health (core/release/c.ts:1)',
    ]);
  });
});
