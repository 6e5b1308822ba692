import { X509Certificate } from 'node:crypto';
import { asList, asMap, asString, type JsonMap } from '../../../core/object/fields.ts';
import { type ClientCertificate, type CredentialSource, NO_CREDENTIAL } from './credential.ts';
import {
  checkClientCertificate,
  cleanToken,
  execSource,
  fileSource,
  fixedSource,
  readNamedFile,
} from './credential-sources.ts';
import { EntryReader, refuseForeignPowers, refuseOldWays } from './entry-reader.ts';
import { readExecPlugin } from './exec-plugin.ts';
import { type ImpersonationHeaders, impersonationHeaders } from './impersonation.ts';
import { credentialsError, type Kubeconfig } from './parse-kubeconfig.ts';
import { proxyFor } from './proxy.ts';
import type { Surroundings } from './surroundings.ts';

/** All that the client must know to talk to one cluster as one user. */
export interface ClusterConfig {
  /** `context "a", cluster "b" (https://…)`: what messages call it. */
  readonly description: string;
  readonly server: URL;
  /** Namespace of the context; `default` where it names none. */
  readonly namespace: string;
  /** PEM; undefined: the authorities that Node trusts. */
  readonly authority: string | undefined;
  /** Name that the certificate of the server is checked against and that is sent to it (SNI), instead of the host. */
  readonly serverName: string | undefined;
  readonly insecure: boolean;
  readonly proxy: URL | undefined;
  /** Headers that ask the server to act as somebody else. */
  readonly impersonation: ImpersonationHeaders;
  readonly credentials: CredentialSource;
}

export interface ConfigChoice {
  /** Context instead of current-context. */
  readonly context?: string;
  /** Namespace instead of that of the context. */
  readonly namespace?: string;
  /** User to act as, as `kubectl --as`. */
  readonly as?: string;
  readonly asGroups?: readonly string[];
}

function names(map: ReadonlyMap<string, unknown>): string {
  const all = [...map.keys()].sort();
  if (all.length === 0) return 'it holds none';
  return `it holds ${all.slice(0, 8).join(', ')}${all.length > 8 ? ` and ${all.length - 8} more` : ''}`;
}

function chooseContext(config: Kubeconfig, wanted: string | undefined): { name: string; context: JsonMap } {
  const name = wanted ?? config.currentContext;
  if (name === '') {
    throw credentialsError(
      `${config.where}: no current-context is set (${names(config.contexts)}); name one by --context`,
    );
  }
  const entry = config.contexts.get(name);
  if (entry) return { name, context: entry.body };
  throw credentialsError(
    `${config.where}: no context "${name}" (${names(config.contexts)}); name another by --context or use-context`,
  );
}

/** The URL of the API server. @throws TransportError (`credentials`) */
export function readServer(value: unknown, subject: string): URL {
  const text = asString(value);
  if (text === '') throw credentialsError(`${subject}: has no server; write its URL there`);
  // kubectl reads a bare host as https.
  const url = URL.parse(text.includes('://') ? text : `https://${text}`);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw credentialsError(`${subject}: its server is no https URL; write it as https://HOST:PORT`);
  }
  if (url.username !== '' || url.password !== '') {
    throw credentialsError(`${subject}: its server URL holds a user; give the user a token or a certificate instead`);
  }
  return url;
}

async function clientCertificate(reader: EntryReader): Promise<ClientCertificate | undefined> {
  const certificate = await reader.pem('client-certificate');
  const key = await reader.pem('client-key');
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined) {
    const missing = key === undefined ? 'client-key' : 'client-certificate';
    throw credentialsError(`${reader.subject}: ${missing} is missing; client-certificate and client-key go together`);
  }
  return { certificate, key };
}

async function readCredentials(reader: EntryReader, cluster: JsonMap): Promise<CredentialSource> {
  refuseOldWays(reader);
  const { around, subject } = reader;
  const check = (pair: ClientCertificate | undefined): void => {
    if (pair) checkClientCertificate(pair, around.clock.now(), subject);
  };
  const { exec } = reader.entry.body;
  if (exec !== undefined && exec !== null) {
    return execSource(readExecPlugin(exec, reader.entry, subject, cluster), around, {
      token: undefined,
      certificate: await clientCertificate(reader),
    });
  }
  const token = async (): Promise<string | undefined> => {
    // The file counts before the token beside it, as in client-go.
    if (reader.text('tokenFile') !== '') {
      const path = reader.path('tokenFile');
      return cleanToken(await readNamedFile(around, path, subject, 'tokenFile'), subject, `tokenFile ${path}`);
    }
    return reader.text('token') === '' ? undefined : cleanToken(reader.text('token'), subject, 'token');
  };
  const read = async () => {
    const certificate = await clientCertificate(reader);
    check(certificate);
    return { token: await token(), certificate };
  };
  const inFiles =
    reader.text('tokenFile') !== '' ||
    (reader.text('client-certificate') !== '' && !reader.text('client-certificate-data'));
  if (inFiles) return fileSource(read, around);
  const credential = await read();
  return fixedSource(credential, () => check(credential.certificate));
}

