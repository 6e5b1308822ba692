import { dump } from 'js-yaml';
import { harmless } from '../../core/errors/index.ts';

/** A value as YAML, without references and without folded lines, so that it can be searched line by line. */
export function printYaml(value: unknown): string {
  return harmless(dump(value, { noRefs: true, lineWidth: -1 }));
}
