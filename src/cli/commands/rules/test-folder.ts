import { ConvoyError, errorText } from '../../../core/errors/index.ts';
import {
  compileRuleSets,
  isRuleDocument,
  type RuleSet,
  type RuleTestCase,
  type RuleTestResult,
  readRuleTests,
  runRuleTest,
} from '../../../core/health/index.ts';
import { isMap } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import { formatProblem, readDocuments, readManifests } from '../../../manifests/index.ts';
import type { InputFiles } from '../../io.ts';
import { addRuleSet, prepareRuleSets } from '../../prepare-judge.ts';
import type { RuleDocument } from '../../read-inputs.ts';

/** Bytes of one file of a rule folder that are read: far more than any object the API server stores (1.5 MB). */
const LARGEST_FILE = 20_000_000;

export interface TestedCase {
  readonly test: RuleTestCase;
  readonly result: RuleTestResult;
}

/** The cases of one folder, run; or what keeps them from being run. */
export type TestedFolder =
  | { readonly path: string; readonly cases: readonly TestedCase[] }
  | { readonly path: string; readonly problems: readonly string[] };

/** A folder of a rule: what its two files are called there. */
export interface RuleFolder {
  readonly path: string;
  readonly tests: string | undefined;
}

const RULE = /(?:^|\/)rule\.ya?ml$/;
const TESTS = /(?:^|\/)rule\.test\.ya?ml$/;

function folderOf(file: string): string {
  const slash = file.lastIndexOf('/');
  return slash < 0 ? '.' : file.slice(0, slash) || '/';
}

/** The rule folders that a path means: its own, or all below it, sorted. Throws a ConvoyError when it cannot be read. */
export async function ruleFoldersOf(path: string, files: InputFiles): Promise<readonly RuleFolder[]> {
  const isFile = (await files.kindOf(path)) === 'file';
  const root = isFile ? folderOf(path) : path.replace(/(?<=.)\/+$/, '');
  const found = (await files.filesBelow(root)).map((name) => name.replaceAll('\\', '/')).sort();
  const folders = new Map<string, string | undefined>();
  for (const name of found) {
    if (isFile && folderOf(name) !== root) continue;
    if (TESTS.test(name)) folders.set(folderOf(name), name);
    else if (RULE.test(name) && !folders.has(folderOf(name))) folders.set(folderOf(name), undefined);
  }
  return [...folders].map(([folder, tests]) => ({ path: folder, tests }));
}

/** Reads a file and says what is wrong with it in lines. */
async function attempt<Item>(
  name: string,
  work: () => Promise<{ items: readonly Item[]; problems: readonly string[] }>,
): Promise<{ items: readonly Item[]; problems: readonly string[] }> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ConvoyError)) throw error;
    return { items: [], problems: [formatProblem({ source: name, code: error.code, values: error.values })] };
  }
}

async function readRuleDocument(folder: string, files: InputFiles) {
  const names = (await files.filesBelow(folder)).filter(
    (name) => folderOf(name.replaceAll('\\', '/')) === folder && /\.(?:ya?ml|json)$/.test(name) && !TESTS.test(name),
  );
  const documents: RuleDocument[] = [];
  const problems: string[] = [];
  for (const name of names.sort()) {
    const read = await attempt<RuleDocument>(name, async () => {
      const content = await files.read(name, LARGEST_FILE);
      const { documents: all, problems: wrong } = await readDocuments({ name, content });
      const items = all.map((document) => ({ ...document, source: name, input: name, content }));
      return { items: items.filter(({ value }) => isRuleDocument(value)), problems: wrong.map(formatProblem) };
    });
    documents.push(...read.items);
    problems.push(...read.problems);
  }
  return { documents, problems };
}

async function readCases(name: string, files: InputFiles) {
  return attempt<RuleTestCase>(name, async () => {
    const { documents, problems } = await readDocuments({ name, content: await files.read(name, LARGEST_FILE) });
    if (problems.length > 0) return { items: [], problems: problems.map(formatProblem) };
    const [document] = documents;
    const { cases, problems: wrong } = readRuleTests(document?.value ?? {}, name);
    return { items: cases, problems: wrong.map(({ path, message }) => `${name}: ${path} ${message}`) };
  });
}

/** Runs the cases of a folder with the rules in it, and with the sets that were added by hand. */
export async function testFolder(
  { path, tests }: RuleFolder,
  added: readonly RuleSet[],
  now: number,
  files: InputFiles,
): Promise<TestedFolder> {
  if (tests === undefined) return { path, problems: [`${path}: ${errorText('RuleTestsMissing')}`] };
  const rules = await readRuleDocument(path, files);
  if (rules.problems.length > 0) return { path, problems: rules.problems };
  if (rules.documents.length === 0) return { path, problems: [`${path}: ${errorText('NoRules')}`] };
  const prepared = await prepareRuleSets(rules.documents, []);
  if ('problems' in prepared) return { path, problems: prepared.problems };
  const cases = await readCases(tests, files);
  if (cases.problems.length > 0) return { path, problems: cases.problems };

  const sets = prepared.sets.reduce<readonly RuleSet[]>((all, set) => addRuleSet(all, set, true), added);
  const compiled = compileRuleSets(sets);
  const tested: TestedCase[] = [];
  const problems: string[] = [];
  for (const test of cases.items) {
    const objects = await readCaseObjects(path, tests, test, files);
    problems.push(...objects.problems);
    if (objects.problems.length === 0) tested.push({ test, result: runRuleTest(test, objects.items, compiled, now) });
  }
  return problems.length > 0 ? { path, problems } : { path, cases: tested };
}

/** The objects of a case, the judged one first. */
async function readCaseObjects(folder: string, tests: string, test: RuleTestCase, files: InputFiles) {
  const items: KubernetesObject[] = [];
  const problems: string[] = [];
  for (const file of [test.object, ...test.with]) {
    const name = folder === '.' ? file : `${folder}/${file}`;
    const read = await attempt<KubernetesObject>(name, async () => {
      const { objects, problems: wrong } = await readManifests({ name, content: await files.read(name, LARGEST_FILE) });
      return { items: objects.map(({ object }) => object).filter(isMap), problems: wrong.map(formatProblem) };
    });
    items.push(...read.items);
    problems.push(...read.problems.map((problem) => `${tests}: case "${test.name}": ${problem}`));
  }
  return { items, problems };
}
