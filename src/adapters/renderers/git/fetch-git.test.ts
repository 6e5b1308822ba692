import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Artifact, SourceCredentials } from '../../../ports/renderer.ts';
import type { ArtifactCache, ArtifactWriter, RunProgram } from '../../../ports/source-tools.ts';
import { startHttpServer, type TestHttpServer } from '../../../testing/http-server/http-server.ts';
import { DiskArtifactCache } from '../artifact-cache/artifact-cache.ts';
import { scratchIn } from '../artifact-cache/scratch.ts';
import { runProgram } from '../programs/run-program.ts';
import { pickVersion } from '../versions/pick-version.ts';
import { GitFetcher } from './fetch-git.ts';
import type { GitSource } from './git-refs.ts';

const base = mkdtempSync(join(tmpdir(), 'convoy-git-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: base,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};
const bare = join(base, 'app.git');
const tree = join(base, 'tree');
const url = `file://${bare}`;
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: tree, env, encoding: 'utf8', stdio: 'pipe' }).trim();

function write(path: string, text: string): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), text);
}

function commit(message: string): string {
  git('add', '-A');
  git('commit', '--quiet', '--allow-empty', '-m', message);
  git('push', '--quiet', '--all', url);
  git('push', '--quiet', '--tags', url);
  return git('rev-parse', 'HEAD');
}

let first: string;
beforeAll(() => {
  mkdirSync(tree);
  execFileSync('git', ['init', '--quiet', '--bare', '-b', 'main', bare], { env });
  git('init', '--quiet', '-b', 'main');
  write('deploy/app.yaml', 'kind: First\n');
  write('.gitattributes', '*.yaml text eol=crlf\nsecret.yaml export-ignore\n');
  first = commit('first');
  git('tag', '-a', 'v1.0.0', '-m', 'one');
  write('deploy/app.yaml', 'kind: Second\n');
  write('deploy/secret.yaml', 'kind: Secret\n');
  write('overlays/prod/kustomization.yaml', 'resources: [../../base]\n');
  write('overlays/kustomization.yaml', 'resources: [../base]\n');
  write('overlays/list/kustomization.yaml', 'resources:\n- ..\n');
  write('overlays/lone/kustomization.yaml', 'resources: [app..yaml]\n');
  write('base/kustomization.yaml', 'resources: []\n');
  commit('second');
  git('tag', 'v1.1.0');
  git('tag', 'v2.0.0-rc.1');
  git('checkout', '--quiet', '-b', 'links');
  mkdirSync(join(tree, 'out'));
  symlinkSync('../../etc/passwd', join(tree, 'out', 'passwd'));
  mkdirSync(join(tree, 'in'));
  write('in/a.yaml', 'a');
  symlinkSync('a.yaml', join(tree, 'in', 'b.yaml'));
  commit('links');
  git('checkout', '--quiet', 'main');
});

const signal = new AbortController().signal;
let count = 0;

interface Setup {
  fetch(source: Partial<GitSource>, credentials?: SourceCredentials): Promise<Artifact>;
  readonly calls: { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }[];
  readonly folder: string;
}

/** A cache on a disk with room for some bytes. */
function onSmallDisk(cache: ArtifactCache, room: number): ArtifactCache {
  return {
    use: (key, stop, fill) =>
      cache.use(key, stop, (writer, signal) => {
        let left = room;
        const small: ArtifactWriter = {
          limits: writer.limits,
          folder: (path) => writer.folder(path),
          link: (path, target) => writer.link(path, target),
          file: (path, content) =>
            writer.file(
              path,
              (async function* () {
                for await (const piece of content) {
                  left -= piece.length;
                  if (left < 0) throw Object.assign(new Error('write'), { code: 'ENOSPC' });
                  yield piece;
                }
              })(),
            ),
        };
        return fill(small, signal);
      }),
  };
}

interface SetupOptions {
  readonly allowFiles?: boolean;
  readonly bytes?: number;
  readonly files?: number;
  readonly program?: string;
  readonly searchPath?: string;
  /** Bytes that the disk has room for. */
  readonly fillDisk?: number;
}

