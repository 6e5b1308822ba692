import { encodeUtf8 } from '../text/utf8.ts';
import { isIpV6Text } from './ip-value.ts';

/** The parts of a URL as Go's `net/url` takes them apart. */
export interface UrlParts {
  readonly scheme: string;
  /** What follows the scheme when it does not begin with a slash: `mailto:this`. */
  readonly opaque: string | undefined;
  readonly user: string | undefined;
  /** With port and brackets, unescaped. */
  readonly host: string;
  readonly path: string;
  /** Undefined without `?`. */
  readonly query: string | undefined;
  readonly fragment: string;
}

/** Why a text is no URL: one clause for a message. */
export class UrlProblem {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

const BAD_ESCAPE = /%(?![\da-fA-F]{2})/;
const HOST_CHARACTERS = /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"\u0080-\u{10ffff}]*$/u;
const USER_CHARACTERS = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;
const PORT = /^(?::\d*)?$/;

/**
 * Takes a request URI apart: an absolute URI or an absolute path, by the rules of Go's `ParseRequestURI`, which knows no
 * fragment.
 */
export function parseRequestUri(text: string): UrlParts | UrlProblem {
  return parse(text, true);
}

/** Takes a URL apart by the rules of Go's `url.Parse`: with a fragment, and with a host in `//host/path`. */
export function parseUrl(text: string): UrlParts | UrlProblem {
  const hash = text.indexOf('#');
  const fragment = hash < 0 ? '' : text.slice(hash + 1);
  if (BAD_ESCAPE.test(fragment)) return new UrlProblem('a % in the fragment needs two hexadecimal digits');
  const parts = parse(hash < 0 ? text : text.slice(0, hash), false);
  return parts instanceof UrlProblem ? parts : { ...parts, fragment };
}

const RELATIVE = { scheme: '', opaque: undefined, user: undefined, host: '', fragment: '' } as const;

function parse(text: string, request: boolean): UrlParts | UrlProblem {
  if (/[\0-\x1f\x7f]/.test(text)) return new UrlProblem('it contains a control character');
  if (text === '' && request) return new UrlProblem('it is empty');
  if (text === '*') return { ...RELATIVE, path: '*', query: undefined };
  if (text.startsWith(':')) return new UrlProblem('the scheme before : is missing');
  const scheme = /^[A-Za-z][A-Za-z\d+.-]*(?=:)/.exec(text)?.[0] ?? '';
  const afterScheme = scheme === '' ? text : text.slice(scheme.length + 1);
  const mark = afterScheme.indexOf('?');
  const rest = mark < 0 ? afterScheme : afterScheme.slice(0, mark);
  const query = mark < 0 ? undefined : afterScheme.slice(mark + 1);
  const start = { ...RELATIVE, scheme: scheme.toLowerCase(), query };
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...start, opaque: rest, path: '' };
    if (request) return new UrlProblem('it is neither an absolute URI nor an absolute path');
    if (rest.split('/', 1)[0]?.includes(':')) return new UrlProblem('the first segment of the path contains a colon');
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || (!request && !rest.startsWith('///')));
  return hasAuthority ? withAuthority(start, rest.slice(2)) : withPath(start, rest);
}

function withPath(parts: Omit<UrlParts, 'path'>, path: string): UrlParts | UrlProblem {
  if (BAD_ESCAPE.test(path)) return new UrlProblem('a % in the path needs two hexadecimal digits');
  return { ...parts, path };
}

function withAuthority(parts: Omit<UrlParts, 'path'>, text: string): UrlParts | UrlProblem {
  const slash = text.indexOf('/');
  const authority = slash < 0 ? text : text.slice(0, slash);
  const at = authority.lastIndexOf('@');
  const host = parseHost(parts.scheme, authority.slice(at + 1));
  if (host instanceof UrlProblem) return host;
  const user = at < 0 ? undefined : authority.slice(0, at);
  if (user !== undefined && (!USER_CHARACTERS.test(user) || BAD_ESCAPE.test(user))) {
    return new UrlProblem('the user information before @ is not valid');
  }
  return withPath({ ...parts, user, host }, slash < 0 ? '' : text.slice(slash));
}

