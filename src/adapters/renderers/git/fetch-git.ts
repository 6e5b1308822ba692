import { plainLine } from '../../../core/errors/index.ts';
import { insidePath, readSourceAddress, type SourceAddress } from '../../../core/source/index.ts';
import { type Artifact, type SourceCredentials, SourceError } from '../../../ports/renderer.ts';
import type { ArtifactCache, ArtifactWriter, Filled, PickVersion, Scratch } from '../../../ports/source-tools.ts';
import { type GitSource, type Resolved, resolveRef } from './git-refs.ts';
import { fetchCommit } from './git-repository.ts';
import { listTree, readBlobs, type TreeEntry } from './git-tree.ts';
import { type GitProgram, GitWorkspace } from './git-workspace.ts';

export interface GitFetcherOptions extends GitProgram {
  readonly cache: ArtifactCache;
  readonly scratch: Scratch;
  readonly pickVersion: PickVersion;
  /** Whether `file://` is allowed: it reads what convoy itself may read on its machine. */
  readonly allowFiles: boolean;
}

/** Fetches folders out of Git repositories, by the git binary. */
export class GitFetcher {
  readonly #options: GitFetcherOptions;

  constructor(options: GitFetcherOptions) {
    this.#options = options;
  }

  /**
   * The folder `path` of the commit that the reference names now. More of the repository is exported only where a kustomization in
   * it leads to its neighbours. `field` names the source in messages.
   */
  async fetch(
    source: GitSource,
    field: string,
    credentials: SourceCredentials,
    signal: AbortSignal,
  ): Promise<Artifact> {
    const address = this.#address(source, field);
    const path = insidePath(source.path ?? '');
    if (path === undefined || path.includes('\n')) {
      throw new SourceError(`${field}.path leads out of the repository; write it as seen from its root`, 'terminal');
    }
    const { pickVersion, cache } = this.#options;
    const resolved = await this.#inWorkspace(address, credentials, signal, (workspace) =>
      resolveRef(workspace, source.ref, credentials, pickVersion),
    );
    const { commit, revision } = resolved;
    // With the credentials: who may not read a repository finds nothing of it in the cache either.
    const scope = [address.url.href, JSON.stringify(Object.entries(credentials).sort()), commit];
    return cache.use({ scope: ['git', ...scope, path], revision }, signal, async (writer, stop) => {
      const repository = await cache.use({ scope: ['git-commit', ...scope], revision }, stop, (whole, end) =>
        this.#inWorkspace(address, credentials, end, (workspace) => fetchCommit(workspace, commit, credentials, whole)),
      );
      try {
        return await this.#inWorkspace(address, credentials, stop, (workspace) =>
          new Export(workspace, repository.path, credentials, resolved, writer).run(path),
        );
      } finally {
        repository.release();
      }
    });
  }

  #address({ url }: GitSource, field: string): SourceAddress {
    const { allowFiles } = this.#options;
    const read = readSourceAddress(url, `${field}.url`, [
      'https',
      'http',
      'ssh',
      ...(allowFiles ? (['file'] as const) : []),
    ]);
    if ('problem' in read) throw new SourceError(read.problem, 'terminal');
    return read;
  }

  #inWorkspace<Result>(
    address: SourceAddress,
    credentials: SourceCredentials,
    signal: AbortSignal,
    work: (workspace: GitWorkspace) => Promise<Result>,
  ): Promise<Result> {
    return this.#options.scratch(async (folder) =>
      work(await GitWorkspace.open(folder, address, credentials, this.#options, signal)),
    );
  }
}

const KUSTOMIZATION = /(^|\/)(kustomization\.ya?ml|Kustomization)$/;
/** A path in a kustomization that leads to a folder above. */
const ABOVE = /(^|[^\w.-])\.\.([^\w.-]|$)/m;
/** Bytes of a link's target (PATH_MAX of Linux), and of a kustomization that is looked into. */
const LONGEST_LINK = 4096;
const LONGEST_KUSTOMIZATION = 1 << 20;

async function textOf(content: AsyncIterable<Uint8Array>, longest: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of content) {
    if (length < longest) pieces.push(piece);
    length += piece.length;
  }
  return Buffer.concat(pieces).toString('utf8').slice(0, longest);
}

/** Brings one commit out of a repository into an artifact. */
class Export {
  readonly #workspace: GitWorkspace;
  readonly #credentials: SourceCredentials;
  readonly #resolved: Resolved;
  readonly #writer: ArtifactWriter;
  readonly #repository: string;

  constructor(
    workspace: GitWorkspace,
    repository: string,
    credentials: SourceCredentials,
    resolved: Resolved,
    writer: ArtifactWriter,
  ) {
    this.#workspace = workspace;
    this.#credentials = credentials;
    this.#resolved = resolved;
    this.#writer = writer;
    this.#repository = repository;
  }

  async run(path: string): Promise<Filled> {
    const tree = await this.#treeAt(path);
    const entries = await this.#list(tree);
    if (path !== '' && (await this.#leadsAbove(entries))) {
      const root = await this.#treeAt('');
      await this.#write(await this.#list(root));
      return { digest: `${root}/${path}`, path };
    }
    await this.#write(entries);
    return { digest: tree };
  }

  /** The tree of a folder. @throws SourceError when the commit has none */
  async #treeAt(path: string): Promise<string> {
    const { commit, revision } = this.#resolved;
    const { shown } = this.#workspace.address;
    const names = [`${commit}^{commit}`, path === '' ? `${commit}^{tree}` : `${commit}:${path}`];
    const { stdout } = await this.#workspace.git(['-C', this.#repository, 'cat-file', '--batch-check'], {
      input: `${names.join('\n')}\n`,
    });
    // `OID TYPE SIZE`, or the name again and what is wrong with it.
    const [isCommit, found = ''] = stdout.toString('utf8').split('\n');
    if (!/^[0-9a-f]{40,64} commit /.test(isCommit ?? '')) {
      throw new SourceError(`${shown} has no commit ${commit}; check ref`, 'terminal');
    }
    const [, oid, type] = /^([0-9a-f]{40,64}) (tree|blob|commit) \d+$/.exec(found) ?? [];
    if (oid === undefined || type !== 'tree') {
      const what = oid === undefined ? `there is no folder ${plainLine(path)}` : `${plainLine(path)} is no folder`;
      throw new SourceError(`${shown}: ${what} at ${revision}; check path`, 'terminal');
    }
    return oid;
  }

  #list(tree: string): Promise<TreeEntry[]> {
    return listTree(this.#workspace, this.#repository, tree, this.#writer.limits, this.#credentials);
  }

  async #leadsAbove(entries: readonly TreeEntry[]): Promise<boolean> {
    let above = false;
    const suspects = entries.filter(({ path, kind }) => kind === 'file' && KUSTOMIZATION.test(path));
    await readBlobs(this.#workspace, this.#repository, suspects, this.#writer.limits, async (_entry, content) => {
      const text = await textOf(content, LONGEST_KUSTOMIZATION);
      above ||= ABOVE.test(text);
    });
    return above;
  }

  async #write(entries: readonly TreeEntry[]): Promise<void> {
    const writer = this.#writer;
    // As Git leaves them: an empty folder.
    for (const { path, kind } of entries) if (kind === 'submodule') await writer.folder(path);
    const blobs = entries.filter(({ kind }) => kind !== 'submodule');
    await readBlobs(this.#workspace, this.#repository, blobs, writer.limits, async ({ path, kind }, content) => {
      if (kind === 'link') writer.link(path, await textOf(content, LONGEST_LINK));
      else await writer.file(path, content);
    });
  }
}
