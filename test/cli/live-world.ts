import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectByKubeconfig } from '../../src/apps/connect-cluster.ts';
import { catalogue } from '../../src/catalogue/index.ts';
import { prepareJudge } from '../../src/cli/prepare-judge.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { type Run, run, type World } from './memory-io.ts';

type Json = Record<string, unknown>;

/** A sandbox on a clock of the test, and the command line on it. */
export interface LiveWorld {
  readonly sandbox: Sandbox;
  readonly clock: FakeClock;
  readonly kubeconfig: string;
  /** What the report calls the cluster. */
  readonly description: string;
  /** Runs a command line with the kubeconfig of the sandbox, the rules of the catalogue, and files if given. */
  run(args: readonly string[], world?: World): Promise<Run>;
  /** Creates an object of a built-in kind. */
  create(object: Json, namespace?: string): void;
  change(kind: string, name: string, change: (draft: Json) => void): void;
  /** Writes the status of an object, as its controller does. */
  setStatus(kind: string, name: string, status: Json): void;
  remove(kind: string, name: string): void;
  /** Lets the controllers work while so many ms pass. */
  pass(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

const BY = { manager: 'test' };

export async function liveWorld(): Promise<LiveWorld> {
  // The certificate of the sandbox has to be valid for the real clock of the client.
  const clock = new FakeClock(1, Date.now());
  const sandbox = await startSandbox({ clock, token: 'token-of-the-test' });
  const folder = mkdtempSync(join(tmpdir(), 'convoy-live-'));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, sandbox.kubeconfig);
  const resourceOf = (kind: string) => {
    const found = sandbox.api.registry.all().find((one) => one.kind === kind);
    if (found === undefined) throw new Error(`${kind} is not served`);
    return found;
  };
  const spaceOf = (kind: string, namespace = 'default'): string => (resourceOf(kind).namespaced ? namespace : '');
  return {
    sandbox,
    clock,
    kubeconfig,
    description: `context "convoy-sandbox", cluster "convoy-sandbox" (${sandbox.url})`,
    run: (args, world = {}) =>
      run([...args, '--kubeconfig', kubeconfig], {
        prepareJudge: (documents) => prepareJudge(documents, catalogue()),
        connectCluster: connectByKubeconfig,
        now: () => clock.now(),
        ...world,
      }),
    create: (object, namespace) => {
      const kind = String(object['kind']);
      sandbox.api.create(resourceOf(kind), spaceOf(kind, namespace), object, BY);
    },
    change: (kind, name, change) => {
      sandbox.api.change(resourceOf(kind), spaceOf(kind), name, (draft) => void change(draft), BY);
    },
    setStatus: (kind, name, status) => {
      const options = { ...BY, subresource: 'status' };
      sandbox.api.change(
        resourceOf(kind),
        spaceOf(kind),
        name,
        (draft) => void Object.assign(draft, { status }),
        options,
      );
    },
    remove: (kind, name) => {
      sandbox.api.remove(resourceOf(kind), spaceOf(kind), name, { propagation: 'Background' });
    },
    pass: async (milliseconds) => {
      sandbox.settle();
      for (let left = milliseconds; left > 0; left -= 100) {
        await clock.advance(Math.min(100, left));
        sandbox.settle();
      }
    },
    close: async () => {
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A Deployment; its image decides what becomes of it. */
export function deployment(name: string, image = 'app:1', replicas = 1): Json {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image }] } },
    },
  };
}