function setUp(more: SetupOptions = {}): Setup {
  count += 1;
  const folder = join(base, `cache-${count}`);
  const calls: Setup['calls'] = [];
  const run: RunProgram = (program, args, call) => {
    calls.push({ args, env: call.env });
    return runProgram(program, args, call);
  };
  const limits = { bytes: more.bytes ?? 2e6, files: more.files ?? 100 };
  const cache = new DiskArtifactCache({ folder, maxBytes: 1e7, limits });
  const fetcher = new GitFetcher({
    run,
    program: more.program ?? 'git',
    env: { PATH: more.searchPath ?? process.env['PATH'] ?? '' },
    cache: more.fillDisk === undefined ? cache : onSmallDisk(cache, more.fillDisk),
    scratch: scratchIn(join(folder, 'scratch')),
    pickVersion,
    allowFiles: more.allowFiles ?? true,
  });
  return {
    calls,
    folder,
    fetch: (source, credentials = {}) => fetcher.fetch({ url, ...source }, 'source.git', credentials, signal),
  };
}

const app = ({ path }: Artifact) => readFileSync(join(path, 'app.yaml'), 'utf8');

describe('a commit of a repository', () => {
  it.each([
    ['the head of the default branch', undefined, /^main@sha1:[0-9a-f]{40}$/, 'kind: Second\n'],
    ['a branch', { branch: 'main' }, /^main@sha1:/, 'kind: Second\n'],
    ['an annotated tag', { tag: 'v1.0.0' }, /^v1.0.0@sha1:/, 'kind: First\n'],
    ['a tag', { tag: 'v1.1.0' }, /^v1.1.0@sha1:/, 'kind: Second\n'],
    ['the highest tag in a range', { semver: '>=1.0' }, /^v1.1.0@sha1:/, 'kind: Second\n'],
    ['an annotated tag in a range', { semver: '~1.0' }, /^v1.0.0@sha1:/, 'kind: First\n'],
  ] satisfies [string, GitSource['ref'], RegExp, string][])('is found by %s', async (_what, ref, revision, text) => {
    const artifact = await setUp().fetch({ path: './deploy', ...(ref ? { ref } : {}) });
    expect(artifact.revision).toMatch(revision);
    expect(app(artifact)).toBe(text);
  });

  it('is found by its digest', async () => {
    const artifact = await setUp().fetch({ ref: { commit: first }, path: 'deploy' });
    expect([artifact.revision, app(artifact)]).toEqual([`sha1:${first}`, 'kind: First\n']);
  });

  it('is fetched once; then only the branch is looked at', async () => {
    const { fetch, calls } = setUp();
    (await fetch({ path: 'deploy' })).release();
    calls.length = 0;
    (await fetch({ path: 'deploy' })).release();
    expect(calls.map(({ args }) => args[0])).toEqual(['ls-remote']);
  });

  it('is fetched once for all of its folders', async () => {
    const { fetch, calls } = setUp();
    for (const path of ['deploy', 'base', '']) (await fetch({ path })).release();
    expect(calls.filter(({ args }) => args.includes('fetch'))).toHaveLength(1);
  });

  it('has the same digest as another whose folder is the same', async () => {
    const { fetch } = setUp();
    const [one, two] = [await fetch({ path: 'deploy' }), await fetch({ path: 'deploy', ref: { branch: 'links' } })];
    expect(one.digest).toBe(two.digest);
    expect(one.revision).not.toBe(two.revision);
  });

  it('comes as it was committed, whatever its attributes say, and as the folder alone', async () => {
    const artifact = await setUp().fetch({ path: 'deploy' });
    expect(readdirSync(artifact.root).sort()).toEqual(['app.yaml', 'secret.yaml']);
    expect(artifact.path).toBe(artifact.root);
  });

  it('comes whole where a kustomization leads to its neighbours, else not', async () => {
    const { fetch } = setUp();
    for (const path of ['overlays/prod', 'overlays', 'overlays/list']) {
      const artifact = await fetch({ path });
      expect(artifact.path).toBe(join(artifact.root, path));
      expect(existsSync(join(artifact.root, 'base', 'kustomization.yaml'))).toBe(true);
    }
    const lone = await fetch({ path: 'overlays/lone' });
    expect(lone.path).toBe(lone.root);
  });

  it('may hold links inside', async () => {
    const artifact = await setUp().fetch({ path: 'in', ref: { branch: 'links' } });
    expect(readFileSync(join(artifact.path, 'b.yaml'), 'utf8')).toBe('a');
  });
});