/** Headers for the names to act as: those of the choice, else those of the user entry. @throws TransportError (`credentials`) */
export function impersonation(user: JsonMap, choice: ConfigChoice, subject: string): ClusterConfig['impersonation'] {
  const name = choice.as ?? asString(user['as']);
  const groups = choice.asGroups ?? asList(user['as-groups']).map(asString);
  const uid = asString(user['as-uid']);
  const extra = Object.entries(asMap(user['as-user-extra'])).map(([key, values]) => [
    key,
    asList(values).map(asString),
  ]);
  if (name === '') {
    if (groups.length === 0 && uid === '' && extra.length === 0) return {};
    throw credentialsError(`${subject}: groups, uid or extra to act as, but no user; name one by \`as\` or --as`);
  }
  const headers = impersonationHeaders({ user: name, groups, uid, extra: Object.fromEntries(extra) });
  if (headers === undefined) {
    throw credentialsError(`${subject}: a name to act as holds control or non-ASCII characters`);
  }
  return headers;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}

/** What an exec plugin is told about the cluster, where it asks (ExecCredential spec.cluster). */
function clusterInfo(reader: EntryReader, authority: string | undefined): JsonMap {
  const { body } = reader.entry;
  const extension = asList(body['extensions']).find(
    (item) => asMap(item)['name'] === 'client.authentication.k8s.io/exec',
  );
  const info: Record<string, unknown> = { server: body['server'] };
  for (const name of ['tls-server-name', 'insecure-skip-tls-verify', 'proxy-url']) {
    if (body[name] !== undefined) info[name] = body[name];
  }
  if (authority !== undefined) info['certificate-authority-data'] = Buffer.from(authority).toString('base64');
  if (extension !== undefined) info['config'] = asMap(extension)['extension'];
  return info;
}

/**
 * The cluster and the user that a context names.
 *
 * @throws TransportError (`credentials`): one line with context, cluster, what is wrong and what to do
 */
export async function resolveClusterConfig(
  config: Kubeconfig,
  choice: ConfigChoice,
  around: Surroundings,
): Promise<ClusterConfig> {
  const { name, context } = chooseContext(config, choice.context);
  const clusterName = asString(context['cluster']);
  const cluster = config.clusters.get(clusterName);
  if (cluster === undefined) {
    throw credentialsError(
      `${config.where}: context "${name}" names the cluster "${clusterName}" (${names(config.clusters)}); mend the context`,
    );
  }
  const short = `context "${name}", cluster "${clusterName}"`;
  const server = readServer(cluster.body['server'], short);
  const description = `${short} (${server.href.replace(/\/$/, '')})`;
  const userName = asString(context['user']);
  const user = config.users.get(userName);
  if (user === undefined && userName !== '') {
    throw credentialsError(
      `${config.where}: context "${name}" names the user "${userName}" (${names(config.users)}); mend the context`,
    );
  }
  const clusterReader = new EntryReader(cluster, short, around);
  const userReader = user && new EntryReader(user, `${short}, user "${userName}"`, around);
  if (!config.trusted) for (const reader of [clusterReader, userReader]) if (reader) refuseForeignPowers(reader);
  const insecure = cluster.body['insecure-skip-tls-verify'] === true;
  if (insecure && clusterReader.has('certificate-authority')) {
    throw credentialsError(
      `${short}: certificate-authority and insecure-skip-tls-verify exclude each other; remove one`,
    );
  }
  const authority = await clusterReader.pem('certificate-authority');
  if (authority !== undefined && !isCertificate(authority)) {
    throw credentialsError(`${short}: certificate-authority holds no PEM certificate; copy it anew`);
  }
  return {
    description,
    server,
    namespace: (choice.namespace ?? asString(context['namespace'])) || 'default',
    authority,
    serverName: clusterReader.text('tls-server-name') || undefined,
    insecure,
    proxy: proxyFor(server, clusterReader.text('proxy-url'), around.environment, short),
    impersonation: impersonation(user?.body ?? {}, choice, short),
    credentials: userReader
      ? await readCredentials(userReader, clusterInfo(clusterReader, authority))
      : fixedSource(NO_CREDENTIAL, () => undefined),
  };
}
