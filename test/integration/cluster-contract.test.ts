import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { nodeClock } from '../../src/apps/node-clock.ts';
import type { Cluster } from '../../src/ports/cluster.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { clusterContract, readDifferences } from '../../src/testing/contracts/cluster.contract.ts';
import { ask, connect } from './contract-target.ts';

const folder = mkdtempSync(join(tmpdir(), 'convoy-contract-'));
const kubeconfig = join(folder, 'kubeconfig');
const warnings: string[] = [];
let sandbox: Sandbox;
let cluster: Cluster;

beforeAll(async () => {
  sandbox = await startSandbox({ clock: nodeClock, token: 'token-of-the-test' });
  writeFileSync(kubeconfig, sandbox.kubeconfig);
  cluster = await connect({ kubeconfig }, (text) => warnings.push(text));
});

afterAll(async () => {
  await cluster.close();
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

clusterContract({
  name: 'the sandbox',
  cluster: () => cluster,
  warnings,
  request: (path, accept) => ask(sandbox)(path, accept),
  forget: async () => sandbox.api.store.compact(),
  differences: readDifferences(new URL('../../src/testing/contracts/cluster/sandbox-differences.txt', import.meta.url)),
});
