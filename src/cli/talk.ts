import { formatProblem, type ManifestProblem } from '../manifests/index.ts';
import { EXIT } from './exit-code.ts';
import type { CliIo } from './io.ts';

/** Lines of problems that are shown; the first one is what a person mends first. */
const MOST_SHOWN = 10;

/** Problems as lines. */
export function formatProblems(problems: readonly ManifestProblem[]): readonly string[] {
  return problems.map(formatProblem);
}

/** Tells what cannot be read, a line each. Returns the exit code. */
export async function refuse(io: CliIo, problems: readonly ManifestProblem[]): Promise<number> {
  return refuseLines(io, formatProblems(problems));
}

/** Tells lines about what cannot be read, the first ten of many. Returns the exit code. */
export async function refuseLines(io: CliIo, lines: readonly string[]): Promise<number> {
  const shown = lines.slice(0, MOST_SHOWN);
  if (lines.length > MOST_SHOWN) shown.push(`and ${lines.length - MOST_SHOWN} more problems`);
  await io.err(shown.map((line) => `${line}\n`).join(''));
  return EXIT.unreadable;
}

/** Whether results may be in colour. */
export function mayColour({ isTerminal, environment }: CliIo): boolean {
  // https://no-color.org: set and not empty.
  return isTerminal && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
}
