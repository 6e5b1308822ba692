import { errorText } from '../core/errors/index.ts';
import {
  assessObjects,
  compileRuleSets,
  isRuleDocument,
  type Rule,
  type RuleIssue,
  type RuleProblem,
  type RuleSet,
  readRuleSet,
} from '../core/health/index.ts';
import { isMap } from '../core/object/fields.ts';
import { formatProblem, loadPlaceReader, loadYamlParser } from '../manifests/index.ts';
import type { RulePlaces } from './commands/rules/rule-places.ts';
import type { PreparedJudge } from './judge.ts';
import type { RuleDocument } from './read-inputs.ts';

type PlacesOf = (document: RuleDocument) => Promise<RulePlaces>;

/** Finds the places of documents, of each once. What finds them is loaded only when something is wrong. */
function rememberedPlaces(): PlacesOf {
  const known = new Map<RuleDocument, RulePlaces>();
  return async (document) => {
    const { rulePlacesOf } = await import('./commands/rules/rule-places.ts');
    const places = known.get(document) ?? rulePlacesOf(document, await loadPlaceReader());
    known.set(document, places);
    return places;
  };
}

async function problemLine(read: RuleDocument, problem: RuleProblem, placesOf: PlacesOf): Promise<string> {
  const { path, message } = problem;
  const { source, document } = read;
  const { line } = (await placesOf(read)).ofPath(path);
  return formatProblem({ source, document, line, code: 'RuleSetInvalid', values: { path, reason: message } });
}

/** The message of a rule that does not compile, with the expression and a caret below it. */
async function issueText(issue: RuleIssue, given: readonly GivenSet[], placesOf: PlacesOf): Promise<string> {
  const { source, field, expression } = issue;
  const within = expression
    .split('\n')
    .slice(0, issue.line - 1)
    .join('\n');
  const offset = issue.line === 1 ? 0 : within.length + 1;
  let place = '';
  for (const { set, document } of given) {
    const rule = set.rules.find(({ name }) => name === issue.rule);
    if (rule === undefined || set.name !== issue.set || set.source !== source) continue;
    const { line } = (await placesOf(document)).ofExpression(set, rule, field, offset);
    place = `document ${document.document}, line ${line}: `;
  }
  const told = issue.text.replace(/^\d+:\d+: /, '').trimEnd();
  return `${source === '-' ? 'stdin' : source}: ${place}rule ${issue.set}#${issue.rule}, ${field}: ${told}`;
}

function sameObjects(a: Rule, b: Rule): boolean {
  return (
    a.resources.some((resource) => b.resources.includes(resource)) &&
    a.apiVersions.some((version) => b.apiVersions.includes(version))
  );
}

/** Two rules that speak about the same objects, or share their name: the later one takes the place of the earlier. */
function samePlace(a: Rule, b: Rule): boolean {
  return a.name === b.name || sameObjects(a, b);
}

/** Rules of folders that would push each other out: of one API group, with one name, about different objects. */
function nameTaken(added: RuleSet, given: readonly GivenSet[]): RuleProblem | undefined {
  for (const { set, document } of given) {
    if (set.name !== added.name || !isFolderRule(document)) continue;
    for (const rule of set.rules) {
      if (!added.rules.some((one) => one.name === rule.name && !sameObjects(one, rule))) continue;
      const subject = (rule.kinds ?? rule.resources).join(', ');
      const message =
        `"${rule.name}" is taken by the rule for ${subject} in ${document.source}: ` +
        'rules of one API group have different names';
      return { source: added.source, path: 'name', message };
    }
  }
  return undefined;
}

/**
 * Adds a set to others. A set of the same name is replaced, except that the rule of a folder (one file for each kind) replaces
 * only the rules for the same objects: a folder with one rule for Deployments leaves those for StatefulSets in force.
 */
