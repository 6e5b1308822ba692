import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectCluster, loadClusterConfig, machineSurroundings } from '../adapters/kube/index.ts';
import { DEMOS } from './demo/demos.ts';
import { afterwards, runDemo } from './demo/run-demo.ts';
import { nodeClock } from './node-clock.ts';
import type { OperatorLog } from './operator/log.ts';
import { operatorWorld } from './operator.ts';

/** Plays a demo on the sandbox of a kubeconfig, with an operator in this process, until the signal aborts. */
export async function playDemo(
  name: string,
  kubeconfig: string,
  tell: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const demo = DEMOS[name];
  if (demo === undefined) throw new Error(`there is no demo ${name}`);
  const folder = mkdtempSync(join(tmpdir(), 'convoy-demo-'));
  const surroundings = machineSurroundings({ environment: {}, home: '', clock: nodeClock, interactive: false });
  const config = await loadClusterConfig({ kubeconfig }, surroundings);
  const cluster = connectCluster({ config, clock: nodeClock, userAgent: 'convoy-operator' });
  // What an operator would write to its log is no part of the story, unless it fails.
  const log: OperatorLog = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (fields, message) => tell(`   operator: ${message} ${JSON.stringify(fields)}`),
  };
  const choice = {
    defaultServiceAccount: undefined,
    insecureKubeconfigExec: false,
    cacheFolder: join(folder, 'cache'),
  };
  try {
    const world = await operatorWorld(cluster, config.namespace, choice, log);
    const story = {
      ...demo,
      play: async (stage: Parameters<typeof demo.play>[0]) => {
        await demo.play(stage);
        tell('');
        for (const line of afterwards(demo, kubeconfig)) tell(line);
      },
    };
    await runDemo({ demo: story, world, clock: nodeClock, cacheFolder: choice.cacheFolder, tell }, signal);
  } finally {
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
