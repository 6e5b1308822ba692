import { StatusError } from '../objects/status-error.ts';
import { type Authorise, attributes, requireAllowed } from './authorise.ts';
import { AUTHENTICATED, serviceAccountOf, UNAUTHENTICATED, type User } from './user.ts';

/** All values of a header, by its name in small letters. */
export type HeaderValues = (name: string) => readonly string[];

const EXTRA = 'impersonate-extra-';
const AUTHENTICATION = 'authentication.k8s.io';

/** A key of extra data as it stands behind the prefix of a header; one that is badly escaped is taken as it is. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function extraOf(names: readonly string[], values: HeaderValues): Record<string, readonly string[]> {
  const extra: Record<string, readonly string[]> = {};
  for (const name of names) {
    if (name.startsWith(EXTRA)) extra[unescaped(name.slice(EXTRA.length))] = values(name);
  }
  return extra;
}

/** Groups that follow from the user's name and the groups that were named. */
function impliedGroups(user: string, named: readonly string[]): readonly string[] {
  const account = named.length === 0 ? serviceAccountOf(user) : undefined;
  const groups =
    account === undefined ? named : ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`];
  if (user === 'system:anonymous') {
    return groups.includes(UNAUTHENTICATED) ? groups : [...groups, UNAUTHENTICATED];
  }
  return groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED) ? groups : [...groups, AUTHENTICATED];
}

/**
 * The user in whose name a request is made: the one that its `Impersonate-…` headers describe, else the one who asks. Throws 400
 * for groups, a uid or extra data without a user, 403 where the one who asks may not act as these.
 */
export function actingUser(
  requester: User,
  names: readonly string[],
  values: HeaderValues,
  authorise: Authorise,
): User {
  const [name = ''] = values('impersonate-user');
  const groups = values('impersonate-group');
  const [uid = ''] = values('impersonate-uid');
  const extra = extraOf(names, values);
  if (name === '') {
    if (groups.length === 0 && uid === '' && Object.keys(extra).length === 0) return requester;
    throw new StatusError('BadRequest', 'groups, a uid or extra data are requested without impersonating a user');
  }
  const account = serviceAccountOf(name);
  const wanted = [
    account === undefined ? { resource: 'users', name } : { resource: 'serviceaccounts', ...account },
    ...groups.map((group) => ({ resource: 'groups', name: group })),
    ...Object.entries(extra).flatMap(([subresource, all]) =>
      all.map((one) => ({ group: AUTHENTICATION, version: 'v1', resource: 'userextras', subresource, name: one })),
    ),
    ...(uid === '' ? [] : [{ group: AUTHENTICATION, version: 'v1', resource: 'uids', name: uid }]),
  ];
  for (const one of wanted) requireAllowed(authorise, requester, attributes({ verb: 'impersonate', ...one }));
  return { name, uid, groups: impliedGroups(name, groups), extra };
}
