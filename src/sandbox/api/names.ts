import { type ApiObject, asApiObject } from '../objects/api-object.ts';
import { invalid, StatusError } from '../objects/status-error.ts';
import { apiVersionOf, type Resource } from '../resources/resource.ts';

/** `deployments.apps`, as messages name a resource. */
export function resourceText({ group, resource }: Resource): string {
  return group === '' ? resource : `${resource}.${group}`;
}

export function notFound(resource: Resource, name: string): StatusError {
  return new StatusError('NotFound', `${resourceText(resource)} "${name}" not found`, {
    name,
    group: resource.group,
    kind: resource.resource,
  });
}

export function conflict(resource: Resource, name: string, why: string): StatusError {
  return new StatusError('Conflict', `Operation cannot be fulfilled on ${resourceText(resource)} "${name}": ${why}`, {
    name,
    group: resource.group,
    kind: resource.resource,
  });
}

export function alreadyExists(resource: Resource, name: string): StatusError {
  return new StatusError('AlreadyExists', `${resourceText(resource)} "${name}" already exists`, {
    name,
    group: resource.group,
    kind: resource.resource,
  });
}

/** RFC 1123 subdomain; some groups allow any path segment. */
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const FREE_NAMES = new Set(['rbac.authorization.k8s.io', 'apiregistration.k8s.io']);
const PATH_SEGMENT = /^(?!\.{1,2}$)[^/%]+$/;

/** Throws 422 for a name that an object must not have. */
export function checkName(resource: Resource, name: string): void {
  if (name === '') {
    throw invalid(resource.kind, resource.group, name, [
      {
        field: 'metadata.name',
        message: 'Required value: name or generateName is required',
        reason: 'FieldValueRequired',
      },
    ]);
  }
  const rule = FREE_NAMES.has(resource.group) ? PATH_SEGMENT : SUBDOMAIN;
  if (name.length <= 253 && rule.test(name)) return;
  const message =
    `Invalid value: "${name}": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, ` +
    "'-' or '.', and must start and end with an alphanumeric character";
  throw invalid(resource.kind, resource.group, name, [{ field: 'metadata.name', message }]);
}

/** A request's body as an object of the resource, with apiVersion, kind and namespace. Throws 400 when it says others. */
export function readBody(resource: Resource, namespace: string, body: unknown): ApiObject {
  const object = asApiObject(body);
  const apiVersion = apiVersionOf(resource);
  if ((object.kind ?? resource.kind) !== resource.kind || (object.apiVersion ?? apiVersion) !== apiVersion) {
    const given = `${object.apiVersion}, Kind=${object.kind}`;
    throw new StatusError('BadRequest', `the object is ${given}, but ${apiVersion}, Kind=${resource.kind} is expected`);
  }
  const { namespace: own = namespace } = object.metadata;
  if (own !== '' && own !== namespace) {
    const message =
      resource.namespaced || namespace !== ''
        ? `the namespace of the provided object does not match the namespace sent on the request: "${own}" and "${namespace}"`
        : `namespace "${own}" is set on a cluster-scoped object`;
    throw new StatusError('BadRequest', message);
  }
  const { apiVersion: _, kind: __, metadata, ...rest } = object;
  const { namespace: ___, ...named } = metadata;
  return {
    apiVersion,
    kind: resource.kind,
    metadata: namespace === '' ? named : { ...named, namespace },
    ...rest,
  };
}
