import type { Subject } from '../../../ports/cluster.ts';

export type ImpersonationHeaders = Readonly<Record<string, string | readonly string[]>>;

/** Keys are lower-cased and percent-encoded in the header's name, as client-go writes them: no token holds a parenthesis either. */
function escapedKey(key: string): string {
  return encodeURIComponent(key.toWellFormed().toLowerCase()).replace(/[()]/g, (one) => (one === '(' ? '%28' : '%29'));
}

/** Headers that ask the server to act as somebody else. Undefined: a name holds what no header can carry. */
export function impersonationHeaders({
  user,
  groups = [],
  uid = '',
  extra = {},
}: Subject): ImpersonationHeaders | undefined {
  const headers: Record<string, string | readonly string[]> = { 'impersonate-user': user };
  if (groups.length > 0) headers['impersonate-group'] = groups;
  if (uid !== '') headers['impersonate-uid'] = uid;
  for (const [key, values] of Object.entries(extra)) headers[`impersonate-extra-${escapedKey(key)}`] = values;
  return Object.values(headers)
    .flat()
    .every((value) => /^[\x20-\x7e]*$/.test(value))
    ? headers
    : undefined;
}
