import { join } from 'node:path';
import { assertNever } from '../../core/object/assert-never.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  Artifact,
  RemoteSource,
  Renderer,
  RenderRequest,
  SourceCredentials,
  SourceFetcher,
} from '../../ports/renderer.ts';
import { SourceError } from '../../ports/renderer.ts';
import type { ParseManifests, ParseYaml } from '../../ports/source-tools.ts';
import { DiskArtifactCache } from './artifact-cache/artifact-cache.ts';
import { scratchIn } from './artifact-cache/scratch.ts';
import { GitFetcher } from './git/fetch-git.ts';
import { inTime } from './in-time.ts';
import { runProgram } from './programs/run-program.ts';
import { checkedPath, renderFolder } from './texts/render-folder.ts';
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
}

const GIB = 1 << 30;
const MIB = 1 << 20;

function proxyVariables({ http, https, no }: NonNullable<SourcesOptions['proxy']>): Record<string, string> {
  return {
    ...(http === undefined ? {} : { http_proxy: http, HTTP_PROXY: http }),
    ...(https === undefined ? {} : { https_proxy: https, HTTPS_PROXY: https }),
    ...(no === undefined ? {} : { no_proxy: no, NO_PROXY: no }),
  };
}

/** What fetches the sources of Releases and turns them into objects. */
export async function openSources(options: SourcesOptions): Promise<Sources> {
  const { clock, folder, parseManifests, programs = {} } = options;
  const limits = { bytes: options.maxBytes ?? 256 * MIB, files: options.maxFiles ?? 50_000 };
  const maxRenderBytes = options.maxRenderBytes ?? 64 * MIB;
  const cache = new DiskArtifactCache({ folder, maxBytes: options.maxCacheBytes ?? 2 * GIB, limits });
  const scratch = scratchIn(join(folder, 'scratch'));
  const env = { PATH: options.searchPath, ...proxyVariables(options.proxy ?? {}) };
  const git = new GitFetcher({
    run: runProgram,
    program: programs.git ?? 'git',
    env,
    cache,
    scratch,
    pickVersion,
    allowFiles: options.allowFileSources ?? false,
  });

  const fetch = (source: RemoteSource, credentials: SourceCredentials, signal: AbortSignal): Promise<Artifact> => {
    switch (source.kind) {
      case 'git':
        return git.fetch(source.git, 'source.git', credentials, signal);
      case 'oci':
      case 'helm':
        throw new SourceError(`source.${source.kind} cannot be fetched yet`, 'terminal');
      default:
        return assertNever(source);
    }
  };

  const render = async (request: RenderRequest, signal: AbortSignal) => {
    switch (request.kind) {
      case 'texts':
        return renderTexts(request.files, parseManifests, signal);
      case 'folder': {
        const path = await checkedPath(request.artifact.path, request.path);
        const folder = request.artifact.path;
        return renderFolder({ folder, path, parse: parseManifests, maxBytes: maxRenderBytes, signal });
      }
      case 'chart':
        throw new SourceError('charts cannot be rendered yet', 'terminal');
      default:
        return assertNever(request);
    }
  };

  return {
    fetcher: {
      fetch: (source, credentials, signal) =>
        inTime(clock, options.fetchTimeout ?? 60_000, `fetching source.${source.kind}`, signal, (stop) =>
          fetch(source, credentials, stop),
        ),
    },
    renderer: {
      version: '1',
      render: (request, signal) =>
        inTime(clock, options.renderTimeout ?? 30_000, 'rendering', signal, (stop) => render(request, stop)),
    },
  };
}
