import { readConditions } from '../conditions/conditions.ts';
import { asMap, asString, field, isMap, type JsonMap } from '../object/fields.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';

/** Root variables of every convoy rule. The maps are empty when the object lacks them or holds something else there. */
export const RULE_VARIABLES = {
  object: 'dyn',
  self: 'dyn',
  obj: 'dyn',
  apiVersion: 'string',
  kind: 'string',
  metadata: 'map(string, dyn)',
  spec: 'map(string, dyn)',
  status: 'map(string, dyn)',
  data: 'map(string, dyn)',
  now: 'google.protobuf.Timestamp',
  params: 'map(string, dyn)',
  related: 'map(string, dyn)',
  conditions: 'list(dyn)',
  variables: 'map(string, dyn)',
} as const;

const NO_PARAMS: JsonMap = Object.freeze({});

/** Values of the root variables for one object; `variables` and `related` are filled while the rules run. */
export interface RuleBindings {
  [name: string]: unknown;
  related: Record<string, unknown>;
  variables: Record<string, unknown>;
}

/**
 * What a rule sees of an object.
 * @param now the time of the pass as a CEL timestamp
 * @param withConditions bind `conditions`: status.conditions as a list that is safe to read (see `readConditions`)
 * @param secretValues a Secret's keys are always seen, its values never: what a `message` or an explanation quotes would end
 * in a status or a log. `empty`: each is '' (rules of a local set, whose author may not read them); `masked`: as many `*` as
 * it is long, so that `size(data.password) > 0` still tells
 */
export function bindObject(
  object: KubernetesObject,
  now: unknown,
  withConditions: boolean,
  secretValues: 'empty' | 'masked',
): RuleBindings {
  const seen = isSecret(object) ? withoutSecretValues(object, secretValues === 'empty' ? () => '' : mask) : object;
  return {
    object: seen,
    self: seen,
    obj: seen,
    apiVersion: asString(seen['apiVersion']),
    kind: asString(seen['kind']),
    metadata: asMap(seen['metadata']),
    spec: asMap(seen['spec']),
    status: asMap(seen['status']),
    data: asMap(seen['data']),
    now,
    params: NO_PARAMS,
    conditions: withConditions ? readConditions(asMap(seen['status'])['conditions']) : [],
    related: {},
    variables: {},
  };
}

function isSecret(object: KubernetesObject): boolean {
  return object['kind'] === 'Secret' && object['apiVersion'] === 'v1';
}

/** At most this much of a length is told: beyond it, it only says how large something is. */
const LONGEST_MASK = 1_000;

function mask(value: unknown): string {
  return typeof value === 'string' ? '*'.repeat(Math.min(value.length, LONGEST_MASK)) : '';
}

function withoutSecretValues(object: KubernetesObject, hide: (value: unknown) => string): KubernetesObject {
  const shown: Record<string, unknown> = { ...object };
  for (const name of ['data', 'stringData']) {
    const values = field(object, name);
    if (isMap(values))
      shown[name] = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, hide(value)]));
    else if (values !== undefined) shown[name] = {};
  }
  // The last-applied annotation repeats the values in plain text.
  const metadata = field(object, 'metadata');
  const annotations = field(metadata, 'annotations');
  if (isMap(metadata) && isMap(annotations)) {
    const kept = { ...annotations };
    for (const key of Object.keys(kept)) if (key.endsWith('/last-applied-configuration')) kept[key] = '';
    shown['metadata'] = { ...metadata, annotations: kept };
  }
  return shown;
}
