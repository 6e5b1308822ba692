/** Who asks, as authentication or impersonation found it (user.Info of k8s.io/apiserver). */
export interface User {
  readonly name: string;
  /** '' where nothing gave one. */
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** A user with a token, beside the one of the sandbox's kubeconfig. */
export interface TokenUser extends Partial<User> {
  readonly name: string;
  /** Unpredictable text that the user shows. */
  readonly token: string;
}

export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';
export const ADMINISTRATORS = 'system:masters';

/** The user of the sandbox's kubeconfig. */
export const ADMIN: User = {
  name: 'convoy-sandbox',
  uid: '',
  groups: [ADMINISTRATORS, AUTHENTICATED],
  extra: {},
};

/** The user that shows a token; everybody who shows one is authenticated. */
export function userOf({ name, uid = '', groups = [], extra = {} }: TokenUser): User {
  return { name, uid, groups: groups.includes(AUTHENTICATED) ? groups : [...groups, AUTHENTICATED], extra };
}

/** The namespace and the name of the ServiceAccount that a user name stands for; undefined for any other user. */
export function serviceAccountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}
