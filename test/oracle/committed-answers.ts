import { readFileSync, writeFileSync } from 'node:fs';
import type { Answer } from './compare.ts';

/** What was asked: `count` expressions of `seed`, in each of `modes`. */
export const COMMITTED = { count: 1_000, seed: 1, modes: ['1.28', '1.36'] } as const;

const fileOf = (mode: string): URL => new URL(`answers-${mode}.jsonl`, import.meta.url);

/** The reference's answers as they were when a Go toolchain was at hand, one a line. */
export function readAnswers(mode: string): readonly Answer[] {
  return readFileSync(fileOf(mode), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

export function writeAnswers(mode: string, answers: readonly Answer[]): void {
  writeFileSync(fileOf(mode), `${answers.map((answer) => JSON.stringify(answer)).join('\n')}\n`);
}
