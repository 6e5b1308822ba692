import { credentialsError } from './parse-kubeconfig.ts';

type Environment = Readonly<Record<string, string | undefined>>;

function fromEnvironment(environment: Environment, name: string): string {
  return environment[name.toUpperCase()] || environment[name.toLowerCase()] || '';
}

/** Whether NO_PROXY names the host: `*`, a host, or a domain with all below it; ports are compared when they are given. */
function isExempt(server: URL, list: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, '');
  // Go sends nothing to a proxy that is for this machine, and kubectl is written in Go.
  if (host === 'localhost' || host === '::1' || host.startsWith('127.')) return true;
  return list.split(',').some((item) => {
    const rule = item.trim().toLowerCase();
    if (rule === '') return false;
    if (rule === '*') return true;
    const [, name = '', port] = /^(.*?)(?::(\d+))?$/.exec(rule) ?? [];
    if (port !== undefined && port !== (server.port || '443')) return false;
    const domain = name.replace(/^\*?\./, '');
    return host === domain || host.endsWith(`.${domain}`);
  });
}

/**
 * The proxy for a server: `proxy-url` of its entry, else HTTPS_PROXY, HTTP_PROXY and NO_PROXY as kubectl reads them.
 *
 * @throws TransportError (`credentials`); a password in the URL is not shown
 */
export function proxyFor(server: URL, proxyUrl: string, environment: Environment, subject: string): URL | undefined {
  const variable = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const text =
    proxyUrl ||
    (isExempt(server, fromEnvironment(environment, 'NO_PROXY')) ? '' : fromEnvironment(environment, variable));
  if (text === '') return undefined;
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (url === null || !['http:', 'https:', 'socks5:', 'socks5h:'].includes(url.protocol) || url.hostname === '') {
    const name = proxyUrl === '' ? variable : 'proxy-url';
    throw credentialsError(`${subject}: ${name} is no proxy URL; write http://, https:// or socks5://HOST:PORT`);
  }
  return url;
}
