import { join } from 'node:path';
import { assertNever } from '../../core/object/assert-never.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  Artifact,
  RemoteSource,
  RenderedObject,
  Renderer,
  RenderRequest,
  SourceCredentials,
  SourceFetcher,
} from '../../ports/renderer.ts';
import type { OpenOciRepository, ParseManifests, ParseYaml, Scratch } from '../../ports/source-tools.ts';
import { unpack } from './archives/unpack.ts';
import { DiskArtifactCache } from './artifact-cache/artifact-cache.ts';
import { scratchIn } from './artifact-cache/scratch.ts';
import { Downloads } from './downloads/download.ts';
import { GitFetcher } from './git/fetch-git.ts';
import { ChartRepositories } from './helm/chart-repository.ts';
import { ChartFetcher } from './helm/fetch-chart.ts';
import { ChartRenderer } from './helm/render-chart.ts';
import { inTime } from './in-time.ts';
import { KustomizationBuilder } from './kustomize/build-kustomization.ts';
import { OciFetcher } from './oci/fetch-oci.ts';
import { openOciRepository } from './oci/oci-repository.ts';
import { versionsOfPrograms } from './program-versions.ts';
import { runProgram } from './programs/run-program.ts';
import { checkedPath, manifestsBelow, renderFolder } from './texts/render-folder.ts';
import { renderTexts } from './texts/render-texts.ts';
import { pickVersion } from './versions/pick-version.ts';

export interface SourcesOptions {
  /** Where artifacts are kept; several processes may share it. Made when it is not there. */
  readonly folder: string;
  readonly clock: Clock;
  readonly parseManifests: ParseManifests;
  readonly parseYaml: ParseYaml;
  /** PATH of the programs that are run. */
  readonly searchPath: string;
  /** Names or paths; default: git, helm, kubectl. */
  readonly programs?: { readonly git?: string; readonly helm?: string; readonly kubectl?: string };
  /** As in the variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  readonly proxy?: { readonly http?: string; readonly https?: string; readonly no?: string };
  /** Whether Git repositories may be `file://`, on the machine of convoy; default: no. */
  readonly allowFileSources?: boolean;
  /** Bytes of all artifacts that are kept; default 2 GiB. */
  readonly maxCacheBytes?: number;
  /** Bytes of one artifact; default 256 MiB. */
  readonly maxBytes?: number;
  /** Files of one artifact; default 50,000. */
  readonly maxFiles?: number;
  /** Bytes of what one render gives; default 64 MiB. */
  readonly maxRenderBytes?: number;
  /** ms for one fetch; default 60 s. */
  readonly fetchTimeout?: number;
  /** ms for one render; default 30 s. */
  readonly renderTimeout?: number;
}

export interface Sources {
  readonly fetcher: SourceFetcher;
  readonly renderer: Renderer;
  /** Ends the connections that are kept. */
  close(): Promise<void>;
}

/** Goes up with every change of ours by which the same source renders otherwise. */
const OWN_VERSION = 1;

const GIB = 1 << 30;
const MIB = 1 << 20;

function proxyVariables({ http, https, no }: NonNullable<SourcesOptions['proxy']>): Record<string, string> {
  return {
    ...(http === undefined ? {} : { http_proxy: http, HTTP_PROXY: http }),
    ...(https === undefined ? {} : { https_proxy: https, HTTPS_PROXY: https }),
    ...(no === undefined ? {} : { no_proxy: no, NO_PROXY: no }),
  };
}

function fetcherOf(options: SourcesOptions, downloads: Downloads, scratch: Scratch): SourceFetcher {
  const { clock, folder, parseYaml, programs = {}, searchPath, proxy = {} } = options;
  const limits = { bytes: options.maxBytes ?? 256 * MIB, files: options.maxFiles ?? 50_000 };
  const cache = new DiskArtifactCache({ folder, maxBytes: options.maxCacheBytes ?? 2 * GIB, limits });
  const { download } = downloads;
  const maxBytes = limits.bytes;
  const open: OpenOciRepository = (url, field, credentials, signal) =>
    openOciRepository(url, field, credentials, { download, maxBytes }, signal);
  const git = new GitFetcher({
    run: runProgram,
    program: programs.git ?? 'git',
    env: { PATH: searchPath, ...proxyVariables(proxy) },
    cache,
    scratch,
    pickVersion,
    allowFiles: options.allowFileSources ?? false,
  });
  const oci = new OciFetcher({ cache, open, unpack, pickVersion });
  const charts = new ChartFetcher({
    cache,
    repositories: new ChartRepositories({ download, parseYaml, maxBytes }),
    openOci: open,
    fetchGit: (source, field, credentials, signal) => git.fetch(source, field, credentials, signal),
    unpack,
    pickVersion,
    parseYaml,
  });
  const fetch = (source: RemoteSource, credentials: SourceCredentials, signal: AbortSignal): Promise<Artifact> => {
    switch (source.kind) {
      case 'git':
        return git.fetch(source.git, 'source.git', credentials, signal);
      case 'oci':
        return oci.fetch(source.oci, credentials, signal);
      case 'helm':
        return charts.fetch(source.helm, credentials, signal);
      default:
        return assertNever(source);
    }
  };
  return {
    fetch: (source, credentials, signal) =>
      inTime(clock, options.fetchTimeout ?? 60_000, `fetching source.${source.kind}`, signal, (stop) =>
        fetch(source, credentials, stop),
      ),
  };
}

async function rendererOf(options: SourcesOptions, scratch: Scratch): Promise<Renderer> {
  const { clock, parseManifests, parseYaml, programs = {}, searchPath } = options;
  const maxBytes = options.maxRenderBytes ?? 64 * MIB;
  const { helm = 'helm', kubectl = 'kubectl' } = programs;
  const shared = { run: runProgram, searchPath, scratch, parseManifests, maxBytes };
  const charts = new ChartRenderer({ ...shared, program: helm });
  const kustomizations = new KustomizationBuilder({ ...shared, program: kubectl, parseYaml, manifestsBelow });
  const render = async (request: RenderRequest, signal: AbortSignal): Promise<readonly RenderedObject[]> => {
    switch (request.kind) {
      case 'texts':
        return renderTexts(request.files, parseManifests, signal);
      case 'folder': {
        const folder = request.artifact.path;
        const path = await checkedPath(folder, request.path);
        if (await kustomizations.handles(request, path)) return kustomizations.build(request, path, signal);
        return renderFolder({ folder, path, parse: parseManifests, maxBytes, signal });
      }
      case 'chart':
        return charts.render(request, signal);
      default:
        return assertNever(request);
    }
  };
  return {
    version: `${OWN_VERSION} ${await versionsOfPrograms(runProgram, { helm, kubectl }, searchPath)}`,
    render: (request, signal) =>
      inTime(clock, options.renderTimeout ?? 30_000, 'rendering', signal, (stop) => render(request, stop)),
  };
}

/** What fetches the sources of Releases and turns them into objects. A program that is missing is told by the Release that needs it. */
export async function openSources(options: SourcesOptions): Promise<Sources> {
  const { folder, proxy } = options;
  const scratch = scratchIn(join(folder, 'scratch'));
  const downloads = new Downloads(proxy === undefined ? {} : { proxy });
  return {
    fetcher: fetcherOf(options, downloads, scratch),
    renderer: await rendererOf(options, scratch),
    close: () => downloads.close(),
  };
}
