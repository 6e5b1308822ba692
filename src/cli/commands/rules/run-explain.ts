import { ConvoyError } from '../../../core/errors/index.ts';
import {
  assessObjects,
  type CompiledRules,
  compileRuleSets,
  explainRule,
  relatedAmong,
  type Verdict,
} from '../../../core/health/index.ts';
import { asString, refOf } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import { ObjectIndex } from '../../../core/object/object-index.ts';
import { EXIT } from '../../exit-code.ts';
import type { CliIo } from '../../io.ts';
import { chooseOutput } from '../../options/choose-output.ts';
import { closestName } from '../../options/closest-name.ts';
import { parseDeadlineFlag, parseTime } from '../../options/time.ts';
import { type ExplainedObject, explanationJson, explanationLines } from '../../printers/explanation.ts';
import { printJsonValue } from '../../printers/json-value.ts';
import { readObjects } from '../../read-inputs.ts';
import { mayColour, refuse } from '../../talk.ts';
import { nameOf, objectsNamed, titleOf } from './choose-objects.ts';
import { builtInSets, loadRuleSets } from './load-rule-sets.ts';

/** The flags of `rules explain` as they are typed. */
export interface ExplainFlags {
  readonly filename: readonly string[];
  readonly namespace?: string;
  readonly rule?: string;
  readonly rules?: readonly string[];
  readonly now?: string;
  readonly deadline?: string;
  readonly output: string;
}

interface Judged {
  readonly object: KubernetesObject;
  readonly verdict: Verdict;
}

/** Refuses the name of a rule that applies to none of the objects. */
function checkRule(rule: string, objects: readonly KubernetesObject[], rules: CompiledRules): void {
  const applying = objects.flatMap((object) => rules.select(asString(object['apiVersion']), asString(object['kind'])));
  if (applying.some((one) => one.id === rule || one.rule.name === rule)) return;
  const names = [...new Set(applying.map(({ id }) => id))];
  const [first, ...more] = objects;
  const subject = first !== undefined && more.length === 0 ? titleOf(first) : `any of the ${objects.length} objects`;
  const meant = closestName(rule, [...names, ...applying.map((one) => one.rule.name)]);
  const hint =
    meant === undefined ? `those that do: ${names.slice(0, 5).join(', ') || 'none'}` : `did you mean ${meant}?`;
  throw new ConvoyError('RuleUnknown', { name: rule, object: subject, hint });
}

/** What is explained without a name: what is not healthy; the only object in any case. */
function worthExplaining(judged: readonly Judged[]): readonly Judged[] {
  return judged.length === 1 ? judged : judged.filter(({ verdict }) => verdict.state !== 'Healthy');
}

/** Explains verdicts. Returns the exit code: 0 whatever they are, as the question is why. Throws a ConvoyError for wrong flags. */
export async function runExplain(name: string | undefined, flags: ExplainFlags, io: CliIo): Promise<number> {
  const format = chooseOutput(flags.output, ['text', 'json']);
  const now = flags.now === undefined ? io.now() : parseTime('--now', flags.now);
  const deadline = flags.deadline === undefined ? {} : { deadline: parseDeadlineFlag(flags.deadline, 'rules explain') };
  const sets = await loadRuleSets(flags.rules ?? [], await builtInSets(), io);
  if (typeof sets === 'number') return sets;
  const input = await readObjects(flags.filename, io.files);
  if (input.problems.length > 0) return refuse(io, input.problems);

  const objects = input.objects.map(({ object }) => object);
  const inNamespace = objects.filter(
    (object) => flags.namespace === undefined || refOf(object).namespace === flags.namespace,
  );
  const named = new Set(name === undefined ? inNamespace : objectsNamed(inNamespace, name));
  const rules = compileRuleSets(sets);
  if (flags.rule !== undefined) checkRule(flags.rule, [...named], rules);
  const judged = assessObjects(objects, rules, { now, ...deadline, failFast: true }).filter(({ object }) =>
    named.has(object),
  );
  const chosen = name === undefined ? worthExplaining(judged) : judged;
  const index = new ObjectIndex(objects);
  const explained = chosen.map(({ object, verdict }): ExplainedObject => {
    const related = relatedAmong(index, object);
    const rule = flags.rule === undefined ? {} : { rule: flags.rule };
    return { object, title: titleOf(object), verdict, rules: explainRule({ object, rules, now, related, ...rule }) };
  });
  if (format === 'json') {
    await io.out(`${printJsonValue(explanationJson(explained))}\n`);
    return EXIT.healthy;
  }
  if (explained.length === 0) await io.err(nothingToExplain(judged));
  const blocks = explained.map((one) => explanationLines(one, mayColour(io)).join('\n'));
  if (blocks.length > 0) await io.out(`${blocks.join('\n\n')}\n`);
  return EXIT.healthy;
}

function nothingToExplain(judged: readonly Judged[]): string {
  const [first] = judged;
  if (first === undefined) return 'no objects to explain\n';
  return `all ${judged.length} objects are healthy; name one to see why: ${nameOf(first.object)}\n`;
}