describe('a source that cannot be fetched', () => {
  it.each<[string, Partial<GitSource>, string]>([
    ['no such branch', { ref: { branch: 'gone' } }, 'app.git has no branch gone; check ref.branch'],
    ['no such tag', { ref: { tag: 'v9' } }, 'app.git has no tag v9; check ref.tag'],
    ['no tag in the range', { ref: { semver: '^9' } }, 'has no tag in the range ^9; check ref.semver'],
    ['no range', { ref: { semver: 'new' } }, 'new is no range of versions'],
    ['no such path', { path: 'gone' }, 'there is no folder gone at main@sha1:'],
    ['a file as path', { path: 'deploy/app.yaml' }, 'deploy/app.yaml is no folder at main@sha1:'],
    ['a path outside', { path: '../x' }, 'source.git.path leads out of the repository'],
    ['a link outside', { path: 'out', ref: { branch: 'links' } }, 'the link passwd leads out of the source'],
    ['no such repository', { url: `file://${base}/none.git` }, 'there is no such repository'],
    ['an option as branch', { ref: { branch: '--upload-pack=touch x' } }, 'has no branch --upload-pack=touch x'],
    ['a pattern as branch', { ref: { branch: 'm*' } }, 'has no branch m*'],
    ['a program as address', { url: 'ext::sh -c id' }, 'is no address that can be fetched'],
  ])('is told in one line: %s', async (_what, source, message) => {
    await expect(setUp().fetch(source)).rejects.toMatchObject({
      name: 'SourceError',
      retry: 'terminal',
      message: expect.stringContaining(message),
    });
  });

  it('is refused where files of the machine are not allowed', async () => {
    await expect(setUp({ allowFiles: false }).fetch({})).rejects.toThrow(
      'source.git.url is no address that can be fetched; it starts with one of https://, http://, ssh://',
    );
  });

  it('is refused when a commit is not there, although the server was asked for all', async () => {
    await expect(setUp().fetch({ ref: { commit: `${'0'.repeat(39)}1` } })).rejects.toMatchObject({
      message: expect.stringContaining(`has no commit ${'0'.repeat(39)}1; check ref`),
    });
  });

  it('is refused before it is written when it is too large, or has too many files', async () => {
    await expect(setUp({ files: 3 }).fetch({})).rejects.toThrow(/more than the 3 files/);
    await expect(setUp({ bytes: 20 }).fetch({})).rejects.toMatchObject({
      retry: 'terminal',
      message: expect.stringMatching(/larger than what may be fetched|more than the/),
    });
  });

  it('is refused while it is fetched when its pack is too large', async () => {
    git('checkout', '--quiet', '-b', 'large', 'main');
    // What does not compress.
    writeFileSync(join(tree, 'large.bin'), execFileSync('head', ['-c', '400000', '/dev/urandom']));
    commit('large');
    git('checkout', '--quiet', 'main');
    await expect(setUp({ bytes: 100_000 }).fetch({ ref: { branch: 'large' }, path: 'deploy' })).rejects.toMatchObject({
      retry: 'terminal',
      message: expect.stringContaining('is larger than what may be fetched'),
    });
  });

  it('is given up at once when it cannot be written, however much of it is still to come', async () => {
    git('checkout', '--quiet', '-b', 'long', 'main');
    for (let n = 0; n < 20; n += 1) write(`long/${n}.txt`, 'x'.repeat(50_000));
    git('add', '-A');
    git('commit', '--quiet', '-m', 'long');
    git('push', '--quiet', '--all', url);
    git('checkout', '--quiet', 'main');
    const { fetch } = setUp({ fillDisk: 60_000 });
    await expect(fetch({ path: 'long', ref: { branch: 'long' } })).rejects.toMatchObject({
      retry: 'retry',
      message: expect.stringContaining('the disk of the source cache is full'),
    });
  });

  it('is told how to mend it where there is no git', async () => {
    await expect(setUp({ program: 'no-git-here' }).fetch({})).rejects.toMatchObject({
      retry: 'retry',
      message: 'git was not found (no-git-here); install it where convoy runs',
    });
  });

  it('needs a key and known hosts for ssh', async () => {
    await expect(setUp().fetch({ url: 'ssh://git@127.0.0.1:1/x' }, { identity: 'k' })).rejects.toThrow(
      'ssh://git@127.0.0.1:1/x needs a Secret with identity and known_hosts, named by secretRef; known_hosts is missing',
    );
  });
});

