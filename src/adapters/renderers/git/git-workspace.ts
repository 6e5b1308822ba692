import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceAddress } from '../../../core/source/index.ts';
import { type SourceCredentials, SourceError } from '../../../ports/renderer.ts';
import type { ProgramCall, ProgramResult } from '../../../ports/source-tools.ts';
import { ProgramError, type RunProgram } from '../../../ports/source-tools.ts';

export interface GitProgram {
  readonly run: RunProgram;
  /** Path or name of the binary. */
  readonly program: string;
  /** PATH, and the variables of a proxy: all that Git sees of our surroundings. */
  readonly env: Readonly<Record<string, string>>;
}

/** Bytes of output of commands that print a few lines. */
const FEW_LINES = 16 << 20;

/** A value in a file of Git's configuration. */
function quoted(value: string): string {
  if (/[\u0000-\u001f]/.test(value)) {
    throw new SourceError(
      'the Secret of the source holds a line break where none may be; write it without',
      'terminal',
    );
  }
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** A value for the shell that reads GIT_SSH_COMMAND. */
function shellWord(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}

async function privateFile(path: string, text: string): Promise<string> {
  await writeFile(path, text.endsWith('\n') ? text : `${text}\n`, { mode: 0o600 });
  return path;
}

/**
 * One folder in which Git runs: with a home, a configuration and credentials of its own. Secrets are in files of this folder
 * (0600), never in arguments. Hooks, templates, prompts, and all protocols but that of the address are off.
 */
export class GitWorkspace {
  readonly folder: string;
  readonly address: SourceAddress;
  readonly #git: GitProgram;
  readonly #signal: AbortSignal;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(
    folder: string,
    address: SourceAddress,
    git: GitProgram,
    env: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) {
    this.folder = folder;
    this.address = address;
    this.#git = git;
    this.#env = env;
    this.#signal = signal;
  }

  static async open(
    folder: string,
    address: SourceAddress,
    credentials: SourceCredentials,
    git: GitProgram,
    signal: AbortSignal,
  ): Promise<GitWorkspace> {
    const config = await privateFile(join(folder, 'config'), await configuration(folder, address, credentials));
    const env: Record<string, string> = {
      ...git.env,
      LC_ALL: 'C',
      HOME: folder,
      TMPDIR: folder,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: config,
      GIT_TERMINAL_PROMPT: '0',
      GIT_ALLOW_PROTOCOL: address.scheme,
    };
    if (address.scheme === 'ssh') env['GIT_SSH_COMMAND'] = await sshCommand(folder, address, credentials);
    return new GitWorkspace(folder, address, git, env, signal);
  }

  get aborted(): boolean {
    return this.#signal.aborted;
  }

  /** @throws SourceError without a Git; the exit code is the caller's to judge */
  async git(args: readonly string[], more: Partial<ProgramCall> = {}): Promise<ProgramResult> {
    try {
      return await this.#git.run(this.#git.program, args, {
        cwd: this.folder,
        env: this.#env,
        signal: this.#signal,
        maxOutput: FEW_LINES,
        ...more,
      });
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      const message =
        error.fault === 'missing'
          ? `git was not found (${this.#git.program}); install it where convoy runs`
          : `${this.address.shown} has more branches, tags or files than may be read`;
      throw new SourceError(message, error.fault === 'missing' ? 'retry' : 'terminal', { cause: error });
    }
  }
}

async function configuration(folder: string, address: SourceAddress, credentials: SourceCredentials): Promise<string> {
  const lines = [
    '[core]',
    'hooksPath = /dev/null',
    'fsmonitor = false',
    '[init]',
    'templateDir = ""',
    'defaultBranch = main',
    '[gc]',
    'auto = 0',
    '[fetch]',
    // Always one pack, so that the cap of the file's size is the cap of the fetch.
    'unpackLimit = 1',
    'recurseSubmodules = false',
    '[credential]',
    'helper = ""',
  ];
  const { protocol, host } = address.url;
  if (protocol === 'file:') lines.push('[safe]', 'directory = *');
  if (credentials.password !== undefined && /^https?:$/.test(protocol)) {
    const { username = 'git', password } = credentials;
    const login = `${protocol}//${encodeURIComponent(username)}:${encodeURIComponent(password)}@${host}`;
    const store = await privateFile(join(folder, 'credentials'), login);
    // Unlike an askpass, the store gives the password to this host alone, wherever a redirect leads.
    lines.push(`helper = ${quoted(`store --file=${shellWord(store)}`)}`);
  }
  if (credentials.certificateAuthority !== undefined) {
    const file = await privateFile(join(folder, 'ca.crt'), credentials.certificateAuthority);
    lines.push('[http]', `sslCAInfo = ${quoted(file)}`);
  }
  if (credentials.bearerToken !== undefined) {
    lines.push(`[http ${quoted(`${protocol}//${host}/`)}]`);
    lines.push(
      `extraHeader = ${quoted(`Authorization: Bearer ${credentials.bearerToken}`)}`,
      'followRedirects = false',
    );
  }
  return lines.join('\n');
}

async function sshCommand(
  folder: string,
  { shown }: SourceAddress,
  { identity, knownHosts }: SourceCredentials,
): Promise<string> {
  if (identity === undefined || knownHosts === undefined) {
    const key = identity === undefined ? 'identity' : 'known_hosts';
    throw new SourceError(
      `${shown} needs a Secret with identity and known_hosts, named by secretRef; ${key} is missing`,
      'retry',
    );
  }
  const key = await privateFile(join(folder, 'identity'), identity);
  const hosts = await privateFile(join(folder, 'known_hosts'), knownHosts);
  const options = [
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'BatchMode=yes',
    'StrictHostKeyChecking=yes',
    `UserKnownHostsFile=${hosts}`,
    'GlobalKnownHostsFile=/dev/null',
  ].map((option) => `-o ${shellWord(option)}`);
  return ['ssh', '-F', '/dev/null', '-i', shellWord(key), ...options].join(' ');
}
