import type { ApiObject } from '../objects/api-object.ts';
import { Registry } from '../resources/registry.ts';
import type { Resource } from '../resources/resource.ts';
import { Store } from '../store/store.ts';
import { ObjectApi } from './object-api.ts';

/** An API on an empty store with the namespace `default`, at a fixed time unless another is given, with counted uids. */
export function emptyApi(
  window?: number,
  now: () => number = () => Date.parse('2026-03-02T10:00:00Z'),
): { api: ObjectApi; resource: (apiVersion: string, kind: string) => Resource } {
  let count = 0;
  const next = (): string => {
    count += 1;
    return `${count}`;
  };
  const registry = new Registry();
  const api = new ObjectApi(new Store(window), registry, { now, uid: next, suffix: () => `x${next()}` });
  const resource = (apiVersion: string, kind: string): Resource => {
    const found = registry.byKind(apiVersion, kind);
    if (found === undefined) throw new Error(`${kind} is not served`);
    return found;
  };
  api.create(resource('v1', 'Namespace'), '', { metadata: { name: 'default' } }, { manager: 'test' });
  return { api, resource };
}

/** A Deployment of one container. */
export function deployment(name: string, spec: Record<string, unknown> = {}): Record<string, unknown> {
  const labels = { app: name };
  const containers = [{ name: 'app', image: 'app:1' }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } }, ...spec },
  };
}

export function configMap(
  name: string,
  data: Record<string, string> = {},
  metadata: Partial<ApiObject['metadata']> = {},
): Record<string, unknown> {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}
