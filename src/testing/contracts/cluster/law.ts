import type { JsonMap } from '../../../core/object/fields.ts';
import { asMap, asString, field } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import type { Cluster, ObjectPath, ResourcePath } from '../../../ports/cluster.ts';
import { ApiError } from '../../../ports/errors.ts';

/** What a law is tried on: one cluster, and a namespace in it that no other law uses. */
export interface World {
  readonly cluster: Cluster;
  readonly namespace: string;
  /** Warnings of the server, each told once for the whole run. */
  readonly warnings: readonly string[];
  /** A request with an Accept header of its own, as kubectl sends it. */
  request(path: string, accept: string): Promise<{ readonly code: number; readonly body: JsonMap }>;
  /** Makes the cluster forget its past, so that versions from before are gone. */
  forget(): Promise<void>;
}

/** One sentence that holds on every API server, and what shows it. */
export interface Law {
  readonly title: string;
  /** `forget`: needs a cluster that can be made to forget its past. */
  readonly needs?: 'forget';
  readonly run: (world: World) => Promise<void>;
}

export function law(title: string, run: Law['run'], needs?: Law['needs']): Law {
  return { title, run, ...(needs === undefined ? {} : { needs }) };
}

const served = (group: string, version: string, resource: string): ResourcePath['type'] => ({
  group,
  version,
  resource,
});

export const TYPES = {
  apiServices: served('apiregistration.k8s.io', 'v1', 'apiservices'),
  autoscalers: served('autoscaling', 'v2', 'horizontalpodautoscalers'),
  budgets: served('policy', 'v1', 'poddisruptionbudgets'),
  claims: served('', 'v1', 'persistentvolumeclaims'),
  configMaps: served('', 'v1', 'configmaps'),
  cronJobs: served('batch', 'v1', 'cronjobs'),
  coreEvents: served('', 'v1', 'events'),
  customResourceDefinitions: served('apiextensions.k8s.io', 'v1', 'customresourcedefinitions'),
  deployments: served('apps', 'v1', 'deployments'),
  events: served('events.k8s.io', 'v1', 'events'),
  leases: served('coordination.k8s.io', 'v1', 'leases'),
  namespaces: served('', 'v1', 'namespaces'),
  serviceAccounts: served('', 'v1', 'serviceaccounts'),
  services: served('', 'v1', 'services'),
} as const;

export function all(world: World, type: ResourcePath['type'] = TYPES.configMaps): ResourcePath {
  return { type, namespace: world.namespace };
}

export function one(world: World, name: string, type: ResourcePath['type'] = TYPES.configMaps): ObjectPath {
  return { type, namespace: world.namespace, name };
}

export function configMap(name: string, data: JsonMap = {}, metadata: JsonMap = {}): KubernetesObject {
  const some = Object.keys(data).length > 0 ? { data } : {};
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, ...some };
}

/** A Deployment that runs nothing. */
export function deployment(name: string, container: JsonMap = {}, spec: JsonMap = {}): KubernetesObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'example.test/main:1', ...container }] },
      },
      ...spec,
    },
  };
}

/** The value behind field names and list indexes; undefined where there is none. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value;
  for (const step of path) here = Array.isArray(here) ? here[Number(step)] : field(here, String(step));
  return here;
}

export function nameOf(object: unknown): string {
  return asString(at(object, 'metadata', 'name'));
}

export function versionOf(object: unknown): string {
  return asString(at(object, 'metadata', 'resourceVersion'));
}

/** The object with more metadata. */
export function withMetadata(object: KubernetesObject, more: JsonMap): KubernetesObject {
  return { ...object, metadata: { ...asMap(object['metadata']), ...more } };
}

/** The failure that the server answers with. @throws Error when it answers with none, and any other failure as it is */
export async function refusal(call: Promise<unknown>): Promise<ApiError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('the server accepted what it should refuse');
}

/** Waits until the object at the path fits, by a watch; undefined says that it is gone. */
export async function until(
  { cluster }: World,
  path: ObjectPath,
  fits: (object: KubernetesObject | undefined) => boolean,
): Promise<void> {
  const stop = new AbortController();
  const limit = AbortSignal.timeout(30_000);
  const signal = AbortSignal.any([stop.signal, limit]);
  const fieldSelector = `metadata.name=${path.name}`;
  const { items, resourceVersion } = await cluster.list(path, { fieldSelector });
  try {
    if (fits(items[0])) return;
    for await (const event of cluster.watch(path, { fieldSelector, resourceVersion, signal })) {
      if (event.type === 'ERROR') throw new Error(`the watch failed: ${JSON.stringify(event.error)}`);
      if (event.type === 'BOOKMARK') continue;
      if (fits(event.type === 'DELETED' ? undefined : event.object)) return;
    }
    throw new Error(`${path.name} did not become as expected within 30 s`);
  } finally {
    stop.abort();
  }
}