describe('a repository behind HTTP', () => {
  let server: Server;
  const seen: string[] = [];
  beforeAll(async () => {
    const execPath = execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim();
    // Git's own server, as a web server runs it: the request in variables and on stdin, the answer with its headers on stdout.
    server = createServer((request, response) => {
      const {
        authorization = '-',
        'content-type': type = '',
        'git-protocol': protocol = '',
        'content-encoding': encoding = '',
      } = request.headers;
      seen.push(`${request.method} ${authorization}`);
      if (authorization !== `Basic ${Buffer.from('bob:hunter2').toString('base64')}`) {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
        return;
      }
      const [path = '', query = ''] = (request.url ?? '').split('?');
      const cgi = spawn(join(execPath, 'git-http-backend'), {
        env: {
          ...env,
          GIT_PROJECT_ROOT: base,
          GIT_HTTP_EXPORT_ALL: '1',
          PATH_INFO: path,
          QUERY_STRING: query,
          REQUEST_METHOD: request.method,
          CONTENT_TYPE: type,
          HTTP_CONTENT_ENCODING: String(encoding),
          GIT_PROTOCOL: String(protocol),
        },
      });
      request.pipe(cgi.stdin);
      const pieces: Buffer[] = [];
      cgi.stdout.on('data', (piece: Buffer) => pieces.push(piece));
      cgi.on('close', () => {
        const answer = Buffer.concat(pieces);
        const end = answer.indexOf('\r\n\r\n');
        const headers = Object.fromEntries(
          answer
            .toString('latin1', 0, end)
            .split('\r\n')
            .map((line) => line.split(': ')),
        );
        response.writeHead(200, headers).end(answer.subarray(end + 4));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.close();
  });

  it('is fetched with the password of the Secret', async () => {
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { fetch, calls } = setUp();
    const artifact = await fetch(
      { url: `http://127.0.0.1:${port}/app.git`, path: 'deploy' },
      { username: 'bob', password: 'hunter2' },
    );
    expect(app(artifact)).toBe('kind: Second\n');
    expect(seen.filter((request) => request.startsWith('POST Basic')).length).toBeGreaterThan(0);
    expect(JSON.stringify(calls)).not.toContain('hunter2');
  });
});

describe('a repository behind ssh', () => {
  it('is reached by the key and the known hosts of the Secret alone', async () => {
    const bin = join(base, 'bin');
    mkdirSync(bin);
    // Stands for ssh: notes how it was called, and refuses as ssh does.
    const script = `#!/bin/sh\nfor word; do echo "$word" >> ${base}/ssh.log; done\nstat -c %a "$4" >> ${base}/ssh.log\ncat "$4" >> ${base}/ssh.log\necho 'Host key verification failed.' >&2\nexit 255\n`;
    writeFileSync(join(bin, 'ssh'), script, { mode: 0o755 });
    const fetching = setUp({ searchPath: `${bin}:${process.env['PATH']}` }).fetch(
      { url: 'ssh://git@git.example.test:2222/app.git' },
      { identity: 'PRIVATE KEY', knownHosts: 'git.example.test ssh-ed25519 AAAA' },
    );
    await expect(fetching).rejects.toMatchObject({
      retry: 'retry',
      message:
        'ssh://git@git.example.test:2222/app.git: the key of the host is not in known_hosts of the Secret; compare it and add it',
    });
    const log = readFileSync(join(base, 'ssh.log'), 'utf8');
    for (const word of [
      '/dev/null',
      'StrictHostKeyChecking=yes',
      'BatchMode=yes',
      'IdentityAgent=none',
      '2222',
      'git@git.example.test',
    ]) {
      expect(log.split('\n')).toContain(word);
    }
    expect(log).toMatch(/\n600\nPRIVATE KEY\n/);
  });
});

describe('hooks, submodules and settings of others', () => {
  it('do nothing here', async () => {
    git('checkout', '--quiet', '-b', 'modules', 'main');
    write('.gitmodules', `[submodule "m"]\n\tpath = m\n\turl = file://${base}/none.git\n`);
    git('update-index', '--add', '--cacheinfo', `160000,${first},m`);
    git('commit', '--quiet', '-m', 'module');
    git('push', '--quiet', '--all', url);
    git('checkout', '--quiet', '-f', 'main');
    const { fetch, calls } = setUp();
    const artifact = await fetch({ ref: { branch: 'modules' } });
    expect(readdirSync(join(artifact.path, 'm'))).toEqual([]);
    for (const call of calls) expect(Object.keys(call.env)).not.toContain('SSH_AUTH_SOCK');
  });
});

describe('a server that wants to know who asks', () => {
  let server: TestHttpServer;
  const seen: string[] = [];
  beforeAll(async () => {
    const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;
    const refs = `${line('# service=git-upload-pack\n')}0000${line(`${'1'.repeat(40)} refs/heads/main\0\n`)}0000`;
    server = await startHttpServer({
      protocol: 'plain',
      handle: (exchange) => {
        const { authorization } = exchange.headers;
        seen.push(String(authorization));
        const login = `Basic ${Buffer.from('bob:hunter2/@').toString('base64')}`;
        if (authorization !== login && authorization !== 'Bearer abc"\\d') {
          return exchange.text(401, 'who?', { 'www-authenticate': 'Basic realm="git"' });
        }
        exchange.text(200, refs, { 'content-type': 'application/x-git-upload-pack-advertisement' });
      },
    });
  });
  afterAll(() => server.close());

  it.each<[string, SourceCredentials]>([
    ['a password', { username: 'bob', password: 'hunter2/@' }],
    ['a token', { bearerToken: 'abc"\\d' }],
  ])('gets %s, which stands in no argument, no variable and no file behind', async (_what, credentials) => {
    const { fetch, calls, folder } = setUp();
    await expect(fetch({ url: `${server.url}/x`, ref: { branch: 'gone' } }, credentials)).rejects.toThrow(
      'has no branch gone',
    );
    const secret = credentials.password ?? credentials.bearerToken ?? '';
    expect(JSON.stringify(calls)).not.toContain(JSON.stringify(secret).slice(1, -1));
    expect(readdirSync(join(folder, 'scratch'))).toEqual([]);
  });

  it('refuses a wrong password, which is not repeated', async () => {
    const wrong = setUp().fetch({ url: `${server.url}/x` }, { username: 'bob', password: 'wrong-one' });
    await expect(wrong).rejects.toMatchObject({
      retry: 'retry',
      message: `${server.url}/x refused to let us in; check the Secret that secretRef names`,
    });
  });

  it('refuses who gives none', async () => {
    await expect(setUp().fetch({ url: `${server.url}/x` })).rejects.toThrow('refused to let us in');
  });
});

describe('a server that is not there', () => {
  it('may be there later', async () => {
    await expect(setUp().fetch({ url: 'http://127.0.0.1:1/x' })).rejects.toMatchObject({ retry: 'retry' });
  });
});

describe('a server that answers with a page', () => {
  it('is no repository', async () => {
    const server = await startHttpServer({
      protocol: 'plain',
      handle: (exchange) => exchange.text(200, '<html>hello</html>'),
    });
    await expect(setUp().fetch({ url: `${server.url}/x` })).rejects.toMatchObject({
      name: 'SourceError',
      message: expect.stringContaining(`${server.url}/x`),
    });
    await server.close();
  });
});

describe('credentials', () => {
  it('are part of what a cached commit is kept under', async () => {
    const { fetch, calls } = setUp();
    const ref = { commit: first };
    (await fetch({ ref, path: 'deploy' }, { username: 'a', password: 'one' })).release();
    calls.length = 0;
    (await fetch({ ref, path: 'deploy' }, { username: 'a', password: 'one' })).release();
    expect(calls).toEqual([]);
    (await fetch({ ref, path: 'deploy' })).release();
    expect(calls.length).toBeGreaterThan(0);
  });
});
