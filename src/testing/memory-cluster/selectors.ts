import { asMap, asString, field } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';

type Matcher = (object: KubernetesObject) => boolean;

function labelOf(object: KubernetesObject, name: string): string | undefined {
  const value = field(asMap(field(object['metadata'], 'labels')), name);
  return typeof value === 'string' ? value : undefined;
}

function requirement(text: string): Matcher {
  const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(text);
  if (set) {
    const [, name = '', operator, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    return (object) => values.includes(labelOf(object, name) ?? '\0') === (operator === 'in');
  }
  const pair = /^([^\s!=]+)\s*(==|=|!=)\s*(\S*)$/.exec(text);
  if (pair) {
    const [, name = '', operator, value] = pair;
    return (object) => (labelOf(object, name) === value) === (operator !== '!=');
  }
  if (text.startsWith('!')) return (object) => labelOf(object, text.slice(1).trim()) === undefined;
  return (object) => labelOf(object, text) !== undefined;
}

/** Matches as the API server does: `a=b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, joined by commas. */
function labelMatcher(selector: string): Matcher {
  const all = selector
    .split(/,(?![^(]*\))/)
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map(requirement);
  return (object) => all.every((matches) => matches(object));
}

/** `path=value` and `path!=value` joined by commas, on any path of maps. */
function fieldMatcher(selector: string): Matcher {
  const all = selector
    .split(',')
    .filter((text) => text !== '')
    .map((text) => {
      const [, path = '', operator, value] = /^([^!=]+)(==|=|!=)(.*)$/.exec(text) ?? [];
      const steps = path.split('.');
      return (object: KubernetesObject) =>
        (asString(steps.reduce<unknown>(field, object)) === value) === (operator !== '!=');
    });
  return (object) => all.every((matches) => matches(object));
}

export function matcherOf(options: {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}): Matcher {
  const labels = labelMatcher(options.labelSelector ?? '');
  const fields = fieldMatcher(options.fieldSelector ?? '');
  return (object) => labels(object) && fields(object);
}
