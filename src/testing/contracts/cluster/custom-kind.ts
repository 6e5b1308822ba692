import type { JsonMap } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import type { Cluster, ResourcePath } from '../../../ports/cluster.ts';
import { at, TYPES, until, type World } from './law.ts';

export const GROUP = 'contract.convoy.example';

export const WIDGETS: ResourcePath['type'] = { group: GROUP, version: 'v1', resource: 'widgets' };

/** A definition with a default, bounds, rules of CEL over old and new, a list by key, and both subresources. */
export function definition(plural: string, kind: string, more: JsonMap = {}): KubernetesObject {
  const singular = kind.toLowerCase();
  const spec = {
    type: 'object',
    required: ['size'],
    properties: {
      size: { type: 'integer', minimum: 1, maximum: 10 },
      color: { type: 'string', enum: ['red', 'green'], default: 'red' },
      fixed: {
        type: 'string',
        'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed cannot be changed' }],
      },
      parts: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, n: { type: 'integer' } } },
      },
      plain: { type: 'array', items: { type: 'string' } },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
    'x-kubernetes-validations': [
      { rule: "self.color != 'green' || self.size > 1", message: 'what is green must be larger than 1' },
    ],
  };
  const status = { type: 'object', properties: { replicas: { type: 'integer' }, phase: { type: 'string' } } };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
    subresources: {
      status: {},
      scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.replicas' },
    },
    additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural, singular, kind, shortNames: [`${singular.slice(0, 2)}x`] },
      versions: [{ ...version, ...more }],
    },
  };
}

/** Defines a kind and waits until the server serves it. */
export async function define(world: World, object: KubernetesObject): Promise<void> {
  const name = String(at(object, 'metadata', 'name'));
  const path = { type: TYPES.customResourceDefinitions, namespace: '', name };
  await world.cluster.create(path, object);
  await until(world, path, (found) =>
    JSON.stringify(at(found, 'status', 'conditions') ?? []).includes('"type":"Established"'),
  );
  await servedSoon(world.cluster, String(at(object, 'spec', 'names', 'kind')));
}

/** Discovery follows a definition within moments; the server gives no sign when. */
async function servedSoon({ discovery }: Cluster, kind: string): Promise<void> {
  const limit = AbortSignal.timeout(30_000);
  while (!limit.aborted) {
    discovery.invalidate();
    if (await discovery.kind(GROUP, kind)) return;
  }
  throw new Error(`${kind} was not discovered within 30 s`);
}

const defined = new WeakMap<Cluster, Promise<void>>();

/** The kind Widget, defined once for each cluster. */
export function widgetsServed(world: World): Promise<void> {
  const known = defined.get(world.cluster) ?? define(world, definition('widgets', 'Widget'));
  defined.set(world.cluster, known);
  return known;
}

export function widget(name: string, spec: JsonMap, more: JsonMap = {}): KubernetesObject {
  return { apiVersion: `${GROUP}/v1`, kind: 'Widget', metadata: { name }, spec, ...more };
}
