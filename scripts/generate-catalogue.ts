import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { load } from 'js-yaml';
import { readRuleSet } from '../src/core/health/read-rule-set.ts';
import type { RuleSet } from '../src/core/health/rule.ts';
import { isMap } from '../src/core/object/fields.ts';

const ROOT = resolve(import.meta.dirname, '..');
const GENERATED = join(ROOT, 'src/catalogue/catalogue.gen.ts');

/** Rule folders of the catalogue as rule sets, one per API group. Throws with every problem of every rule.yaml. */
export function readCatalogue(root: string = join(ROOT, 'rules')): readonly RuleSet[] {
  const byName = new Map<string, RuleSet>();
  const problems: string[] = [];
  for (const file of ruleFiles(root)) {
    const source = relative(ROOT, file);
    const document = load(readFileSync(file, 'utf8'));
    const read = isMap(document) ? readRuleSet(document, source) : undefined;
    problems.push(...(read?.problems ?? []).map(({ path, message }) => `${source}: ${path} ${message}`));
    if (read?.set === undefined) problems.push(`${source}: holds no rule`);
    else if (!addTo(byName, read.set))
      problems.push(`${source}: preamble or generic differs from the other rules of its group`);
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function ruleFiles(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('rule.yaml'))
    .map((file) => join(root, file))
    .sort();
}

function addTo(sets: Map<string, RuleSet>, set: RuleSet): boolean {
  const known = sets.get(set.name);
  if (known !== undefined && (known.preamble !== set.preamble || known.generic !== set.generic)) return false;
  sets.set(set.name, { ...set, source: 'built in', rules: [...(known?.rules ?? []), ...set.rules] });
  return true;
}

/** The text of src/catalogue/catalogue.gen.ts. One rule per line: a change of a rule is one line of a diff. */
export function catalogueModule(sets: readonly RuleSet[]): string {
  const lines = sets.map(({ rules, ...set }) => {
    const head = JSON.stringify(set).slice(0, -1);
    return `  ${head},"rules":[\n${rules.map((rule) => `    ${JSON.stringify(rule)},\n`).join('')}  ]},\n`;
  });
  return [
    '// Made from rules/ by scripts/generate-catalogue.ts. Do not edit: change the rule and run the script.\n',
    "import type { RuleSet } from '../core/health/rule.ts';\n\n",
    `export const CATALOGUE: readonly RuleSet[] = [\n${lines.join('')}];\n`,
  ].join('');
}

/** The generated file as it stands; '' when there is none. */
export function committedModule(): string {
  return existsSync(GENERATED) ? readFileSync(GENERATED, 'utf8') : '';
}

if (import.meta.main) {
  const text = catalogueModule(readCatalogue());
  if (process.argv.includes('--check')) {
    if (text !== committedModule()) {
      console.error(`${relative(ROOT, GENERATED)} is not what rules/ gives: run node scripts/generate-catalogue.ts`);
      process.exitCode = 1;
    }
  } else {
    writeFileSync(GENERATED, text);
  }
}