function parseHost(scheme: string, text: string): string | UrlProblem {
  const bracket = text.lastIndexOf('[');
  if (bracket > 0) return new UrlProblem('a [ may only begin the host');
  if (bracket === 0) return parseBracketed(text);
  const first = text.indexOf(':');
  // Other schemes than these carry lists of hosts with ports: only the last port is looked at there.
  const colon = scheme === 'http' || scheme === 'https' ? first : text.lastIndexOf(':');
  if (colon >= 0 && !PORT.test(text.slice(colon))) return new UrlProblem('the port is not a number');
  return unescapeHost(text);
}

function parseBracketed(text: string): string | UrlProblem {
  const close = text.lastIndexOf(']');
  if (close < 0) return new UrlProblem('the ] of the host is missing');
  const port = text.slice(close + 1);
  if (!PORT.test(port)) return new UrlProblem('the port is not a number');
  const inside = text.slice(1, close);
  const zoneAt = inside.indexOf('%25');
  const address = zoneAt < 0 ? inside : inside.slice(0, zoneAt);
  if (!isIpV6Text(address)) return new UrlProblem('the host in brackets is no IPv6 address');
  if (zoneAt < 0) return text;
  const zone = inside.slice(zoneAt + 3);
  if (BAD_ESCAPE.test(zone)) return new UrlProblem('a % in the zone needs two hexadecimal digits');
  const name = percentDecode(zone);
  if (name === '' || !HOST_CHARACTERS.test(name.replace(/[% ]/g, ''))) {
    return new UrlProblem('the zone of the host is not valid');
  }
  return `[${address}%${name}]${port}`;
}

/** In a host, escapes may only stand for bytes beyond ASCII and for the percent sign. */
function unescapeHost(text: string): string | UrlProblem {
  if (/%(?!25|[89a-fA-F][\da-fA-F])/.test(text)) return new UrlProblem('the host has an escape that is not allowed');
  const characters = text.replace(/%../g, '');
  if (!HOST_CHARACTERS.test(characters)) return new UrlProblem('the host has a character that is not allowed');
  return percentDecode(text);
}

/** Escapes read as bytes of UTF-8; bytes that are none become U+FFFD. */
export function percentDecode(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/(?:%[\da-fA-F]{2})+/g, (run) => {
    const bytes = Uint8Array.from(run.slice(1).split('%'), (pair) => Number.parseInt(pair, 16));
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  });
}

const PLAIN_PATH = /^[A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]%]*$/;
/** What Go's default encoding leaves alone when a path has to be escaped anew. */
const KEPT_IN_PATH = /[A-Za-z0-9\-_.~$&+,/:;=@]/;

/** The path as it was written when that is a valid encoding, else escaped anew. */
export function escapedPath(path: string): string {
  if (path === '*' || PLAIN_PATH.test(path)) return path;
  return escapeBytes(decodedBytes(path));
}

function decodedBytes(path: string): Uint8Array {
  const bytes: number[] = [];
  for (const [piece] of path.matchAll(/%[\da-fA-F]{2}|[^%]+/gs)) {
    if (piece.startsWith('%')) bytes.push(Number.parseInt(piece.slice(1), 16));
    else for (const byte of encodeUtf8(piece)) bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

function escapeBytes(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    text += KEPT_IN_PATH.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return text;
}

/** Name and value pairs of a query, unescaped, in order; pairs with `;` or a bad escape are left out. */
export function queryPairs(query: string): readonly (readonly [name: string, value: string])[] {
  const pairs: [string, string][] = [];
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';') || BAD_ESCAPE.test(pair)) continue;
    const equals = pair.indexOf('=');
    const name = equals < 0 ? pair : pair.slice(0, equals);
    const value = equals < 0 ? '' : pair.slice(equals + 1);
    pairs.push([percentDecode(name.replaceAll('+', ' ')), percentDecode(value.replaceAll('+', ' '))]);
  }
  return pairs;
}
