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
 * @param hideSecretValues in the rules of a local set a Secret's values are '' (its keys stay): a `message` must not carry
 * into a status what the rule's author may not read
 */
export function bindObject(
  object: KubernetesObject,
  now: unknown,
  withConditions: boolean,
  hideSecretValues: boolean,
): RuleBindings {
  const seen = hideSecretValues && isSecret(object) ? withoutSecretValues(object) : object;
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

function withoutSecretValues(object: KubernetesObject): KubernetesObject {
  const shown: Record<string, unknown> = { ...object };
  for (const name of ['data', 'stringData']) {
    const values = field(object, name);
    if (isMap(values)) shown[name] = Object.fromEntries(Object.keys(values).map((key) => [key, '']));
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
