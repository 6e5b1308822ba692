import type { User } from '../access/user.ts';
import type { ObjectApi } from '../api/object-api.ts';
import { type Certificate, certificateAuthority, clientCertificate } from '../tls/certificates.ts';

/** The name that the front proxy's client certificate must bear. */
export const FRONT_PROXY_NAME = 'front-proxy-client';

/** What the sandbox shows to the API servers that it aggregates, and by what they know it. */
export interface FrontProxy {
  readonly authority: Certificate;
  readonly client: Certificate;
}

export function createFrontProxy(now: number): FrontProxy {
  const authority = certificateAuthority('convoy sandbox front proxy', now);
  return { authority, client: clientCertificate(FRONT_PROXY_NAME, authority, now) };
}

const SYSTEM = { manager: 'convoy-sandbox' };

/** Publishes the authorities and the header names where aggregated API servers look for them. */
export function publishAuthentication(api: ObjectApi, { authority }: FrontProxy, clientAuthority: string): void {
  const maps = api.registry.byKind('v1', 'ConfigMap');
  if (maps === undefined) return;
  const data = {
    'client-ca-file': clientAuthority,
    'requestheader-allowed-names': JSON.stringify([FRONT_PROXY_NAME]),
    'requestheader-client-ca-file': authority.certificate,
    'requestheader-extra-headers-prefix': JSON.stringify(['X-Remote-Extra-']),
    'requestheader-group-headers': JSON.stringify(['X-Remote-Group']),
    'requestheader-uid-headers': JSON.stringify(['X-Remote-Uid']),
    'requestheader-username-headers': JSON.stringify(['X-Remote-User']),
  };
  const object = { metadata: { name: 'extension-apiserver-authentication' }, data };
  api.create(maps, 'kube-system', object, SYSTEM);
}

/** RFC 7230 tokens stand as they are, `%` and all else is escaped (headerKeyEscape of client-go). */
function escapedKey(key: string): string {
  return [...Buffer.from(key)]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      return /[A-Za-z0-9!#$&'*+.^_`|~-]/.test(letter) ? letter : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

/** The headers that tell an aggregated API server who asks. */
export function userHeaders({ name, uid, groups, extra }: User): Record<string, string | readonly string[]> {
  return {
    'x-remote-user': name,
    ...(uid === '' ? {} : { 'x-remote-uid': uid }),
    ...(groups.length === 0 ? {} : { 'x-remote-group': groups }),
    ...Object.fromEntries(Object.entries(extra).map(([key, all]) => [`x-remote-extra-${escapedKey(key)}`, all])),
  };
}
