import { createHash } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plainLine } from '../../../core/errors/index.ts';
import { asMap } from '../../../core/object/fields.ts';
import { insidePath } from '../../../core/source/index.ts';
import { type Artifact, type RemoteSource, type SourceCredentials, SourceError } from '../../../ports/renderer.ts';
import type {
  ArtifactCache,
  ArtifactWriter,
  OciRepository,
  OpenOciRepository,
  ParseYaml,
  PickVersion,
  Unpack,
} from '../../../ports/source-tools.ts';
import type { ChartVersion } from './chart-index.ts';
import { type ChartRepositories, indexUrl, withoutLogin } from './chart-repository.ts';

export type HelmSource = Extract<RemoteSource, { kind: 'helm' }>['helm'];
type GitSource = Extract<RemoteSource, { kind: 'git' }>['git'];

export interface ChartFetcherOptions {
  readonly cache: ArtifactCache;
  readonly repositories: ChartRepositories;
  readonly openOci: OpenOciRepository;
  readonly fetchGit: (
    source: GitSource,
    field: string,
    credentials: SourceCredentials,
    signal: AbortSignal,
  ) => Promise<Artifact>;
  readonly unpack: Unpack;
  readonly pickVersion: PickVersion;
  readonly parseYaml: ParseYaml;
}

const CHART_LAYER = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
/** Any release, none of the versions before one: Helm without --devel. */
const NEWEST = '*';
const EXACT = /^v?\d+\.\d+\.\d+([-+].*)?$/;
/** Bytes of Chart.yaml that are read. */
const LARGEST_CHART_YAML = 1 << 20;

/** A tag may not hold `+`: Helm writes `_` for it. */
function versionOfTag(tag: string): string {
  return tag.replaceAll('_', '+');
}

/** Passes a stream on and gives its sha256 (hex) at the end. */
function hashed(stream: AsyncIterable<Uint8Array>): { all: AsyncIterable<Uint8Array>; digest: () => string } {
  const hash = createHash('sha256');
  async function* all(): AsyncGenerator<Uint8Array> {
    for await (const piece of stream) {
      hash.update(piece);
      yield piece;
    }
  }
  let digest: string | undefined;
  return {
    all: all(),
    digest: () => {
      digest ??= hash.digest('hex');
      return digest;
    },
  };
}

/** Fetches charts: out of repositories, registries and Git. */
export class ChartFetcher {
  readonly #options: ChartFetcherOptions;

  constructor(options: ChartFetcherOptions) {
    this.#options = options;
  }

  async fetch(source: HelmSource, credentials: SourceCredentials, signal: AbortSignal): Promise<Artifact> {
    const { git, url } = source.repo;
    if (git !== undefined) return this.#fromGit(source, git, credentials, signal);
    if (url === undefined) throw new SourceError('source.helm.repo has neither url nor git', 'terminal');
    if (!/^[\w.-]+(\/[\w.-]+)*$/.test(source.chart) || insidePath(source.chart) !== source.chart) {
      throw new SourceError(`source.helm.chart is no name of a chart (${plainLine(source.chart)})`, 'terminal');
    }
    return url.startsWith('oci://')
      ? this.#fromRegistry(source, url, credentials, signal)
      : this.#fromRepository(source, indexUrl(url), credentials, signal);
  }

