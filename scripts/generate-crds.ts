/** Writes deploy/crds/*.yaml from the schemas of src/core/api. A test fails when files and schemas differ. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { definitionOf, GROUP, OWN_KINDS } from '../src/core/api/index.ts';

const FOLDER = join(import.meta.dirname, '..', 'deploy', 'crds');

/** The text of each file by its name. */
export function renderDefinitions(): ReadonlyMap<string, string> {
  const head =
    '# Made from src/core/api by scripts/generate-crds.ts. Do not edit: change the schema and run the script.\n';
  return new Map(
    OWN_KINDS.map((own) => [
      `${GROUP}_${own.plural}.yaml`,
      `${head}${dump(definitionOf(own), { noRefs: true, lineWidth: 120 })}`,
    ]),
  );
}

/** What stands in deploy/crds. */
export function committedDefinitions(): ReadonlyMap<string, string> {
  return new Map(
    readdirSync(FOLDER)
      .sort()
      .map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]),
  );
}

if (import.meta.main) {
  mkdirSync(FOLDER, { recursive: true });
  const files = renderDefinitions();
  for (const name of committedDefinitions().keys()) if (!files.has(name)) rmSync(join(FOLDER, name));
  for (const [name, text] of files) writeFileSync(join(FOLDER, name), text);
}
