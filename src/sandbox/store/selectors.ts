import { asString, field } from '../../core/object/fields.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { StatusError } from '../objects/status-error.ts';

export type Selects = (object: ApiObject) => boolean;

const NAME = '[A-Za-z0-9][-A-Za-z0-9_./]*';
const EQUALITY = new RegExp(String.raw`^(${NAME})\s*(=|==|!=)\s*([-A-Za-z0-9_.]*)$`);
const SET = new RegExp(String.raw`^(${NAME})\s+(in|notin)\s*\(([^()]*)\)$`);
const EXISTS = new RegExp(String.raw`^(!?)\s*(${NAME})$`);

type Labels = Readonly<Record<string, string>>;

function requirement(term: string): ((labels: Labels) => boolean) | undefined {
  const [, key = '', operator, value] = EQUALITY.exec(term) ?? [];
  if (operator === '!=') return (labels) => labels[key] !== value;
  if (operator !== undefined) return (labels) => labels[key] === value;
  const [, setKey = '', setOperator, list = ''] = SET.exec(term) ?? [];
  const values = list.split(',').map((one) => one.trim());
  if (setOperator === 'in') return (labels) => values.includes(labels[setKey] ?? '\n');
  if (setOperator === 'notin') return (labels) => !values.includes(labels[setKey] ?? '\n');
  const [matched, not, existsKey = ''] = EXISTS.exec(term) ?? [];
  if (matched === undefined) return undefined;
  return not === '!' ? (labels) => labels[existsKey] === undefined : (labels) => labels[existsKey] !== undefined;
}

/** A label selector as it stands in a query. Throws 400 for one that is none. */
export function labelSelector(text: string): Selects {
  if (text.trim() === '') return () => true;
  const requirements = text.split(/,(?![^(]*\))/).map((term) => {
    const meets = requirement(term.trim());
    if (meets === undefined) throw new StatusError('BadRequest', `unable to parse requirement: "${term}"`);
    return meets;
  });
  return ({ metadata }) => requirements.every((meets) => meets(metadata.labels ?? {}));
}

interface SelectorSpec {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** Whether labels fit the `selector` of a workload. An empty one fits everything. */
export function matchesSelector(selector: unknown, labels: Labels = {}): boolean {
  const { matchLabels = {}, matchExpressions = [] } = (selector ?? {}) as SelectorSpec;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
        default:
          return false;
      }
    })
  );
}

/** A field selector: by `metadata.name`, `metadata.namespace` and the given scalar fields. Throws 400 for any other. */
export function fieldSelector(text: string, selectable: readonly string[]): Selects {
  if (text.trim() === '') return () => true;
  const terms = text.split(',').map((term): Selects => {
    const [, path = '', operator, value = ''] = /^\s*([A-Za-z][\w.]*?)\s*(==|=|!=)(.*)$/.exec(term) ?? [];
    if (operator === undefined) throw new StatusError('BadRequest', `invalid field selector: "${term}"`);
    if (path !== 'metadata.name' && path !== 'metadata.namespace' && !selectable.includes(path)) {
      throw new StatusError('BadRequest', `field label not supported: ${path}`);
    }
    const names = path.split('.');
    const equal: Selects = (object) => scalarText(names.reduce<unknown>(field, object)) === value;
    return operator === '!=' ? (object) => !equal(object) : equal;
  });
  return (object) => terms.every((meets) => meets(object));
}

function scalarText(value: unknown): string {
  return typeof value === 'boolean' || typeof value === 'number' ? String(value) : asString(value);
}
