import { createHash } from 'node:crypto';
import { openApiOf } from '../resources/built-in-openapi.ts';
import { builtInType } from '../resources/built-in-type.ts';
import type { Registry } from '../resources/registry.ts';
import { apiVersionOf, type Resource } from '../resources/resource.ts';
import type { Answer } from './request.ts';

function rootOf(group: string, version: string): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

/** `/openapi/v3`: where the document of each version stands, with a hash by which clients know that it has not changed. */
export function openApiIndex(registry: Registry): unknown {
  const roots = new Map<string, { group: string; version: string }>();
  for (const { group, version } of registry.all()) roots.set(rootOf(group, version), { group, version });
  const paths = [...roots].map(([root, { group, version }]) => {
    const hash = hashOf(registry, group, version);
    return [root, { serverRelativeURL: `/openapi/v3/${root}?hash=${hash}` }];
  });
  return { paths: Object.fromEntries(paths) };
}

/** Documents of built-in kinds never change: what they are called says what they hold. */
function hashOf(registry: Registry, group: string, version: string): string {
  const isDefined = registry.all().some((one) => one.group === group && one.version === version && !one.strategic);
  const text = isDefined ? JSON.stringify(openApiDocument(registry, group, version)) : rootOf(group, version);
  return createHash('sha256').update(text).digest('hex').slice(0, 32).toUpperCase();
}

function builtInSchema(
  { group, version, kind }: Resource,
  types: Map<string, Readonly<Record<string, unknown>>>,
): Readonly<Record<string, unknown>> {
  return openApiOf(builtInType(group, version, kind), types);
}

const QUERY = ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map((name) => ({
  name,
  in: 'query',
  schema: { type: name === 'force' ? 'boolean' : 'string', uniqueItems: true },
}));

function schemaName({ group, version, kind }: Resource): string {
  return `${(group || 'core').split('.').reverse().join('.')}.${version}.${kind}`;
}

function pathOf({ group, version, namespaced, resource }: Resource): string {
  return `/${rootOf(group, version)}/${namespaced ? 'namespaces/{namespace}/' : ''}${resource}/{name}`;
}

/**
 * The document of one version: what clients look for before they apply (which parameters a patch takes) and the schemas that
 * `kubectl explain` shows, those of built-in kinds without descriptions. Undefined for a version that is not served.
 */
export function openApiDocument(registry: Registry, group: string, version: string): unknown {
  const resources = registry.all().filter((one) => one.group === group && one.version === version);
  if (resources.length === 0) return undefined;
  const paths = resources.map((resource) => {
    const gvk = { group, version, kind: resource.kind };
    const patch = {
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': gvk,
      parameters: QUERY,
      responses: { '200': { description: 'OK' } },
    };
    const content = { 'application/json': { schema: { $ref: `#/components/schemas/${schemaName(resource)}` } } };
    const get = {
      'x-kubernetes-action': 'get',
      'x-kubernetes-group-version-kind': gvk,
      responses: { '200': { description: 'OK', content } },
    };
    return [pathOf(resource), { get, patch }];
  });
  const types = new Map<string, Readonly<Record<string, unknown>>>();
  const schemas = resources.map((resource) => [
    schemaName(resource),
    {
      type: 'object',
      ...(resource.schema ?? (resource.strategic ? builtInSchema(resource, types) : {})),
      'x-kubernetes-group-version-kind': [{ group, version, kind: resource.kind }],
    },
  ]);
  return {
    openapi: '3.0.0',
    info: { title: `Kubernetes ${apiVersionOf({ group, version })}`, version: 'unversioned' },
    paths: Object.fromEntries(paths),
    components: { schemas: { ...Object.fromEntries(types), ...Object.fromEntries(schemas) } },
  };
}

/**
 * `/openapi/v2`, in protobuf, of no kind at all. kubectl checks the items of a `List` by it before it sends them, and leaves out kinds
 * that it does not find; what is wrong with them is told when they are written.
 */
export function emptyOpenApi(version: string): Answer {
  const info = textField(1, 'Kubernetes') + textField(2, version);
  const document = textField(1, '2.0') + textField(2, info);
  return {
    code: 200,
    body: document,
    contentType: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
  };
}

/** A field of protobuf that holds ASCII or another message of less than 128 bytes: then bytes and characters are the same. */
function textField(number: number, text: string): string {
  return String.fromCharCode((number << 3) | 2, text.length) + text;
}
