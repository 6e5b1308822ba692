import { afterAll } from 'vitest';
import { driftLaws } from './drift-laws.ts';
import { type RunningSandbox, runSandbox } from './running-sandbox.ts';

let sandbox: RunningSandbox | undefined;
afterAll(() => sandbox?.close());

driftLaws('the sandbox', async () => {
  sandbox = await runSandbox();
  return sandbox;
});
