import type { RuleSet } from '../../../core/health/index.ts';
import type { CliIo } from '../../io.ts';
import { prepareRuleSets } from '../../prepare-judge.ts';
import { readRuleDocuments } from '../../read-inputs.ts';
import { refuse, refuseLines } from '../../talk.ts';

/** The built-in rule sets. */
export async function builtInSets(): Promise<readonly RuleSet[]> {
  return (await import('../../../catalogue/index.ts')).catalogue();
}

/** Base sets with those of `--rules`; an exit code when these cannot be read, which has been told then. */
export async function loadRuleSets(
  paths: readonly string[],
  base: readonly RuleSet[],
  io: CliIo,
): Promise<readonly RuleSet[] | number> {
  const { documents, problems } = await readRuleDocuments(paths, io.files);
  if (problems.length > 0) return refuse(io, problems);
  const prepared = await prepareRuleSets(documents, base);
  return 'problems' in prepared ? refuseLines(io, prepared.problems) : prepared.sets;
}
