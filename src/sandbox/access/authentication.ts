import { timingSafeEqual } from 'node:crypto';
import { ADMIN, type TokenUser, type User, userOf } from './user.ts';

/** The user that shows a token; undefined for a token of nobody. */
export type Authenticate = (token: string) => User | undefined;

function same(given: Buffer, wanted: Buffer): boolean {
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** Knows the administrator by the sandbox's own token, and others by theirs. */
export function tokenAuthentication(adminToken: string, users: readonly TokenUser[]): Authenticate {
  const known = [
    { token: Buffer.from(adminToken), user: ADMIN },
    ...users.map((one) => ({ token: Buffer.from(one.token), user: userOf(one) })),
  ];
  return (token) => {
    const given = Buffer.from(token);
    return known.find((one) => same(given, one.token))?.user;
  };
}
