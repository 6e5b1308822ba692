import { asList, field } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import type { SourceCredentials } from '../../../ports/renderer.ts';

/** Keys of a Secret, as Kubernetes' own types (basic-auth, ssh-auth, dockerconfigjson, tls) and Flux name them; the first counts. */
const KEYS = {
  username: ['username'],
  password: ['password'],
  bearerToken: ['bearerToken', 'token'],
  certificateAuthority: ['ca.crt', 'caFile'],
  identity: ['identity', 'ssh-privatekey'],
  knownHosts: ['known_hosts'],
  dockerConfig: ['.dockerconfigjson'],
} as const satisfies Readonly<Record<keyof SourceCredentials, readonly string[]>>;

/** What a Secret says of how to log in. */
export function credentialsOf(secret: KubernetesObject): SourceCredentials {
  const found = Object.entries(KEYS).flatMap(([name, keys]) => {
    const value = keys.map((key) => field(secret['data'], key)).find((text) => typeof text === 'string');
    return value === undefined ? [] : [[name, Buffer.from(value, 'base64').toString('utf8')]];
  });
  return Object.fromEntries(found);
}

/** The Secrets and ConfigMaps that a `spec.source` reads, as `Kind/name`: a change of one is a change of the source. */
export function namedBySource(source: unknown): readonly string[] {
  const [configMap, helm] = [field(source, 'configMap'), field(source, 'helm')];
  const repository = field(helm, 'repo');
  const secrets = [field(source, 'git'), field(source, 'oci'), repository, field(repository, 'git')].map((one) =>
    field(field(one, 'secretRef'), 'name'),
  );
  const named = [
    ['ConfigMap', field(configMap, 'name')],
    ...secrets.map((name) => ['Secret', name]),
    ...asList(field(helm, 'valuesFrom')).map((one) => [field(one, 'kind'), field(one, 'name')]),
  ];
  return named.filter(([, name]) => typeof name === 'string').map(([kind, name]) => `${kind}/${name}`);
}
