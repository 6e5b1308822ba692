import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { nodeClock } from '../../src/apps/node-clock.ts';
import type { Cluster } from '../../src/ports/cluster.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { ownKindsContract } from '../../src/testing/contracts/own-kinds.contract.ts';
import { connect } from './contract-target.ts';

const folder = mkdtempSync(join(tmpdir(), 'convoy-own-kinds-'));
let sandbox: Sandbox;
let cluster: Cluster;

beforeAll(async () => {
  sandbox = await startSandbox({ clock: nodeClock, token: 'token-of-the-test' });
  writeFileSync(join(folder, 'kubeconfig'), sandbox.kubeconfig);
  cluster = await connect({ kubeconfig: join(folder, 'kubeconfig') });
});

afterAll(async () => {
  await cluster.close();
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

ownKindsContract('the sandbox', () => cluster);
