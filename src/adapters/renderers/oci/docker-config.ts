import { asMap, asString, isMap } from '../../../core/object/fields.ts';
import { type SourceCredentials, SourceError } from '../../../ports/renderer.ts';

/** What a registry asks for. Never printed. */
export interface RegistryLogin {
  readonly username?: string;
  readonly password?: string;
  /** OAuth 2 refresh token. */
  readonly identityToken?: string;
  /** Sent as it is. */
  readonly bearerToken?: string;
}

/** Names under which a login of Docker Hub is kept. */
const DOCKER_HUB = ['registry-1.docker.io', 'index.docker.io', 'docker.io'];

/** The host of a key in `auths`: `https://index.docker.io/v1/`, `ghcr.io`, `registry:5000/v2/`. */
function hostOf(key: string): string {
  return key
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '')
    .toLowerCase();
}

function loginOf(entry: unknown): RegistryLogin {
  const fields = asMap(entry);
  const identityToken = asString(fields['identitytoken']);
  const bearerToken = asString(fields['registrytoken']);
  if (bearerToken !== '') return { bearerToken };
  const decoded = Buffer.from(asString(fields['auth']), 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  const username = asString(fields['username']) || decoded.slice(0, Math.max(colon, 0));
  const password = asString(fields['password']) || decoded.slice(colon + 1);
  if (identityToken !== '') return { username, identityToken };
  return { username, password };
}

/** The login for a host in a `.dockerconfigjson`; empty when there is none. */
function fromDockerConfig(text: string, host: string): RegistryLogin {
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch {
    config = undefined;
  }
  const auths = asMap(config)['auths'];
  if (!isMap(auths)) {
    throw new SourceError('.dockerconfigjson of the Secret of the source is no JSON with auths; make it anew', 'retry');
  }
  const names = DOCKER_HUB.includes(host) ? DOCKER_HUB : [host];
  const found = Object.entries(auths).find(([key]) => names.includes(hostOf(key)));
  return found ? loginOf(found[1]) : {};
}

/** The login of credentials for a host (with port, lower case). @throws SourceError */
export function loginFor(credentials: SourceCredentials, host: string): RegistryLogin {
  const { username, password, bearerToken, dockerConfig } = credentials;
  if (bearerToken !== undefined) return { bearerToken };
  if (password !== undefined) return { username: username ?? '', password };
  return dockerConfig === undefined ? {} : fromDockerConfig(dockerConfig, host);
}
