import { ConvoyError } from '../../../core/errors/index.ts';
import { ruleId } from '../../../core/health/index.ts';
import { EXIT } from '../../exit-code.ts';
import type { CliIo } from '../../io.ts';
import { chooseOutput } from '../../options/choose-output.ts';
import { layOut } from '../../printers/table.ts';
import { groupsOf, type ListedRule, rulesOf, rulesOfKind, subjectOf, suggestKind } from './known-kinds.ts';
import { builtInSets, loadRuleSets } from './load-rule-sets.ts';

/** The flags of `rules list` as they are typed. */
export interface ListFlags {
  readonly output: string;
  readonly rules?: readonly string[];
}

/** One rule as `rules list -o json` prints it. */
interface ListItem {
  readonly kinds: readonly string[];
  readonly resources: readonly string[];
  readonly apiVersions: readonly string[];
  readonly set: string;
  readonly rule: string;
  readonly generic: boolean;
  readonly source: string;
}

function itemOf({ set, rule }: ListedRule): ListItem {
  return {
    kinds: rule.kinds ?? [],
    resources: rule.resources,
    apiVersions: rule.apiVersions,
    set: set.name,
    rule: rule.name,
    generic: set.generic,
    source: set.source,
  };
}

function rowOf(listed: ListedRule): readonly string[] {
  const groups = groupsOf(listed).map((group) => (group === '' ? 'core' : group));
  return [subjectOf(listed), groups.join(', '), listed.set.name, listed.rule.name, listed.set.source];
}

/** The rules of the kind that was named. Throws RuleKindUnknown, with the kind that was meant. */
export function chosenRules(listed: readonly ListedRule[], name: string): readonly ListedRule[] {
  const chosen = rulesOfKind(listed, name);
  if (chosen.length > 0) return chosen;
  const meant = suggestKind(listed, name);
  throw new ConvoyError('RuleKindUnknown', {
    name,
    hint:
      meant === undefined
        ? 'kinds without one are judged by the generic set: `convoy rules show "*"`; see `convoy rules list`'
        : `did you mean ${meant}?`,
  });
}

/** By kind, as a person looks for it; every other kind (`*`) last. */
function byKind(a: ListedRule, b: ListedRule): number {
  if (a.set.generic !== b.set.generic) return a.set.generic ? 1 : -1;
  return subjectOf(a) < subjectOf(b) ? -1 : subjectOf(a) > subjectOf(b) ? 1 : 0;
}

/** Prints the rules of a kind or of all. Returns the exit code. */
export async function runList(kind: string | undefined, { output, rules }: ListFlags, io: CliIo): Promise<number> {
  const format = chooseOutput(output, ['table', 'json', 'yaml', 'name']);
  const sets = await loadRuleSets(rules ?? [], await builtInSets(), io);
  if (typeof sets === 'number') return sets;
  const all = rulesOf(sets);
  const chosen = [...(kind === undefined ? all : chosenRules(all, kind))].sort(byKind);
  switch (format) {
    case 'name':
      await io.out(chosen.map(({ set, rule }) => `${ruleId(set, rule)}\n`).join(''));
      break;
    case 'json':
      await io.out(`${JSON.stringify(listOf(chosen), null, 2)}\n`);
      break;
    case 'yaml':
      await io.out((await import('../../printers/yaml.ts')).printYaml(listOf(chosen)));
      break;
    default: {
      const lines = layOut([['KIND', 'GROUP', 'SET', 'RULE', 'SOURCE'], ...chosen.map(rowOf)]);
      await io.out(`${lines.join('\n')}\n`);
    }
  }
  return EXIT.healthy;
}

function listOf(listed: readonly ListedRule[]): object {
  return { apiVersion: 'convoy.kumodo.io/v1alpha1', kind: 'HealthRuleList', items: listed.map(itemOf) };
}
