/** Labels of an object as they were read: nothing has validated them. */
export type Labels = Readonly<Record<string, unknown>>;

/** metav1.LabelSelector. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    /** `In`, `NotIn`, `Exists` or `DoesNotExist`; anything else is a problem. */
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** Whether labels fit. */
export type LabelMatcher = (labels: Labels) => boolean;

const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const PREFIX = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** The selector as a matcher, with what the API server would check; else one sentence that says what is wrong. An empty one fits all. */
export function readLabelSelector(selector: LabelSelector): LabelMatcher | { readonly problem: string } {
  const matchers: LabelMatcher[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    const problem = keyProblem(key) ?? valueProblem(key, value);
    if (problem !== undefined) return { problem };
    matchers.push((labels) => labels[key] === value);
  }
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    const matcher = requirement(key, operator, values);
    if ('problem' in matcher) return matcher;
    matchers.push(matcher);
  }
  return (labels) => matchers.every((matches) => matches(labels));
}

function requirement(
  key: string,
  operator: string,
  values: readonly string[],
): LabelMatcher | { readonly problem: string } {
  const problem = keyProblem(key) ?? values.map((value) => valueProblem(key, value)).find((one) => one !== undefined);
  if (problem !== undefined) return { problem };
  const has = (labels: Labels): boolean => typeof labels[key] === 'string';
  const isOneOf = (labels: Labels): boolean => values.some((value) => labels[key] === value);
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) return { problem: `${operator} of label "${key}" needs values` };
      return operator === 'In' ? isOneOf : (labels) => !isOneOf(labels);
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) return { problem: `${operator} of label "${key}" takes no values` };
      return operator === 'Exists' ? has : (labels) => !has(labels);
    default:
      return { problem: `operator "${operator}" of label "${key}" is none of In, NotIn, Exists, DoesNotExist` };
  }
}

function keyProblem(key: string): string | undefined {
  const slash = key.indexOf('/');
  const name = key.slice(slash + 1);
  const prefixed = slash < 0 || (slash <= 253 && PREFIX.test(key.slice(0, slash)));
  return prefixed && NAME.test(name) ? undefined : `"${key}" is no label key`;
}

function valueProblem(key: string, value: string): string | undefined {
  return value === '' || NAME.test(value) ? undefined : `"${value}" is no value of label "${key}"`;
}

/** As the query parameter `labelSelector` writes it. Only for a selector that `readLabelSelector` accepts. */
export function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    switch (operator) {
      case 'In':
        return `${key} in (${values.join(',')})`;
      case 'NotIn':
        return `${key} notin (${values.join(',')})`;
      case 'DoesNotExist':
        return `!${key}`;
      default:
        return key;
    }
  });
  return [...labels, ...expressions].join(',');
}
