import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Answer, type Question, UNKNOWN_NAME } from './compare.ts';
import { SUBJECT } from './expressions.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const BINARY = fileURLToPath(new URL('../../.cache/oracle', import.meta.url));

/** Builds the reference from its Go modules; the reason when that is not possible here. */
export function buildReference(): { readonly binary: string } | { readonly unavailable: string } {
  const version = spawnSync('go', ['version'], { encoding: 'utf8' });
  if (version.status !== 0) return { unavailable: 'there is no Go toolchain here' };
  mkdirSync(fileURLToPath(new URL('../../.cache', import.meta.url)), { recursive: true });
  const build = spawnSync('go', ['build', '-o', BINARY, '.'], { cwd: FOLDER, encoding: 'utf8' });
  if (build.status !== 0)
    return { unavailable: `the reference does not build: ${build.stderr.trim().split('\n').at(-1)}` };
  return { binary: BINARY };
}

interface Line {
  readonly value?: unknown;
  readonly error?: string;
  readonly issue?: string;
  readonly cost?: number;
}

/** The reference's answers to expressions over the common subject. Throws when it does not run. */
export function askReference(binary: string, expressions: readonly string[], mode: string): readonly Answer[] {
  const questions = expressions.map((expr) => ({ expr, vars: { obj: SUBJECT } }));
  return ask(binary, questions, mode).map(answerOf);
}

/** The same for expressions over variables of their own; one for which the reference lacks a function is told apart. */
export function askReferenceOf(binary: string, questions: readonly Question[], mode: string): readonly Answer[] {
  return ask(binary, questions, mode).map((line) =>
    line.issue !== undefined && /undeclared reference|found no matching overload/.test(line.issue)
      ? { refused: true, value: UNKNOWN_NAME }
      : answerOf(line),
  );
}

function ask(binary: string, questions: readonly Question[], mode: string): readonly Line[] {
  const input = questions.map(({ expr, vars }, id) => JSON.stringify({ id, expr, mode, vars })).join('\n');
  const run = spawnSync(binary, { input, encoding: 'utf8', maxBuffer: 1 << 30 });
  if (run.status !== 0) throw new Error(`the reference did not run: ${run.error?.message ?? run.stderr}`);
  return run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

function answerOf({ value, error, issue, cost }: Line): Answer {
  // A program that is not built because of an index of the wrong type is told apart: it is a deviation of the ledger.
  if (issue?.startsWith('invalid qualifier type')) return { refused: true, value: 'invalid qualifier type' };
  if (issue !== undefined) return { refused: true };
  if (error !== undefined) return { failed: true };
  return { value, ...(cost === undefined ? {} : { cost }) };
}
