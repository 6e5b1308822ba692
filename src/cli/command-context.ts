import type { Command } from 'commander';
import type { CliIo } from './io.ts';
import type { PrepareJudge } from './judge.ts';
import type { ConnectCluster } from './live/connection.ts';
import type { RunOperator } from './operator.ts';
import type { RunSandbox } from './sandbox.ts';

/** What a command works with. */
export interface CommandContext {
  readonly io: CliIo;
  readonly prepareJudge: PrepareJudge;
  readonly runSandbox: RunSandbox;
  readonly connectCluster: ConnectCluster;
  readonly runOperator: RunOperator;
  /** Ends the command with an exit code; without a call it is 0. */
  exit(code: number): void;
}

/**
 * Adds one command to the program: its flags and help, which every start builds. What it does is imported when it runs, so
 * that a start pays only for the command that was asked for.
 */
export type AddCommand = (program: Command, context: CommandContext) => void;

/** For flags that may be given several times. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}
