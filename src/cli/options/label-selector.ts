import { ConvoyError } from '../../core/errors/index.ts';
import { asMap, field } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';

type Requirement = (labels: Readonly<Record<string, unknown>>) => boolean;

const KEY = '[A-Za-z0-9][-A-Za-z0-9_./]*';
const VALUE = '[-A-Za-z0-9_.]*';
const EQUALITY = new RegExp(String.raw`^(${KEY})\s*(=|==|!=)\s*(${VALUE})$`);
const SET = new RegExp(String.raw`^(${KEY})\s+(in|notin)\s*\(([^()]*)\)$`);
const EXISTS = new RegExp(String.raw`^(!?)\s*(${KEY})$`);

/** Splits at the commas that stand outside of parentheses. */
function terms(selector: string): string[] {
  return selector.split(/,(?![^(]*\))/).map((term) => term.trim());
}

function requirement(term: string): Requirement | undefined {
  const [, key = '', operator, value] = EQUALITY.exec(term) ?? [];
  if (operator === '!=') return (labels) => labels[key] !== value;
  if (operator !== undefined) return (labels) => labels[key] === value;
  const [, setKey = '', setOperator, list = ''] = SET.exec(term) ?? [];
  if (setOperator !== undefined) {
    const values = new Set<unknown>(list.split(',').map((one) => one.trim()));
    return setOperator === 'in'
      ? (labels) => values.has(labels[setKey])
      : (labels) => labels[setKey] === undefined || !values.has(labels[setKey]);
  }
  const exists = EXISTS.exec(term);
  const [, not, existsKey = ''] = exists ?? [];
  if (exists === null) return undefined;
  return not === '!' ? (labels) => labels[existsKey] === undefined : (labels) => labels[existsKey] !== undefined;
}

/** Whether an object has the labels that a selector asks for, in kubectl's language. Throws SelectorInvalid. */
export function parseLabelSelector(selector: string): (object: KubernetesObject) => boolean {
  if (selector.trim() === '') return () => true;
  const requirements = terms(selector).map((term) => {
    const parsed = requirement(term);
    if (parsed === undefined) {
      const reason = term === '' ? 'an empty part' : `"${term}" is no requirement`;
      throw new ConvoyError('SelectorInvalid', { value: selector, reason });
    }
    return parsed;
  });
  return (object) => {
    const labels = asMap(field(object['metadata'], 'labels'));
    return requirements.every((meets) => meets(labels));
  };
}
