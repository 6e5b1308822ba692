import { ConvoyError, errorText } from '../../../core/errors/index.ts';
import { formatProblem } from '../../../manifests/index.ts';
import { EXIT } from '../../exit-code.ts';
import type { CliIo } from '../../io.ts';
import { chooseOutput } from '../../options/choose-output.ts';
import { parseTime } from '../../options/time.ts';
import { printTestsJunit, type TestReport, testLines, testReportJson } from '../../printers/rule-tests.ts';
import { mayColour, refuseLines } from '../../talk.ts';
import { loadRuleSets } from './load-rule-sets.ts';
import { type RuleFolder, ruleFoldersOf, type TestedFolder, testFolder } from './test-folder.ts';

/** The flags of `rules test` as they are typed. */
export interface TestFlags {
  readonly rules?: readonly string[];
  readonly now?: string;
  readonly output: string;
}

interface FoundFolders {
  readonly folders: readonly RuleFolder[];
  /** What keeps the run from starting. */
  readonly problems: readonly string[];
  /** Folders among others that have no cases. */
  readonly untested: readonly string[];
}

async function findFolders(paths: readonly string[], io: CliIo): Promise<FoundFolders> {
  const folders = new Map<string, RuleFolder>();
  const problems: string[] = [];
  const untested: string[] = [];
  for (const path of paths) {
    try {
      const found = await ruleFoldersOf(path, io.files);
      const tested = found.filter(({ tests }) => tests !== undefined);
      if (tested.length === 0) problems.push(`${path}: ${errorText('RuleTestsMissing')}`);
      else untested.push(...found.filter(({ tests }) => tests === undefined).map((folder) => folder.path));
      for (const folder of tested) folders.set(folder.path, folder);
    } catch (error) {
      if (!(error instanceof ConvoyError)) throw error;
      problems.push(formatProblem({ source: path, code: error.code, values: error.values }));
    }
  }
  return { folders: [...folders.values()], problems, untested };
}

/** Runs the cases of rule folders and prints how they ended. Returns the exit code; throws a ConvoyError for wrong flags. */
export async function runTest(paths: readonly string[], flags: TestFlags, io: CliIo): Promise<number> {
  const format = chooseOutput(flags.output, ['text', 'json', 'junit']);
  const now = flags.now === undefined ? io.now() : parseTime('--now', flags.now);
  const added = await loadRuleSets(flags.rules ?? [], [], io);
  if (typeof added === 'number') return added;
  const { folders, problems, untested } = await findFolders(paths, io);
  if (problems.length > 0) return refuseLines(io, problems);

  const tested: TestedFolder[] = [];
  for (const folder of folders) tested.push(await testFolder(folder, added, now, io.files));
  const unreadable = tested.flatMap((folder) => ('problems' in folder ? folder.problems : []));
  if (unreadable.length > 0) return refuseLines(io, unreadable);

  const report: TestReport = { folders: tested.flatMap((folder) => ('cases' in folder ? [folder] : [])) };
  for (const path of untested) await io.err(`${path}: ${errorText('RuleTestsMissing')}\n`);
  switch (format) {
    case 'json':
      await io.out(`${JSON.stringify(testReportJson(report), null, 2)}\n`);
      break;
    case 'junit':
      await io.out(printTestsJunit(report));
      break;
    default:
      await io.out(`${testLines(report, mayColour(io)).join('\n')}\n`);
  }
  const failed = report.folders.some(({ cases }) => cases.some(({ result }) => !result.passed));
  return failed ? EXIT.notHealthy : EXIT.healthy;
}
