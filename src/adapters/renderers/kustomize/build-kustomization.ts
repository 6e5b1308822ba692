import { copyFile, mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { plainLine } from '../../../core/errors/index.ts';
import { type RenderedObject, type RenderRequest, SourceError } from '../../../ports/renderer.ts';
import {
  type ParseManifests,
  type ParseYaml,
  ProgramError,
  type RunProgram,
  type Scratch,
} from '../../../ports/source-tools.ts';
import { findKustomization, KustomizationCheck } from './kustomization-check.ts';

type FolderRequest = Extract<RenderRequest, { kind: 'folder' }>;

export interface KustomizationBuilderOptions {
  readonly run: RunProgram;
  /** Path or name of kubectl, found by `searchPath`. */
  readonly program: string;
  readonly searchPath: string;
  readonly scratch: Scratch;
  readonly parseManifests: ParseManifests;
  readonly parseYaml: ParseYaml;
  /** The manifests below a folder, as paths below it. */
  readonly manifestsBelow: (folder: string) => Promise<readonly string[]>;
  /** Bytes of what is built. */
  readonly maxBytes: number;
}

/** A proxy that nobody listens at: should anything get past the check, it cannot be fetched. */
const NO_NETWORK = 'http://127.0.0.1:9';
/** Characters of Kustomize's own words. */
const LONGEST = 500;

/** Builds kustomizations by `kubectl kustomize`. The artifact is never changed: what is laid over it is written elsewhere. */
export class KustomizationBuilder {
  readonly #options: KustomizationBuilderOptions;

  constructor(options: KustomizationBuilderOptions) {
    this.#options = options;
  }

  /** Whether a folder of a request is for Kustomize at all. */
  async handles({ artifact, kustomize }: FolderRequest, path: string): Promise<boolean> {
    return kustomize !== undefined || (await findKustomization(join(artifact.path, path))) !== undefined;
  }

  /** @param path of the request, in its shortest form. @throws SourceError */
  async build({ artifact, kustomize }: FolderRequest, path: string, signal: AbortSignal): Promise<RenderedObject[]> {
    const folder = join(artifact.path, path);
    const name = await findKustomization(folder);
    if (name !== undefined)
      await new KustomizationCheck(artifact.root, this.#options).folder(relative(artifact.root, folder));
    const output = await this.#options.scratch(async (scratch) => {
      const base = name === undefined ? await this.#plainBase(folder, scratch) : folder;
      const top = kustomize === undefined ? base : await writeOverlay(kustomize, base, scratch);
      return this.#run(top, scratch, [folder, artifact.root], signal);
    });
    const source = `${path === '' ? '' : `${path}/`}${name ?? 'kustomize'} as built`;
    const { objects, problems } = await this.#options.parseManifests(source, output);
    if (problems[0] !== undefined) throw new SourceError(problems[0], 'terminal');
    return objects.map(({ object, document }) => ({ object, source, document, line: 0 }));
  }

  /** A folder of manifests without a kustomization gets one, in a copy: Kustomize reads files below its own folder alone. */
  async #plainBase(folder: string, scratch: string): Promise<string> {
    const base = join(scratch, 'base');
    await mkdir(base);
    const resources = await this.#options.manifestsBelow(folder);
    for (const path of resources) {
      await mkdir(dirname(join(base, path)), { recursive: true });
      await copyFile(join(folder, path), join(base, path));
    }
    await writeFile(join(base, 'kustomization.yaml'), JSON.stringify({ resources }));
    return base;
  }

  async #run(top: string, scratch: string, folders: readonly string[], signal: AbortSignal): Promise<Buffer> {
    const { program, run, searchPath, maxBytes } = this.#options;
    // Programs that Kustomize could start are not found: kubectl alone is, by the path below.
    const env = {
      PATH: searchPath,
      HOME: scratch,
      TMPDIR: scratch,
      KUBECONFIG: '/dev/null',
      HTTP_PROXY: NO_NETWORK,
      HTTPS_PROXY: NO_NETWORK,
    };
    try {
      const { code, stdout, stderr } = await run(program, ['kustomize', '--', top], {
        cwd: scratch,
        env,
        signal,
        maxOutput: maxBytes,
      });
      if (code !== 0)
        throw buildFailure(stderr, [join(scratch, 'base'), join(scratch, 'overlay'), scratch, ...folders]);
      return stdout;
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      const message =
        error.fault === 'missing'
          ? `kubectl was not found (${program}); put kubectl 1.27 or newer on the PATH of convoy (https://kubernetes.io/docs/tasks/tools)`
          : `the kustomization builds more than the ${maxBytes} bytes that are allowed`;
      throw new SourceError(message, error.fault === 'missing' ? 'retry' : 'terminal', { cause: error });
    }
  }
}

/** What the Release lays over the folder. Its texts are data in JSON: none can become a field of its own. */
async function writeOverlay(
  kustomize: NonNullable<FolderRequest['kustomize']>,
  base: string,
  scratch: string,
): Promise<string> {
  const overlay = join(scratch, 'overlay');
  await mkdir(overlay);
  const { path: _path, ...fields } = kustomize;
  // Kustomize takes relative paths alone, and reads them behind links.
  const resources = [relative(await realpath(overlay), await realpath(base))];
  await writeFile(join(overlay, 'kustomization.yaml'), JSON.stringify({ ...fields, resources }));
  return overlay;
}

/** One line of what Kustomize says, without our folders and without the text of patches. */
function buildFailure(stderr: string, folders: readonly string[]): SourceError {
  let said = stderr
    .replace(/^\s*error: /i, '')
    .replace(/`\n[^`]*`/g, '…')
    .replace(/\[patch: "(?:[^"\\]|\\.)*"\]/g, 'it');
  for (const folder of folders) said = said.replaceAll(`${folder}/`, '').replaceAll(folder, '.');
  const line = plainLine(said);
  return new SourceError(
    `kustomize: ${line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line || 'ended without a word'}`,
    'terminal',
  );
}
