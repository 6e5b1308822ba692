import { delimiter, dirname, join } from 'node:path';
import {
  type ClusterConfig,
  type ConfigChoice,
  impersonation,
  readServer,
  resolveClusterConfig,
} from './cluster-config.ts';
import { cleanToken, fileSource, readNamedFile } from './credential-sources.ts';
import { credentialsError, type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from './parse-kubeconfig.ts';
import type { Surroundings } from './surroundings.ts';

export interface KubeconfigChoice extends ConfigChoice {
  /** Path that `--kubeconfig` names; it must exist. */
  readonly kubeconfig?: string;
}

/** Where the kubelet puts the service account of a pod. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The text of a file; undefined where there is none. */
async function readIfThere(path: string, around: Surroundings): Promise<string | undefined> {
  try {
    return await around.readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const reason = code === 'EISDIR' ? 'is a folder' : `cannot be read (${code})`;
    throw credentialsError(`kubeconfig ${path}: ${reason}; name a file that you may read`);
  }
}

async function readOne(path: string, around: Surroundings): Promise<Kubeconfig | undefined> {
  const text = await readIfThere(path, around);
  if (text === undefined) return undefined;
  return parseKubeconfig(text, { where: `kubeconfig ${path}`, folder: dirname(path), trusted: true });
}

/** The kubeconfig of the user, merged as kubectl merges it; undefined where there is none at all. */
async function readAll(choice: KubeconfigChoice, around: Surroundings): Promise<Kubeconfig | undefined> {
  if (choice.kubeconfig !== undefined) {
    const config = await readOne(choice.kubeconfig, around);
    if (config) return config;
    throw credentialsError(`kubeconfig ${choice.kubeconfig}: no such file; check the path of --kubeconfig`);
  }
  const listed = (around.environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  if (listed.length > 0) {
    const configs: Kubeconfig[] = [];
    for (const path of listed) {
      // kubectl skips files of the list that do not exist.
      const config = await readOne(path, around);
      if (config) configs.push(config);
    }
    if (configs.length > 0) return mergeKubeconfigs(configs);
    throw credentialsError(`kubeconfig ${listed.join(delimiter)}: no such file; check the variable KUBECONFIG`);
  }
  return around.home === '' ? undefined : readOne(join(around.home, '.kube', 'config'), around);
}

async function inClusterConfig(choice: ConfigChoice, around: Surroundings): Promise<ClusterConfig | undefined> {
  const host = around.environment['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = around.environment['KUBERNETES_SERVICE_PORT'] ?? '';
  if (host === '' || port === '') return undefined;
  const subject = 'the cluster this pod runs in';
  const server = readServer(`https://${host.includes(':') ? `[${host}]` : host}:${port}`, subject);
  const tokenPath = `${SERVICE_ACCOUNT}/token`;
  const authority = await readNamedFile(around, `${SERVICE_ACCOUNT}/ca.crt`, subject, 'the certificate authority');
  const namespace = await readIfThere(`${SERVICE_ACCOUNT}/namespace`, around);
  // Tokens of pods are good for an hour; the kubelet writes the next one into the same file.
  const credentials = fileSource(async () => {
    const text = await readNamedFile(around, tokenPath, subject, 'the token');
    return { token: cleanToken(text, subject, `the token in ${tokenPath}`), certificate: undefined };
  }, around);
  return {
    description: `${subject} (${server.origin})`,
    server,
    namespace: choice.namespace ?? (namespace?.trim() || 'default'),
    authority,
    serverName: undefined,
    insecure: false,
    proxy: undefined,
    impersonation: impersonation({}, choice, subject),
    credentials,
  };
}

/**
 * The cluster that the user means: `--kubeconfig`, else the files of KUBECONFIG, else ~/.kube/config, else the cluster of this pod.
 *
 * @throws TransportError (`credentials`): one line that says where, what and what to do
 */
export async function loadClusterConfig(choice: KubeconfigChoice, around: Surroundings): Promise<ClusterConfig> {
  const config = await readAll(choice, around);
  if (config) return resolveClusterConfig(config, choice, around);
  if (choice.context === undefined) {
    const inCluster = await inClusterConfig(choice, around);
    if (inCluster) return inCluster;
  }
  const looked = around.home === '' ? '' : ` (looked for ${join(around.home, '.kube', 'config')})`;
  throw credentialsError(`no kubeconfig${looked}; set KUBECONFIG, pass --kubeconfig, or try \`convoy sandbox\``);
}

/**
 * The cluster of a kubeconfig that a Secret holds.
 *
 * @param where what messages call it, e.g. `Secret fleet/prod-kubeconfig`
 * @param insecureExec lets it run exec plugins and read files of this machine
 * @throws TransportError (`credentials`)
 */
export async function clusterConfigOfSecret(
  text: string,
  where: string,
  choice: ConfigChoice & { readonly insecureExec?: boolean },
  around: Surroundings,
): Promise<ClusterConfig> {
  const trusted = choice.insecureExec === true;
  return resolveClusterConfig(parseKubeconfig(text, { where, folder: '/', trusted }), choice, around);
}
