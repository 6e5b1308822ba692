import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { generateSandboxSchemas, SANDBOX_OUTPUT } from './generate-sandbox-schemas.ts';
import { KUBERNETES, moduleFolder } from './generate-schemas.ts';

describe('the schemas of the sandbox that are checked in', () => {
  it('are what the generator makes', (context) => {
    const kubernetes = moduleFolder(KUBERNETES);
    if (kubernetes === undefined) {
      context.skip(`needs Go's module cache to hold ${KUBERNETES}`);
      return;
    }
    // Compared as booleans: a diff of two files of 60 kB says nothing that running the generator does not.
    expect(generateSandboxSchemas(kubernetes) === readFileSync(SANDBOX_OUTPUT, 'utf8')).toBe(true);
  });
});
