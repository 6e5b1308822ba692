import { field } from '../../../core/object/fields.ts';
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

/** The Secrets and ConfigMaps that a source reads, as `Kind/name`: a change of one is a change of the source. */
export function namedBySource(source: {
  readonly configMap?: { readonly name: string };
  readonly git?: { readonly secretRef?: { readonly name: string } };
  readonly oci?: { readonly secretRef?: { readonly name: string } };
  readonly helm?: {
    readonly repo: {
      readonly secretRef?: { readonly name: string };
      readonly git?: { readonly secretRef?: { readonly name: string } };
    };
    readonly valuesFrom?: readonly { readonly kind: string; readonly name: string }[];
  };
}): readonly string[] {
  const { configMap, git, oci, helm } = source;
  const secrets = [git?.secretRef, oci?.secretRef, helm?.repo.secretRef, helm?.repo.git?.secretRef];
  return [
    ...(configMap === undefined ? [] : [`ConfigMap/${configMap.name}`]),
    ...secrets.flatMap((secret) => (secret === undefined ? [] : [`Secret/${secret.name}`])),
    ...(helm?.valuesFrom ?? []).map(({ kind, name }) => `${kind}/${name}`),
  ];
}
