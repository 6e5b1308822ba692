import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cluster } from '../../src/ports/cluster.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import type { ContractTarget } from '../../src/testing/contracts/cluster.contract.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { ask, connect } from './contract-target.ts';

/** A sandbox whose time the test moves, with a client of the administrator. */
export interface RunningSandbox {
  readonly sandbox: Sandbox;
  readonly cluster: Cluster;
  readonly clock: FakeClock;
  readonly request: ContractTarget['request'];
  close(): Promise<void>;
}

export async function runSandbox(): Promise<RunningSandbox> {
  const folder = mkdtempSync(join(tmpdir(), 'convoy-sandbox-test-'));
  const clock = new FakeClock(1, Date.parse('2026-03-02T10:00:00Z'));
  const sandbox = await startSandbox({ clock, token: 'token-of-the-test' });
  writeFileSync(join(folder, 'kubeconfig'), sandbox.kubeconfig);
  const cluster = await connect({ kubeconfig: join(folder, 'kubeconfig') });
  return {
    sandbox,
    cluster,
    clock,
    request: ask(sandbox),
    close: async () => {
      await cluster.close();
      await sandbox.close();
      rmSync(folder, { recursive: true });
    },
  };
}