  async #fromRepository(
    { chart, version: range = NEWEST }: HelmSource,
    index: URL,
    credentials: SourceCredentials,
    signal: AbortSignal,
  ): Promise<Artifact> {
    const { cache, repositories } = this.#options;
    const versions = await repositories.versions(index, chart, credentials, signal);
    const version = this.#pick(
      range,
      versions.map((one) => one.version),
      `chart ${chart}`,
    );
    const entry = versions.find((one) => one.version === version);
    if (entry === undefined || entry.url === '' || !URL.canParse(entry.url, index.href)) {
      throw new SourceError(`chart ${chart} ${plainLine(version)} has no address in its repository`, 'terminal');
    }
    const url = new URL(entry.url, index);
    if (url.protocol === 'oci:') return this.#fromIndexToRegistry(url.href, entry, credentials, signal);
    const scope = ['chart', index.href, JSON.stringify(Object.entries(credentials).sort()), chart, version];
    const key = { scope: [...scope, entry.digest || `${entry.url} ${entry.created}`], revision: version };
    return cache.use(key, signal, async (writer, stop) => {
      const stream = await repositories.archive(index, url, credentials, stop);
      return this.#unpack(stream, writer, `chart ${chart} ${version}`, entry.digest);
    });
  }

  /** Some repositories keep their index and have moved the charts into a registry. */
  #fromIndexToRegistry(
    url: string,
    { version }: ChartVersion,
    credentials: SourceCredentials,
    signal: AbortSignal,
  ): Promise<Artifact> {
    const [, repository = url, tag = version.replaceAll('+', '_')] = /^(.*\/[^/:]+):([^/:]+)$/.exec(url) ?? [];
    return this.#fromTag(repository, tag, withoutLogin(credentials), signal);
  }

  async #fromRegistry(
    { chart, version: range = NEWEST }: HelmSource,
    url: string,
    credentials: SourceCredentials,
    signal: AbortSignal,
  ): Promise<Artifact> {
    const address = `${url.replace(/\/+$/, '')}/${chart}`;
    if (EXACT.test(range)) return this.#fromTag(address, range.replaceAll('+', '_'), credentials, signal);
    const repository = this.#open(address, credentials, signal);
    const tags = await repository.tags();
    const version = this.#pick(range, tags.map(versionOfTag), repository.shown);
    return this.#fromTag(address, version.replaceAll('+', '_'), credentials, signal);
  }

  async #fromTag(address: string, tag: string, credentials: SourceCredentials, signal: AbortSignal): Promise<Artifact> {
    const repository = this.#open(address, credentials, signal);
    const manifest = await repository.manifest(tag);
    const layer = manifest.layers.find(({ mediaType }) => mediaType === CHART_LAYER);
    const name = `${repository.shown} ${versionOfTag(tag)}`;
    if (layer === undefined)
      throw new SourceError(`${name} is no Helm chart; objects in an artifact are source.oci`, 'terminal');
    const scope = ['oci-chart', repository.shown, JSON.stringify(Object.entries(credentials).sort()), manifest.digest];
    const revision = `${versionOfTag(tag)}@${manifest.digest}`;
    return this.#options.cache.use({ scope, revision }, signal, (writer, stop) =>
      this.#unpack(this.#open(address, credentials, stop).layer(layer), writer, name, ''),
    );
  }

  #open(address: string, credentials: SourceCredentials, signal: AbortSignal): OciRepository {
    return this.#options.openOci(address, 'source.helm.repo.url with its chart', credentials, signal);
  }

  #pick(range: string, versions: readonly string[], what: string): string {
    // As Helm does: a version that is written out needs no range.
    const exact = versions.find((one) => one === range);
    const version = exact ?? this.#options.pickVersion(range, versions);
    if (version !== undefined) return version;
    const newest = this.#options.pickVersion('>=0.0.0-0', versions);
    const hint = newest === undefined ? '' : `; the newest is ${newest}`;
    const wanted = range === NEWEST ? 'has no release' : `has no version in the range ${plainLine(range)}`;
    throw new SourceError(`${what} ${wanted}${hint}; mend version`, 'terminal');
  }

  async #unpack(stream: AsyncIterable<Uint8Array>, writer: ArtifactWriter, name: string, promised: string) {
    const { all, digest } = hashed(stream);
    let path: string | undefined;
    const watching: ArtifactWriter = {
      limits: writer.limits,
      folder: (one) => writer.folder(one),
      link: (one, target) => writer.link(one, target),
      file: (one, content) => {
        const [, folder] = /^(?:\.\/)?([^/]+)\/Chart\.yaml$/.exec(one) ?? [];
        path ??= folder;
        return writer.file(one, content);
      },
    };
    await this.#options.unpack(all, watching, name);
    if (promised !== '' && digest() !== promised) {
      throw new SourceError(
        `${name} came with other content: sha256:${plainLine(promised)} was promised, sha256:${digest()} came`,
        'retry',
      );
    }
    if (path === undefined) throw new SourceError(`${name} is no chart: it has no Chart.yaml`, 'terminal');
    return { digest: `sha256:${digest()}`, path };
  }

  async #fromGit(
    { chart, version }: HelmSource,
    git: GitSource,
    credentials: SourceCredentials,
    signal: AbortSignal,
  ): Promise<Artifact> {
    const path = `${git.path ?? ''}/${chart}`.replace(/^\/+/, '');
    const artifact = await this.#options.fetchGit({ ...git, path }, 'source.helm.repo.git', credentials, signal);
    try {
      await this.#checkChart(artifact, path, version);
      return artifact;
    } catch (error) {
      artifact.release();
      throw error;
    }
  }

  /** A folder in Git is one version: whether it is the one that was asked for. */
  async #checkChart({ path: folder, revision }: Artifact, path: string, range: string | undefined): Promise<void> {
    const file = join(folder, 'Chart.yaml');
    const there = await access(file).then(
      () => true,
      () => false,
    );
    if (!there)
      throw new SourceError(
        `${plainLine(path)} at ${revision} is no chart: it has no Chart.yaml; mend chart`,
        'terminal',
      );
    if (range === undefined) return;
    const text = (await readFile(file, 'utf8')).slice(0, LARGEST_CHART_YAML);
    const version = String(asMap(this.#options.parseYaml(text))['version'] ?? '');
    if (version !== range && this.#options.pickVersion(range, [version]) === undefined) {
      throw new SourceError(
        `${plainLine(path)} at ${revision} is version ${plainLine(version)}, not ${plainLine(range)}; mend version`,
        'terminal',
      );
    }
  }
}
