import type { Random } from './random.ts';

/** One thing that strangers' input reaches. `try` runs one input and throws when a law is broken; the input is told as text. */
export interface FuzzTarget {
  readonly name: string;
  /** The law, as the test's title says it. */
  readonly law: string;
  try(random: Random, describe: (input: string) => void): void | Promise<void>;
}
