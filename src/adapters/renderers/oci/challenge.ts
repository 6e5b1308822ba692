/** What a registry wants in `WWW-Authenticate`. */
export type Challenge =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'bearer'; readonly realm: string; readonly parameters: ReadonlyMap<string, string> };

const PARAMETER = /([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g;

/** Reads the header (RFC 9110 §11.6.1) as far as registries use it: one challenge; undefined for any other. */
export function readChallenge(header: string): Challenge | undefined {
  const [, scheme = '', rest = ''] = /^\s*(\w+)\s*(.*)$/s.exec(header) ?? [];
  if (scheme.toLowerCase() === 'basic') return { scheme: 'basic' };
  if (scheme.toLowerCase() !== 'bearer') return undefined;
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain] of rest.matchAll(PARAMETER)) {
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '');
  }
  const realm = parameters.get('realm');
  return realm === undefined ? undefined : { scheme: 'bearer', realm, parameters };
}
