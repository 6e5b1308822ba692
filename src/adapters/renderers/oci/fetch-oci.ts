import { plainLine } from '../../../core/errors/index.ts';
import { insidePath } from '../../../core/source/index.ts';
import { type Artifact, type RemoteSource, type SourceCredentials, SourceError } from '../../../ports/renderer.ts';
import type {
  ArtifactCache,
  OciLayer,
  OciManifest,
  OpenOciRepository,
  PickVersion,
  Unpack,
} from '../../../ports/source-tools.ts';

export type OciSource = Extract<RemoteSource, { kind: 'oci' }>['oci'];

export interface OciFetcherOptions {
  readonly cache: ArtifactCache;
  readonly open: OpenOciRepository;
  readonly unpack: Unpack;
  readonly pickVersion: PickVersion;
}

const CHART_LAYER = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
const ARCHIVE = /[.+](tar\+gzip|tar\.gzip|tgz)$|^application\/(x-tar|x-gtar|gzip|x-gzip|tar\+gzip)$/;

/** The layer with the files. @throws SourceError unless there is exactly one */
function layerWithFiles({ layers }: OciManifest, shown: string): OciLayer {
  if (layers.some(({ mediaType }) => mediaType === CHART_LAYER)) {
    throw new SourceError(`${shown} is a Helm chart; write it as source.helm`, 'terminal');
  }
  const archives = layers.filter(({ mediaType }) => ARCHIVE.test(mediaType));
  const [layer] = archives;
  if (layer === undefined || archives.length > 1) {
    const types = [...new Set(layers.map(({ mediaType }) => plainLine(mediaType)))].slice(0, 3).join(', ');
    throw new SourceError(
      `${shown} has ${archives.length} tar+gzip layers, not one (${types || 'no layers'}); push the manifests as one`,
      'terminal',
    );
  }
  return layer;
}

/** Fetches the files of OCI artifacts. */
export class OciFetcher {
  readonly #options: OciFetcherOptions;

  constructor(options: OciFetcherOptions) {
    this.#options = options;
  }

  async fetch(source: OciSource, credentials: SourceCredentials, signal: AbortSignal): Promise<Artifact> {
    const { cache, open, pickVersion, unpack } = this.#options;
    const path = insidePath(source.path ?? '');
    if (path === undefined) {
      throw new SourceError('source.oci.path leads out of the artifact; write it as seen from its root', 'terminal');
    }
    const repository = open(source.url, 'source.oci.url', credentials, signal);
    const scopeOf = (digest: string): string[] => [
      'oci',
      repository.shown,
      JSON.stringify(Object.entries(credentials).sort()),
      digest,
    ];
    let reference = source.digest ?? source.tag;
    if (source.digest === undefined && source.semver !== undefined) {
      reference = pickVersion(source.semver, await repository.tags());
      if (reference === undefined) {
        throw new SourceError(
          `${repository.shown} has no tag in the range ${plainLine(source.semver)}; check semver`,
          'terminal',
        );
      }
    }
    if (reference === undefined) throw new SourceError('source.oci names no tag, semver or digest', 'terminal');
    const manifest = source.digest === undefined ? await repository.manifest(reference) : undefined;
    const digest = manifest?.digest ?? reference;
    const revision = digest === reference ? digest : `${reference}@${digest}`;
    return cache.use({ scope: scopeOf(digest), revision, path }, signal, async (writer, stop) => {
      // The fill may outlive the one who asked first.
      const again = open(source.url, 'source.oci.url', credentials, stop);
      const layer = layerWithFiles(manifest ?? (await again.manifest(digest)), repository.shown);
      await unpack(again.layer(layer), writer, `${repository.shown} (${layer.digest})`);
      return { digest };
    });
  }
}
