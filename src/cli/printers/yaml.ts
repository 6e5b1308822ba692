import { dump } from 'js-yaml';

/** A value as YAML, without references and without folded lines, so that it can be searched line by line. */
export function printYaml(value: unknown): string {
  return dump(value, { noRefs: true, lineWidth: -1 });
}
