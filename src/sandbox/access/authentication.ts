import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ADMIN, type TokenUser, type User, userOf } from './user.ts';

/** The user that shows a token; undefined for a token of nobody. */
export type Authenticate = (token: string) => User | undefined;

/** Knows who shows which token. */
export interface Tokens {
  readonly authenticate: Authenticate;
  /** A new token of a user, until a time (ms since 1970). */
  readonly issue: (user: User, expires: number) => string;
}

function same(given: Buffer, wanted: Buffer): boolean {
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** Tokens of one kind of users are kept as their digests, so that looking one up takes no secret's measure. */
function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Knows the administrator by the sandbox's own token, others by theirs, and those to whom it has issued some. */
export function tokenAuthentication(adminToken: string, users: readonly TokenUser[], now: () => number): Tokens {
  const known = [
    { token: Buffer.from(adminToken), user: ADMIN },
    ...users.map((one) => ({ token: Buffer.from(one.token), user: userOf(one) })),
  ];
  const issued = new Map<string, { readonly user: User; readonly expires: number }>();
  return {
    authenticate: (token) => {
      const given = Buffer.from(token);
      const found = known.find((one) => same(given, one.token))?.user;
      if (found !== undefined) return found;
      const one = issued.get(digest(token));
      return one !== undefined && one.expires > now() ? one.user : undefined;
    },
    issue: (user, expires) => {
      const token = randomBytes(32).toString('base64url');
      issued.set(digest(token), { user, expires });
      return token;
    },
  };
}
