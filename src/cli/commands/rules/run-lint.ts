import { errorText } from '../../../core/errors/index.ts';
import { isRuleDocument, type RuleProblem, readRuleSet } from '../../../core/health/index.ts';
import { lintRule } from '../../../core/health/lint-rules.ts';
import { field, isMap } from '../../../core/object/fields.ts';
import type { KindSchemas } from '../../../core/schema/kind-schemas.ts';
import { loadPlaceReader, loadYamlParser, type PlaceReader } from '../../../manifests/index.ts';
import { EXIT } from '../../exit-code.ts';
import type { CliIo, InputFiles } from '../../io.ts';
import { chooseOutput } from '../../options/choose-output.ts';
import { type LintReport, lintLines, type PlacedFinding, summaryOf } from '../../printers/lint.ts';
import { type RuleDocument, readRuleDocuments } from '../../read-inputs.ts';
import { mayColour, refuse, refuseLines } from '../../talk.ts';
import { readSchemas } from './read-schemas.ts';
import { rememberingFiles } from './remembering-files.ts';
import { type RulePlaces, rulePlacesOf } from './rule-places.ts';

/** The flags of `rules lint` as they are typed. */
export interface LintFlags {
  readonly schema?: readonly string[];
  readonly output: string;
}

/** What linting one document needs besides. */
interface Linter {
  readonly files: InputFiles;
  readonly schemas: KindSchemas;
  readonly places: PlaceReader;
  readonly parseYaml: (text: string) => unknown;
}

/** Lints rules and prints what was found. Returns the exit code; throws a ConvoyError for wrong flags. */
export async function runLint(paths: readonly string[], flags: LintFlags, io: CliIo): Promise<number> {
  const format = chooseOutput(flags.output, ['text', 'json']);
  const files = rememberingFiles(io.files);
  const { schemas, lines: unreadable } = await readSchemas(flags.schema ?? [], files);
  if (unreadable.length > 0) return refuseLines(io, unreadable);
  const { documents, problems } = await readRuleDocuments(paths, files);
  if (problems.length > 0) return refuse(io, problems);
  const chosen = documents.filter(isMeantAsRule);
  const without = inputsWithout(documents, chosen);
  if (without.length > 0) return refuseLines(io, without);

  const linter = { files, schemas, places: await loadPlaceReader(), parseYaml: await loadYamlParser() };
  const findings: PlacedFinding[] = [];
  let rules = 0;
  for (const document of chosen) {
    const linted = await lintDocument(document, linter);
    findings.push(...linted.findings);
    rules += linted.rules;
  }
  const report: LintReport = { rules, findings };
  if (format === 'json') await io.out(`${JSON.stringify(jsonOf(report), null, 2)}\n`);
  else await io.out(`${lintLines(report, mayColour(io)).join('\n')}\n`);
  return findings.some(({ severity }) => severity === 'error') ? EXIT.notHealthy : EXIT.healthy;
}

/** A rule set, or a file that is named like a rule and is none yet. */
function isMeantAsRule({ value, source }: RuleDocument): boolean {
  return isRuleDocument(value) || (/(?:^|\/)rule\.ya?ml$/.test(source) && isMap(value));
}

function inputsWithout(documents: readonly RuleDocument[], chosen: readonly RuleDocument[]): readonly string[] {
  const inputs = new Set(documents.map(({ input }) => input));
  for (const { input } of chosen) inputs.delete(input);
  return [...inputs].map((input) => `${input === '-' ? 'stdin' : input}: ${errorText('NoRules')}`);
}

async function lintDocument(
  document: RuleDocument,
  linter: Linter,
): Promise<{ readonly findings: readonly PlacedFinding[]; readonly rules: number }> {
  const { source, value } = document;
  if (!isMap(value)) return { findings: [], rules: 0 };
  const places = rulePlacesOf(document, linter.places);
  const { set, problems } = readRuleSet(value, source, { parseYaml: linter.parseYaml });
  const findings = problems.map((problem) => ofProblem(problem, places));
  for (const rule of set?.rules ?? []) {
    if (set === undefined) break;
    const id = `${set.name}#${rule.name}`;
    for (const { span, ...finding } of lintRule(set, rule, linter.schemas)) {
      const place = places.ofExpression(set, rule, finding.field, span?.start);
      findings.push({ ...finding, ...place, source, rule: id });
    }
  }
  const note = await testsMissing(document, linter.files);
  findings.sort((a, b) => a.line - b.line || a.column - b.column);
  return { findings: [...findings, ...note], rules: Math.max(set?.rules.length ?? 0, 1) };
}

function ofProblem({ source, path, message }: RuleProblem, places: RulePlaces): PlacedFinding {
  const said = path === '' ? message : `${path} ${message}`;
  return {
    severity: 'error',
    code: 'rule_document',
    rule: '',
    field: path,
    message: said,
    hints: [],
    source,
    ...places.ofPath(path),
  };
}

/** Only the rule of a folder has a place for tests beside it. */
async function testsMissing({ source, value }: RuleDocument, files: InputFiles): Promise<readonly PlacedFinding[]> {
  if (source === '-' || field(value, 'apiVersion') !== undefined) return [];
  const folder = source.slice(0, source.lastIndexOf('/') + 1);
  for (const name of ['rule.test.yaml', 'rule.test.yml']) {
    try {
      if ((await files.kindOf(`${folder}${name}`)) === 'file') return [];
    } catch {
      // Not there.
    }
  }
  const hints = [`write its cases in ${folder}rule.test.yaml`];
  return [
    {
      severity: 'note',
      code: 'no_tests',
      rule: '',
      field: '',
      message: 'this rule has no tests',
      hints,
      source,
      line: 1,
      column: 1,
    },
  ];
}

function jsonOf(report: LintReport): object {
  return {
    apiVersion: 'convoy.kumodo.io/v1alpha1',
    kind: 'RuleLintReport',
    summary: summaryOf(report),
    items: report.findings.map(({ source, line, column, severity, code, rule, field: name, message, hints }) => ({
      source,
      line,
      column,
      severity,
      code,
      rule,
      field: name,
      message,
      hints,
    })),
  };
}
