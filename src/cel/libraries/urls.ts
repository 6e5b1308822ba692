import { tenthOf } from '../cost-sizes.ts';
import type { FunctionDeclaration, Library } from '../declarations.ts';
import { CelError } from '../error.ts';
import { BOOL, list, map, opaque, STRING } from '../value/cel-type.ts';
import { CelOpaque, type CelValue } from '../value/cel-value.ts';
import { CelMap } from '../value/map.ts';
import { declare, globalForm, memberForm } from './declare.ts';
import { escapedPath, parseRequestUri, parseUrl, queryPairs, type UrlParts, UrlProblem } from './url-text.ts';

export const URL_TYPE = opaque('kubernetes.URL');

/** An absolute URI or an absolute path. */
export class CelUrl extends CelOpaque {
  readonly type = URL_TYPE;
  readonly parts: UrlParts;

  constructor(parts: UrlParts) {
    super();
    this.parts = parts;
  }

  /** By what is written, apart from how the path is escaped. */
  override equals(other: CelUrl): boolean {
    return this.identity() === other.identity();
  }

  private identity(): string {
    const { scheme, opaque: rest, user, host, path, query, fragment } = this.parts;
    return JSON.stringify([scheme, rest, user, host, escapedPath(path), query, fragment]);
  }

  /** The URL with its path escaped. User information is left out: it may hold a password. */
  override text(): string {
    const { scheme, opaque: rest, host, path, query, fragment } = this.parts;
    const start = (scheme === '' ? '' : `${scheme}:`) + (host === '' ? '' : `//${host}`);
    const end = (query === undefined ? '' : `?${query}`) + (fragment === '' ? '' : `#${fragment}`);
    return start + (rest ?? escapedPath(path)) + end;
  }

  /** Host without port and brackets, and the port; each empty when it is not there. */
  splitHost(): { readonly hostname: string; readonly port: string } {
    const [, hostname = '', port = ''] = /^(.*?)(?::(\d*))?$/s.exec(this.parts.host) ?? [];
    const bracketed = hostname.startsWith('[') && hostname.endsWith(']');
    return { hostname: bracketed ? hostname.slice(1, -1) : hostname, port };
  }

  query(): CelMap {
    const collected = new Map<string, string[]>();
    for (const [name, value] of queryPairs(this.parts.query ?? '')) {
      const values = collected.get(name);
      if (values === undefined) collected.set(name, [value]);
      else values.push(value);
    }
    const result = new CelMap();
    for (const [name, values] of collected) result.insert(name, name, values);
    return result;
  }
}

/** A URL of text, `bad_url` when it is none. */
export function toUrl(text: string): CelUrl | CelError {
  const request = parseRequestUri(text);
  const parts = request instanceof UrlProblem ? request : parseUrl(text);
  if (parts instanceof UrlProblem) return new CelError('bad_url', `not a URL: ${parts.reason}`);
  return new CelUrl(parts);
}

function part(name: string, read: (url: CelUrl) => CelValue): FunctionDeclaration {
  return declare(name, () => [memberForm([URL_TYPE], STRING, (_context, url: CelUrl) => read(url))]);
}

/** URLs, as every Kubernetes version has them. */
export function urlsLibrary(): Library {
  return {
    name: 'urls',
    types: [URL_TYPE],
    functions: [
      declare(
        'url',
        () => [
          globalForm([STRING], URL_TYPE, (context, text: string) => {
            context.work(text.length);
            return toUrl(text);
          }),
        ],
        (_result, text) => tenthOf(text),
      ),
      declare('isURL', () => [
        globalForm([STRING], BOOL, (context, text: string) => {
          context.work(text.length);
          return !(parseRequestUri(text) instanceof UrlProblem);
        }),
      ]),
      part('getScheme', (url) => url.parts.scheme),
      part('getHost', (url) => url.parts.host),
      part('getHostname', (url) => url.splitHost().hostname),
      part('getPort', (url) => url.splitHost().port),
      part('getEscapedPath', (url) => escapedPath(url.parts.path)),
      declare('getQuery', () => [
        memberForm([URL_TYPE], map(STRING, list(STRING)), (context, url: CelUrl) => {
          context.work(url.parts.query?.length ?? 0);
          return url.query();
        }),
      ]),
    ],
  };
}
