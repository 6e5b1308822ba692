import { afterAll } from 'vitest';
import { releaseLaws } from './release-laws.ts';
import { type RunningSandbox, runSandbox } from './running-sandbox.ts';

let sandbox: RunningSandbox | undefined;
afterAll(() => sandbox?.close());

releaseLaws('the sandbox', async () => {
  sandbox = await runSandbox();
  return sandbox;
});
