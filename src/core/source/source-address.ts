/** Schemes of source addresses. */
export type SourceScheme = 'https' | 'http' | 'ssh' | 'file' | 'oci';

export interface SourceAddress {
  readonly scheme: SourceScheme;
  /** An `oci:` address is one of https: (http: on this machine) here. */
  readonly url: URL;
  /** For people: without password, query and fragment, which may hold secrets. */
  readonly shown: string;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a host is this machine: the only one that is asked without TLS. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK.test(url.hostname);
}

/** An address as it may be shown. */
export function shownAddress(url: URL): string {
  const user = url.username !== '' && url.protocol === 'ssh:' ? `${url.username}@` : '';
  return `${url.protocol}//${user}${url.host}${url.pathname}`;
}

/** `git@host:path`, which is SSH but no URL. */
const SCP_LIKE = /^[\w.-]+@([\w.-]+):(?!\/\/)(.+)$/;

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** The URL of an `oci:` address. The host of a scheme that URL does not know is not checked by it, so it is read as https. */
function registryUrl(text: string): URL | undefined {
  const url = parse(`https://${text.slice('oci://'.length)}`);
  return url && isLoopback(url) ? parse(`http://${text.slice('oci://'.length)}`) : url;
}

/**
 * Reads the address of a source, or says what is wrong with it: one line that never quotes what may be a secret.
 * `field` names the field it stands in.
 */
export function readSourceAddress(
  text: string,
  field: string,
  schemes: readonly SourceScheme[],
): SourceAddress | { readonly problem: string } {
  const scpLike = SCP_LIKE.exec(text);
  if (scpLike) {
    const [, host, path] = scpLike;
    return { problem: `${field} is no URL; write ssh://git@${host}/${path}` };
  }
  const words = schemes.map((scheme) => `${scheme}://`).join(', ');
  const scheme = schemes.find((one) => text.startsWith(`${one}://`));
  const url = text.startsWith('oci://') ? registryUrl(text) : parse(text);
  if (scheme === undefined || url === undefined || /[\s\u0000-\u001f]/.test(text)) {
    return { problem: `${field} is no address that can be fetched; it starts with one of ${words}` };
  }
  const shown = scheme === 'oci' ? `oci://${url.host}${url.pathname}` : shownAddress(url);
  if (url.password !== '' || (url.username !== '' && scheme !== 'ssh')) {
    return { problem: `${field} holds credentials (${shown}); put them into the Secret that secretRef names` };
  }
  if (url.hostname === '' && scheme !== 'file') return { problem: `${field} names no host (${shown})` };
  if (url.hostname.startsWith('-') || url.username.startsWith('-')) return { problem: `${field} names no host` };
  if (scheme === 'http' && !isLoopback(url)) {
    return { problem: `${field} (${shown}) is not encrypted; write https://, http:// is for this machine alone` };
  }
  return { scheme, url, shown };
}
