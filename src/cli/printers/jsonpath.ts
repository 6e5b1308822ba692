import { evaluateJsonPath } from '../jsonpath/evaluate.ts';
import { parseJsonPath } from '../jsonpath/parse.ts';

/** What a kubectl JSONPath template makes of a value. Throws JsonPathInvalid. No newline is added, as in kubectl. */
export function printJsonPath(value: unknown, template: string): string {
  return evaluateJsonPath(parseJsonPath(template), value);
}
