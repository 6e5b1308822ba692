import { refOf } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit-code.ts';
import type { JudgeOptions } from '../judge.ts';
import { parseLabelSelector } from '../options/label-selector.ts';
import { type OutputFormat, parseOutput } from '../options/output.ts';
import { parseDeadlineFlag, parseTime } from '../options/time.ts';
import { readObjects, readRuleDocuments } from '../read-inputs.ts';
import { healthReport, isHealthy } from '../report.ts';
import { mayColour, refuse, refuseLines } from '../talk.ts';

/** The flags of `convoy health` as they are typed. */
export interface HealthFlags {
  readonly filename?: readonly string[];
  readonly namespace?: string;
  readonly selector?: string;
  readonly output: string;
  readonly rules?: readonly string[];
  readonly now?: string;
  readonly deadline?: string;
  readonly exitZero?: boolean;
}

/** The flags, read: everything that can be wrong with them is found before an input is opened. */
interface HealthOptions {
  readonly paths: readonly string[];
  readonly rules: readonly string[];
  readonly format: OutputFormat;
  readonly judge: JudgeOptions;
  /** Whether an object belongs in the report. The others are still context for it: the class of a claim, the pods of a workload. */
  readonly selects: (object: KubernetesObject) => boolean;
}

async function compileFlags(flags: HealthFlags, clock: () => number): Promise<HealthOptions> {
  const { filename = [], rules = [], output, now, deadline, namespace, selector = '' } = flags;
  const format = parseOutput(output);
  if (format.kind === 'jsonpath') (await import('../jsonpath/parse.ts')).parseJsonPath(format.template);
  const hasLabels = parseLabelSelector(selector);
  return {
    paths: filename,
    rules,
    format,
    judge: {
      now: now === undefined ? clock() : parseTime('--now', now),
      ...(deadline === undefined ? {} : { deadline: parseDeadlineFlag(deadline, 'health') }),
    },
    selects: (object) => (namespace === undefined || refOf(object).namespace === namespace) && hasLabels(object),
  };
}

/** Judges and prints. Returns the exit code; throws a ConvoyError for wrong flags. */
export async function runHealth(flags: HealthFlags, { io, prepareJudge }: CommandContext): Promise<number> {
  const options = await compileFlags(flags, io.now);
  const rules = await readRuleDocuments(options.rules, io.files);
  if (rules.problems.length > 0) return refuse(io, rules.problems);
  const prepared = await prepareJudge(rules.documents);
  if ('problems' in prepared) return refuseLines(io, prepared.problems);
  const { objects, problems } = await readObjects(options.paths, io.files);
  if (problems.length > 0) return refuse(io, problems);

  const verdicts = prepared.judge(
    objects.map(({ object }) => object),
    options.judge,
  );
  const judged = objects.flatMap(({ object, source }, index) => {
    const verdict = verdicts[index];
    return verdict === undefined || !options.selects(object) ? [] : [{ index, object, source, ...verdict }];
  });
  const report = healthReport(judged);
  if (report.summary.total === 0) await io.err(nothingToJudge(objects.length, flags));
  const { printReport } = await import('../printers/print-report.ts');
  await io.out(await printReport(report, options.format, mayColour(io)));
  if (flags.exitZero === true) return EXIT.healthy;
  // Objects were read and none was chosen: a misspelt flag must not let a gate pass.
  if (report.summary.total === 0 && objects.length > 0) return EXIT.unreadable;
  return isHealthy(report) ? EXIT.healthy : EXIT.notHealthy;
}

/** A namespace that is misspelt leaves nothing, which is no news about the health of anything: the flags are named. */
function nothingToJudge(read: number, { namespace, selector }: HealthFlags): string {
  const flags = [namespace === undefined ? '' : ` -n ${namespace}`, selector === undefined ? '' : ` -l ${selector}`];
  const why = read === 0 ? '' : `: none of the ${read} read fits${flags.join('')}`;
  return `no objects to judge${why.replace(/\s+/g, ' ')}\n`;
}
