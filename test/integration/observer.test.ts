import { afterAll } from 'vitest';
import { observerLaws } from './observer-laws.ts';
import { type RunningSandbox, runSandbox } from './running-sandbox.ts';

let sandbox: RunningSandbox | undefined;
afterAll(() => sandbox?.close());

observerLaws('the sandbox', async () => {
  sandbox = await runSandbox();
  return sandbox;
});
