import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { load } from 'js-yaml';
import { isMap } from '../../src/core/object/fields.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';

/** The repository. */
export const ROOT = resolve(import.meta.dirname, '../..');

/** A folder that holds a rule.yaml. */
export interface RuleFolder {
  /** Relative to the repository, e.g. rules/apps/Deployment. */
  readonly path: string;
  readonly rule: KubernetesObject;
  /** Content of rule.test.yaml; undefined when the folder has none. */
  readonly tests: unknown;
}

/** Every rule folder below a folder, in the order of their paths. */
export function ruleFolders(below: string): readonly RuleFolder[] {
  const root = resolve(ROOT, below);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(^|[\\/])rule\.yaml$/.test(file))
    .map((file) => join(root, file, '..'))
    .sort()
    .map((folder) => {
      const tests = join(folder, 'rule.test.yaml');
      return {
        path: relative(ROOT, folder),
        rule: readObject(join(folder, 'rule.yaml')),
        tests: existsSync(tests) ? load(readFileSync(tests, 'utf8')) : undefined,
      };
    });
}

/** A YAML file with one map. */
export function readObject(file: string): KubernetesObject {
  const value = load(readFileSync(resolve(ROOT, file), 'utf8'));
  if (!isMap(value)) throw new Error(`${file} holds no map`);
  return value;
}
