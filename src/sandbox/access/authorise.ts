import { StatusError } from '../objects/status-error.ts';
import type { User } from './user.ts';

/** What a request does, as k8s.io/apiserver reads it from method, path and query. */
export interface Attributes {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, `impersonate`; of a path the method in small letters. */
  readonly verb: string;
  /** Of a request that is about no resource: `/readyz`; else ''. */
  readonly path: string;
  readonly group: string;
  readonly version: string;
  /** Plural; '' for a path. */
  readonly resource: string;
  readonly subresource: string;
  /** '' for the cluster scope, or all namespaces. */
  readonly namespace: string;
  /** '' for a collection. */
  readonly name: string;
}

/** A no carries why, in words that go to the user; '' says no more than that it is one. */
export type Decision = 'allowed' | { readonly reason: string };

/** Whether a user may do something. Asked for every request and by access reviews; tests replace it. */
export type Authorise = (user: User, attributes: Attributes) => Decision;

/** RBAC is off: whoever has a token may do everything. */
export const allowAll: Authorise = () => 'allowed';

const PATH: Attributes = {
  verb: 'get',
  path: '',
  group: '',
  version: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
};

/** Attributes with what is not named empty. */
export function attributes(some: Partial<Attributes>): Attributes {
  return { ...PATH, ...some };
}

function refused(user: User, { verb, path, group, resource, subresource, namespace }: Attributes): string {
  if (resource === '') return `User "${user.name}" cannot ${verb} path "${path}"`;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  return `User "${user.name}" cannot ${verb} resource "${what}" in API group "${group}" ${where}`;
}

/** 403 in the words of the API server (responsewriters.ForbiddenStatusError). */
export function forbidden(user: User, asked: Attributes, reason: string): StatusError {
  const { group, resource, name } = asked;
  const qualified = group === '' ? resource : `${resource}.${group}`;
  const subject = resource === '' ? '' : name === '' ? `${qualified} is ` : `${qualified} "${name}" is `;
  const why = reason === '' ? '' : `: ${reason}`;
  return new StatusError('Forbidden', `${subject}forbidden: ${refused(user, asked)}${why}`, {
    name,
    group,
    kind: resource,
  });
}

/** Throws 403 unless the user may do it. */
export function requireAllowed(authorise: Authorise, user: User, asked: Attributes): void {
  const decision = authorise(user, asked);
  if (decision !== 'allowed') throw forbidden(user, asked, decision.reason);
}
