import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Release } from '../../../core/api/index.ts';
import { asString, field } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import { objectsOf } from '../../../core/release/canonical.ts';
import { RENDER_CHUNK } from '../../../core/release/names.ts';
import { readRenderSecrets, renderSecretName } from '../../../core/release/render-store.ts';
import type { Cluster } from '../../../ports/cluster.ts';
import { ApiError } from '../../../ports/errors.ts';

const SECRETS = { group: '', version: 'v1', resource: 'secrets' } as const;
const decompress = promisify(gunzip);

/** The objects of a stored render, or why they cannot be had. One GET for each chunk. */
export async function readStoredRender(
  home: Pick<Cluster, 'get'>,
  { metadata: { namespace, name } }: Pick<Release, 'metadata'>,
  renderRef: string,
  signal: AbortSignal,
): Promise<readonly KubernetesObject[] | { readonly problem: string }> {
  const chunk = async (number: number): Promise<KubernetesObject | undefined> => {
    try {
      const path = { type: SECRETS, namespace, name: renderSecretName(name, renderRef, number) };
      return await home.get(path, { signal });
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return undefined;
      throw error;
    }
  };
  const secrets: KubernetesObject[] = [];
  for (let number = 1, count = 1; number <= count; number += 1) {
    const secret = await chunk(number);
    if (secret === undefined) break;
    secrets.push(secret);
    count = Number(asString(field(field(secret['metadata'], 'annotations'), RENDER_CHUNK)).split('/')[1] ?? 1);
  }
  const read = readRenderSecrets(secrets, renderRef);
  if ('problem' in read) return read;
  try {
    return objectsOf((await decompress(read.compressed)).toString('utf8'));
  } catch {
    return { problem: `the stored render ${renderRef} is damaged` };
  }
}
