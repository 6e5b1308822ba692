import { readFile } from 'node:fs/promises';
import type { Clock } from '../../../ports/clock.ts';
import { type RunProgram, runProgram } from './run-program.ts';

/** What the kubeconfig needs of the machine, handed in so that tests and operators decide it. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Home folder; '' when there is none. */
  readonly home: string;
  readonly clock: Clock;
  /** Whether a person sits at the terminal: exec plugins may then ask for passwords. */
  readonly interactive: boolean;
  /** Rejects with the error of `node:fs`. */
  readFile(path: string): Promise<string>;
  readonly runProgram: RunProgram;
}

/** The surroundings of this machine; only what `adapters` may not touch itself is asked for. */
export function machineSurroundings(
  given: Pick<Surroundings, 'environment' | 'home' | 'clock' | 'interactive'>,
): Surroundings {
  return { ...given, readFile: (path) => readFile(path, 'utf8'), runProgram };
}
