import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { asMap, asString } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';

/** Who asks, as the API server found it. */
export interface Requester {
  readonly user: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** By what an aggregated API server knows the API server in front of it, and where that one writes who asks. */
export interface FrontProxy {
  /** PEM, of those who sign the certificate of the front proxy. */
  readonly authorities: string;
  /** Common names that the certificate may have; empty: any. */
  readonly names: readonly string[];
  readonly userHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

/** The front proxy that the ConfigMap `extension-apiserver-authentication` describes; undefined: none is set up. */
export function readFrontProxy(configMap: KubernetesObject): FrontProxy | undefined {
  const data = asMap(configMap['data']);
  const authorities = asString(data['requestheader-client-ca-file']);
  if (authorities === '') return undefined;
  const list = (name: string): readonly string[] => readList(asString(data[`requestheader-${name}`]));
  return {
    authorities,
    names: list('allowed-names'),
    userHeaders: list('username-headers'),
    uidHeaders: list('uid-headers'),
    groupHeaders: list('group-headers'),
    extraPrefixes: list('extra-headers-prefix'),
  };
}

function readList(text: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.map(asString).filter((one) => one !== '') : [];
  } catch {
    return [];
  }
}

/** Who asks by the front proxy; undefined for whoever comes without its certificate, and for a request that names no user. */
export function requesterOf(request: IncomingMessage, frontProxy: FrontProxy): Requester | undefined {
  if (!isFrontProxy(request, frontProxy)) return undefined;
  const [user] = valuesOf(request, frontProxy.userHeaders);
  if (user === undefined) return undefined;
  const [uid = ''] = valuesOf(request, frontProxy.uidHeaders);
  return { user, uid, groups: valuesOf(request, frontProxy.groupHeaders), extra: extraOf(request, frontProxy) };
}

/** The handshake has checked the certificate by the authorities; here its name is. */
function isFrontProxy({ socket }: IncomingMessage, { names }: FrontProxy): boolean {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return false;
  const commonName = socket.getPeerCertificate().subject?.CN;
  return names.length === 0 || [commonName].flat().some((name) => name !== undefined && names.includes(name));
}

function valuesOf({ headersDistinct }: IncomingMessage, headers: readonly string[]): readonly string[] {
  return headers.flatMap((header) => headersDistinct[header.toLowerCase()] ?? []).filter((value) => value !== '');
}

/** Keys of extra data are escaped in the names of headers, and lower case (headerKeyEscape of client-go). */
function extraOf({ headersDistinct }: IncomingMessage, { extraPrefixes }: FrontProxy): Requester['extra'] {
  const extra: Record<string, readonly string[]> = {};
  for (const prefix of extraPrefixes.map((one) => one.toLowerCase())) {
    for (const [header, values] of Object.entries(headersDistinct)) {
      if (header.startsWith(prefix)) extra[unescaped(header.slice(prefix.length))] = values ?? [];
    }
  }
  return extra;
}

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
