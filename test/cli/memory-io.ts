import type { CliIo } from '../../src/cli/io.ts';
import type { PrepareJudge } from '../../src/cli/judge.ts';
import type { ConnectCluster } from '../../src/cli/live/connection.ts';
import type { RunOperator } from '../../src/cli/operator.ts';
import { runCli } from '../../src/cli/run-cli.ts';
import type { RunSandbox } from '../../src/cli/sandbox.ts';
import { ConvoyError } from '../../src/core/errors/index.ts';
import type { Verdict } from '../../src/core/health/verdict.ts';
import { field } from '../../src/core/object/fields.ts';

/** What a run printed and how it ended. */
export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface World {
  /** Files by path; `-` is stdin. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly isTerminal?: boolean;
  readonly prepareJudge?: PrepareJudge;
  readonly runSandbox?: RunSandbox;
  readonly connectCluster?: ConnectCluster;
  readonly runOperator?: RunOperator;
  /** The clock of the command line; default: it stands at `NOW`. */
  readonly now?: () => number;
  /** Hears talk when it is told. */
  readonly onTalk?: (text: string) => void;
  /** Hears results when they are written. */
  readonly onResult?: (text: string) => void;
}

/** A judge that reads the verdict from the object's `verdict` field, to test all that stands around the rules. */
export const judgeByField: PrepareJudge = async () => ({
  judge: (objects, options) =>
    objects.map((object) => {
      const told = field(object, 'verdict');
      const verdict: Verdict = {
        state: 'Healthy',
        reason: 'AllRulesPass',
        message: '',
        ...(typeof told === 'object' ? told : {}),
      };
      const cause = field(object, 'cause');
      const message = verdict.message
        .replace('NOW', new Date(options.now).toISOString())
        .replace('DEADLINE', String(options.deadline));
      return { verdict: { ...verdict, message }, ...(typeof cause === 'string' ? { cause } : {}) };
    }),
  sets: [],
});

/** Where a test means no cluster: a command that asks for one has misread its arguments. */
export const noCluster: ConnectCluster = async () => {
  throw new Error('this test has no cluster');
};

/** The time of every run that does not give one. */
export const NOW = Date.UTC(2026, 2, 2, 10);

/** Runs a command line in memory. */
export async function run(args: readonly string[], world: World = {}): Promise<Run> {
  const files = world.files ?? {};
  let out = '';
  let err = '';
  const io: CliIo = {
    args,
    environment: world.environment ?? {},
    isTerminal: world.isTerminal ?? false,
    version: '1.2.3',
    now: world.now ?? (() => NOW),
    out: async (text) => {
      out += text;
      world.onResult?.(text);
    },
    err: async (text) => {
      err += text;
      world.onTalk?.(text);
    },
    files: {
      async kindOf(path) {
        if (path in files) return 'file';
        if (Object.keys(files).some((name) => name.startsWith(`${path}/`))) return 'folder';
        throw new ConvoyError('InputNotFound');
      },
      filesBelow: async (folder) =>
        Object.keys(files)
          .filter((name) => name.startsWith(`${folder}/`))
          .reverse(),
      async read(path, limit) {
        const content = files[path] ?? '';
        const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
        if (bytes.length > limit) throw new ConvoyError('InputTooLarge', { size: 'x', limit: 'y' });
        return bytes;
      },
    },
  };
  const code = await runCli(
    io,
    world.prepareJudge ?? judgeByField,
    world.runSandbox ?? (async () => {}),
    world.connectCluster ?? noCluster,
    world.runOperator ?? (async () => {}),
  );
  return { code, out, err };
}
