import { plainLine } from '../../../core/errors/index.ts';
import { type RemoteSource, type SourceCredentials, SourceError } from '../../../ports/renderer.ts';
import type { PickVersion } from '../../../ports/source-tools.ts';
import { gitFailure } from './git-failure.ts';
import type { GitWorkspace } from './git-workspace.ts';

export type GitSource = Extract<RemoteSource, { kind: 'git' }>['git'];

export interface Resolved {
  /** 40 or 64 hex digits. */
  readonly commit: string;
  /** `main@sha1:…` */
  readonly revision: string;
}

export function revisionOf(name: string | undefined, commit: string): string {
  const digest = `${commit.length === 64 ? 'sha256' : 'sha1'}:${commit}`;
  return name === undefined ? digest : `${name}@${digest}`;
}

interface Remote {
  /** Full name of a reference → object; `^{}` names the commit behind a tag. */
  readonly refs: ReadonlyMap<string, string>;
  /** The branch that HEAD stands for. */
  readonly head: string | undefined;
}

async function listRemote(
  workspace: GitWorkspace,
  credentials: SourceCredentials,
  patterns: readonly string[],
): Promise<Remote> {
  const { url, shown } = workspace.address;
  const { code, stdout, stderr } = await workspace.git(['ls-remote', '--symref', '--', url.href, ...patterns]);
  if (code !== 0) throw gitFailure(shown, stderr, credentials);
  const refs = new Map<string, string>();
  let head: string | undefined;
  for (const line of stdout.toString('utf8').split('\n')) {
    const [left = '', name = ''] = line.split('\t');
    if (left.startsWith('ref: ')) head = name === 'HEAD' ? left.slice('ref: refs/heads/'.length) : head;
    else if (/^[0-9a-f]{40,64}$/.test(left)) refs.set(name, left);
  }
  return { refs, head };
}

function gone(shown: string, what: string, field: string): SourceError {
  return new SourceError(`${shown} has no ${what}; check ${field}`, 'terminal');
}

const TAGS = 'refs/tags/';

/** The commit that a source names now. @throws SourceError when there is none */
export async function resolveRef(
  workspace: GitWorkspace,
  ref: GitSource['ref'],
  credentials: SourceCredentials,
  pick: PickVersion,
): Promise<Resolved> {
  const { shown } = workspace.address;
  const resolved = (name: string, commit: string): Resolved => ({ commit, revision: revisionOf(name, commit) });
  if (ref?.commit !== undefined) return { commit: ref.commit, revision: revisionOf(undefined, ref.commit) };
  if (ref?.branch !== undefined) {
    const name = `refs/heads/${ref.branch}`;
    const commit = (await listRemote(workspace, credentials, [name])).refs.get(name);
    if (commit === undefined) throw gone(shown, `branch ${plainLine(ref.branch)}`, 'ref.branch');
    return resolved(ref.branch, commit);
  }
  if (ref?.tag !== undefined) {
    const name = `${TAGS}${ref.tag}`;
    const { refs } = await listRemote(workspace, credentials, [name, `${name}^{}`]);
    const commit = refs.get(`${name}^{}`) ?? refs.get(name);
    if (commit === undefined) throw gone(shown, `tag ${plainLine(ref.tag)}`, 'ref.tag');
    return resolved(ref.tag, commit);
  }
  if (ref?.semver !== undefined) {
    const { refs } = await listRemote(workspace, credentials, [`${TAGS}*`]);
    const tags = [...refs.keys()].filter((name) => name.startsWith(TAGS) && !name.endsWith('^{}'));
    const tag = pick(
      ref.semver,
      tags.map((name) => name.slice(TAGS.length)),
    );
    if (tag === undefined) throw gone(shown, `tag in the range ${plainLine(ref.semver)}`, 'ref.semver');
    return resolved(tag, refs.get(`${TAGS}${tag}^{}`) ?? refs.get(`${TAGS}${tag}`) ?? '');
  }
  const { refs, head } = await listRemote(workspace, credentials, ['HEAD']);
  const commit = refs.get('HEAD');
  if (commit === undefined) throw gone(shown, 'commit yet', 'url');
  return resolved(head ?? 'HEAD', commit);
}
