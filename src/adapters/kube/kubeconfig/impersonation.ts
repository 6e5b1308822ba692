import type { Subject } from '../../../ports/cluster.ts';

export type ImpersonationHeaders = Readonly<Record<string, string | readonly string[]>>;

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
  // Keys are percent-encoded and lower-cased in the header's name, as client-go writes them.
  for (const [key, values] of Object.entries(extra)) {
    headers[`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`] = values;
  }
  return Object.values(headers)
    .flat()
    .every((value) => /^[\x20-\x7e]*$/.test(value))
    ? headers
    : undefined;
}
