import type { RuleTestCase, RuleTestResult } from '../../core/health/index.ts';
import { xml } from './junit.ts';

interface CaseRun {
  readonly test: RuleTestCase;
  readonly result: RuleTestResult;
}

export interface TestReport {
  readonly folders: readonly { readonly path: string; readonly cases: readonly CaseRun[] }[];
}

const RED = '\u001b[31m';
const GREEN = '\u001b[32m';
const PLAIN = '\u001b[0m';

const FIELDS = ['state', 'reason', 'message'] as const;

interface Counts {
  readonly passed: number;
  readonly failed: number;
}

function count(cases: readonly CaseRun[]): Counts {
  const passed = cases.filter(({ result }) => result.passed).length;
  return { passed, failed: cases.length - passed };
}

function countsText({ passed, failed }: Counts): string {
  return `${passed} passed, ${failed} failed`;
}

/**
 * What was expected and what was got, field under field: `-` lines of the case, `+` lines of the verdict, blank where they
 * agree or the case says nothing.
 */
export function diffLines({ test, result }: CaseRun): readonly string[] {
  return FIELDS.flatMap((field) => {
    const expected = test[field];
    const got = result.verdict[field];
    const label = `${field}:`.padEnd('message: '.length);
    if (expected === undefined || expected === got) return [`  ${label}${shown(got)}`];
    return [`- ${label}${shown(expected)}`, `+ ${label}${shown(got)}`];
  });
}

function shown(text: string): string {
  return text === '' ? "''" : text.replace(/\s+/g, ' ').replace(/\p{C}/gu, '?');
}

/** A line for each folder, the failed cases below it, the sum last. */
export function testLines({ folders }: TestReport, colour: boolean): readonly string[] {
  const paint = (text: string, code: string): string => (colour ? `${code}${text}${PLAIN}` : text);
  const widest = Math.max(0, ...folders.map(({ path }) => path.length));
  const lines: string[] = [];
  for (const { path, cases } of folders) {
    const counts = count(cases);
    lines.push(`${path.padEnd(widest)}  ${paint(countsText(counts), counts.failed > 0 ? RED : GREEN)}`);
    for (const run of cases.filter(({ result }) => !result.passed)) {
      lines.push(`  ${paint('FAILED', RED)} ${run.test.name} (${run.test.object})`);
      for (const line of diffLines(run)) {
        const code = line.startsWith('-') ? RED : line.startsWith('+') ? GREEN : '';
        lines.push(`    ${code === '' ? line : paint(line, code)}`);
      }
    }
  }
  return [...lines, countsText(count(folders.flatMap(({ cases }) => cases)))];
}

/** What `rules test -o json` prints. */
export function testReportJson({ folders }: TestReport): object {
  return {
    apiVersion: 'convoy.kumodo.io/v1alpha1',
    kind: 'RuleTestReport',
    summary: count(folders.flatMap(({ cases }) => cases)),
    items: folders.flatMap(({ path, cases }) =>
      cases.map(({ test, result }) => ({
        folder: path,
        name: test.name,
        object: test.object,
        passed: result.passed,
        expected: Object.fromEntries(
          FIELDS.flatMap((field) => (test[field] === undefined ? [] : [[field, test[field]]])),
        ),
        got: Object.fromEntries(FIELDS.map((field) => [field, result.verdict[field]])),
      })),
    ),
  };
}

/** The report as JUnit XML: a folder is a suite. */
export function printTestsJunit({ folders }: TestReport): string {
  const all = count(folders.flatMap(({ cases }) => cases));
  const suites = folders.flatMap(({ path, cases }) => [
    `  <testsuite name="${xml(path)}" tests="${cases.length}" failures="${count(cases).failed}">`,
    ...cases.map((run) => `    <testcase classname="${xml(path)}" name="${xml(run.test.name)}"${failure(run)}`),
    '  </testsuite>',
  ]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="convoy rules test" tests="${all.passed + all.failed}" failures="${all.failed}">`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n');
}

function failure(run: CaseRun): string {
  if (run.result.passed) return '/>';
  const message = xml(run.result.differences.join('; '));
  return `><failure message="${message}">${xml(diffLines(run).join('\n'))}</failure></testcase>`;
}