export function addRuleSet(sets: readonly RuleSet[], added: RuleSet, fromFolder: boolean): readonly RuleSet[] {
  const isBefore = ({ name, namespace }: RuleSet): boolean => name === added.name && namespace === added.namespace;
  if (!fromFolder) return [...sets.filter((set) => !isBefore(set)), added];
  const stays = (rule: Rule): boolean => !added.rules.some((one) => samePlace(rule, one));
  return [...sets.map((set) => (isBefore(set) ? { ...set, rules: set.rules.filter(stays) } : set)), added];
}

/** Whether a document is the rule.yaml of a rule folder, which says kind and group instead of apiVersion. */
function isFolderRule({ value }: RuleDocument): boolean {
  return isMap(value) && value['apiVersion'] === undefined;
}

interface GivenSet {
  readonly set: RuleSet;
  readonly document: RuleDocument;
}

interface RuleInput {
  /** The sets of the documents alone. */
  readonly given: readonly GivenSet[];
  /** All sets: built in, then given. */
  readonly sets: readonly RuleSet[];
  /** What is wrong with the documents. */
  readonly lines: readonly string[];
}

async function readSets(
  documents: readonly RuleDocument[],
  builtIn: readonly RuleSet[],
  placesOf: PlacesOf,
): Promise<RuleInput> {
  if (documents.length === 0) return { given: [], sets: builtIn, lines: [] };
  const parseYaml = await loadYamlParser();
  const given: GivenSet[] = [];
  const lines: string[] = [];
  let sets = builtIn;
  for (const document of documents) {
    if (!isMap(document.value) || !isRuleDocument(document.value)) continue;
    const { set, problems } = readRuleSet(document.value, document.source, { parseYaml });
    for (const problem of problems) lines.push(await problemLine(document, problem, placesOf));
    if (set === undefined) continue;
    const taken = isFolderRule(document) ? nameTaken(set, given) : undefined;
    if (taken !== undefined) lines.push(await problemLine(document, taken, placesOf));
    given.push({ set, document });
    sets = addRuleSet(sets, set, isFolderRule(document));
  }
  return { given, sets, lines };
}

/** Inputs in which no document is a rule. A folder also holds tests and fixtures, so it is enough when one document is. */
function inputsWithoutRules(documents: readonly RuleDocument[]): string[] {
  const inputs = new Map<string, boolean>();
  for (const document of documents) {
    inputs.set(document.input, (inputs.get(document.input) ?? false) || isRuleDocument(document.value));
  }
  return [...inputs].filter(([, found]) => !found).map(([input]) => `${input}: ${errorText('NoRules')}`);
}

/**
 * The built-in sets and those of `documents`, which are added to them or replace them by name.
 * Instead of them, lines for the author when one of `documents` cannot be read or compiled.
 */
export async function prepareRuleSets(
  documents: readonly RuleDocument[],
  builtIn: readonly RuleSet[],
): Promise<{ readonly sets: readonly RuleSet[] } | { readonly problems: readonly string[] }> {
  const placesOf = rememberedPlaces();
  const { given, sets, lines: unreadable } = await readSets(documents, builtIn, placesOf);
  // Built-in rules are tested with the product; compiling them all would cost every start.
  const issues = given.length > 0 ? compileRuleSets(given.map(({ set }) => set)).compileAll() : [];
  const errors = issues.filter(({ severity }) => severity === 'error');
  const broken: string[] = [];
  for (const issue of errors) broken.push(await issueText(issue, given, placesOf));
  const lines = [...unreadable, ...inputsWithoutRules(documents), ...broken];
  if (lines.length === 0) return { sets };
  return { problems: lines };
}

/** The judge that knows the sets of `prepareRuleSets`, or the lines that it gives instead. */
export async function prepareJudge(
  documents: readonly RuleDocument[],
  builtIn: readonly RuleSet[],
): Promise<PreparedJudge | { readonly problems: readonly string[] }> {
  const prepared = await prepareRuleSets(documents, builtIn);
  if ('problems' in prepared) return prepared;
  const rules = compileRuleSets(prepared.sets);
  return {
    judge: (objects, options) => assessObjects(objects, rules, { ...options, failFast: true }),
    sets: prepared.sets,
  };
}
