/** Writes docs/errors.md from the error table. A test fails when the file and the table differ. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS, type ErrorKind } from '../src/core/errors/index.ts';

const RETRY: Readonly<Record<ErrorKind['retry'], string>> = {
  retry: 'tried again',
  terminal: 'not tried again',
  wait: 'waits for something else',
};

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\{(\w+)\}/g, (_, name: string) => `*${name}*`);
}

function row([code, kind]: [string, ErrorKind]): string {
  const { message, mend, retry, httpStatus, exitCode } = kind;
  return `| ${code} | ${cell(message)} | ${cell(mend)} | ${RETRY[retry]} | ${httpStatus} | ${exitCode} |`;
}

/** The whole page. Words in italics are filled in when the error happens. */
export function renderErrorsDoc(): string {
  return `# Errors

Made from \`src/core/errors/errors.ts\` by \`node scripts/generate-errors-doc.ts\`. A message reads
\`FILE: document N, line L: WHAT IS WRONG; MEND\`; words in italics are filled in when it happens.

| code | what is wrong | mend | retry | HTTP | exit code |
|---|---|---|---|---|---|
${Object.entries(ERRORS).map(row).join('\n')}
`;
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, '..', 'docs', 'errors.md'), renderErrorsDoc());
