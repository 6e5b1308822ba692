import type { ReleaseSpec } from '../../../core/api/index.ts';
import { asMap, asString, field, type JsonMap } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import { type Artifact, type RemoteSource, SourceError } from '../../../ports/renderer.ts';
import { isNotFound } from '../failures.ts';
import { CONFIG_MAPS, SECRETS } from '../paths.ts';
import type { Visit } from '../visit.ts';
import { credentialsOf } from './credentials.ts';

/** What a source gives before it is rendered. */
export type SourceContent =
  | { readonly kind: 'objects'; readonly objects: readonly KubernetesObject[]; readonly revision: string }
  | {
      readonly kind: 'texts';
      readonly files: readonly { readonly name: string; readonly text: string }[];
      readonly revision: string;
    }
  | { readonly kind: 'folder'; readonly artifact: Artifact; readonly path: string; readonly revision: string }
  | { readonly kind: 'chart'; readonly artifact: Artifact; readonly values: JsonMap; readonly revision: string };

/** Reads what a Release is made of. Throws a SourceError that says what to mend. */
export async function readSource(visit: Visit): Promise<SourceContent> {
  const { source, kustomize } = visit.release.spec;
  const path = kustomize?.path ?? '';
  if (source.inline !== undefined) return inlineContent(source.inline, visit.release.metadata.generation);
  if (source.configMap !== undefined) return configMapContent(visit, source.configMap);
  if (source.git !== undefined) {
    const artifact = await fetchArtifact(visit, { kind: 'git', git: source.git }, source.git.secretRef?.name);
    return { kind: 'folder', artifact, path, revision: artifact.revision };
  }
  if (source.oci !== undefined) {
    const artifact = await fetchArtifact(visit, { kind: 'oci', oci: source.oci }, source.oci.secretRef?.name);
    return { kind: 'folder', artifact, path, revision: artifact.revision };
  }
  if (source.helm !== undefined) return chartContent(visit, source.helm);
  throw new SourceError('spec.source names no source; write one of inline, configMap, git, oci and helm', 'terminal');
}

function inlineContent(inline: NonNullable<ReleaseSpec['source']['inline']>, generation: number): SourceContent {
  const revision = `inline@${generation}`;
  if (inline.objects !== undefined) return { kind: 'objects', objects: inline.objects, revision };
  return { kind: 'texts', files: [{ name: 'inline', text: inline.manifests ?? '' }], revision };
}

/** As `kubectl apply -f FOLDER` reads a folder. */
const MANIFEST = /\.(yaml|yml|json)$/;

async function configMapContent(
  visit: Visit,
  { name, key }: NonNullable<ReleaseSpec['source']['configMap']>,
): Promise<SourceContent> {
  const object = await readNamed(visit, 'ConfigMap', name, 'spec.source.configMap');
  const data = asMap(object['data']);
  const keys =
    key === undefined
      ? Object.keys(data)
          .filter((one) => MANIFEST.test(one))
          .sort()
      : [key];
  const missing = keys.find((one) => typeof field(data, one) !== 'string');
  if (missing !== undefined) {
    throw new SourceError(`ConfigMap ${name} has no key ${missing}; mend spec.source.configMap.key`, 'retry');
  }
  const files = keys.map((one) => ({ name: `${name}/${one}`, text: asString(data[one]) }));
  const revision = `${name}@${asString(field(object['metadata'], 'resourceVersion'))}`;
  return { kind: 'texts', files, revision };
}

async function chartContent(visit: Visit, helm: NonNullable<ReleaseSpec['source']['helm']>): Promise<SourceContent> {
  // Values first: a mistake in them costs no download.
  const values = await chartValues(visit, helm);
  const secret = helm.repo.secretRef?.name ?? helm.repo.git?.secretRef?.name;
  const artifact = await fetchArtifact(visit, { kind: 'helm', helm }, secret);
  return { kind: 'chart', artifact, values, revision: artifact.revision };
}

/** valuesFrom in their order, then values: later ones win, field by field; lists are replaced. */
async function chartValues(visit: Visit, helm: NonNullable<ReleaseSpec['source']['helm']>): Promise<JsonMap> {
  let values: JsonMap = {};
  for (const [index, { kind, name, key, optional }] of (helm.valuesFrom ?? []).entries()) {
    const where = `spec.source.helm.valuesFrom[${index}]`;
    const object = await readNamed(visit, kind, name, where, optional);
    const text = object === undefined ? undefined : textOf(object, key);
    if (text === undefined) {
      if (optional) continue;
      throw new SourceError(`${kind} ${name} has no key ${key}; mend ${where}`, 'retry');
    }
    try {
      values = merged(values, visit.services.readValues(text));
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'they cannot be read';
      throw new SourceError(`the values in ${kind} ${name}, key ${key}: ${reason}`, 'retry', { cause: error });
    }
  }
  return merged(values, helm.values ?? {});
}

/** Helm's own merge: a null takes the chart's default away, so it is kept. */
export function merged(under: JsonMap, over: JsonMap): JsonMap {
  const result: Record<string, unknown> = { ...under };
  for (const [name, value] of Object.entries(over)) {
    const known = field(under, name);
    const both = isPlain(known) && isPlain(value);
    result[name] = both ? merged(asMap(known), asMap(value)) : value;
  }
  return result;
}

function isPlain(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(object: KubernetesObject, key: string): string | undefined {
  const value = field(object['data'], key);
  if (typeof value !== 'string') return undefined;
  return object['kind'] === 'Secret' ? Buffer.from(value, 'base64').toString('utf8') : value;
}

async function fetchArtifact(visit: Visit, source: RemoteSource, secret: string | undefined): Promise<Artifact> {
  const object = secret === undefined ? undefined : await readNamed(visit, 'Secret', secret, 'secretRef of the source');
  return visit.services.fetcher.fetch(source, object === undefined ? {} : credentialsOf(object), visit.signal);
}

type NamedKind = 'ConfigMap' | 'Secret';

async function readNamed(visit: Visit, kind: NamedKind, name: string, where: string): Promise<KubernetesObject>;
async function readNamed(
  visit: Visit,
  kind: NamedKind,
  name: string,
  where: string,
  optional: boolean,
): Promise<KubernetesObject | undefined>;
/** From the namespace of the Release and no other. */
async function readNamed(
  { services, release, signal }: Visit,
  kind: NamedKind,
  name: string,
  where: string,
  optional = false,
): Promise<KubernetesObject | undefined> {
  const { namespace } = release.metadata;
  try {
    const type = kind === 'Secret' ? SECRETS : CONFIG_MAPS;
    return { kind, ...(await services.home.get({ type, namespace, name }, { signal })) };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (optional) return undefined;
    throw new SourceError(`${kind} ${namespace}/${name} is not there; create it, or mend ${where}`, 'retry');
  }
}
