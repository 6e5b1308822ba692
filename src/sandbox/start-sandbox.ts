import type { Clock } from '../ports/clock.ts';
import { tokenAuthentication } from './access/authentication.ts';
import { type Authorise, allowAll } from './access/authorise.ts';
import type { TokenUser } from './access/user.ts';
import type { AggregatedApi } from './aggregation/aggregated-api.ts';
import { type Aggregation, startAggregation } from './aggregation/start-aggregation.ts';
import { ObjectApi } from './api/object-api.ts';
import type { OnDefect } from './controllers/simulation.ts';
import { startControllers } from './controllers/start-controllers.ts';
import { serveDefinitions } from './crd/serve-definitions.ts';
import type { ChooseFault } from './http/faults.ts';
import { Router } from './http/router.ts';
import { startServer } from './http/server.ts';
import { type Access, kubeconfig } from './kubeconfig.ts';
import { Registry } from './resources/registry.ts';
import { Store } from './store/store.ts';
import { loopbackCertificate } from './tls/certificates.ts';

export interface SandboxOptions {
  readonly clock: Clock;
  /** Unpredictable text that clients must show. */
  readonly token: string;
  /** 0 (the default): any free port. */
  readonly port?: number;
  /** How many simulated nodes pods are placed on; default 3. */
  readonly nodes?: number;
  /** Who else has a token. */
  readonly users?: readonly TokenUser[];
  /** API servers of groups of their own, as APIServices bring them into a cluster. */
  readonly aggregated?: readonly AggregatedApi[];
  /** Gets defects of simulated controllers, which go on with what else there is. Without it they end the process. */
  readonly onDefect?: OnDefect;
}

export interface Sandbox extends Access {
  readonly kubeconfig: string;
  readonly api: ObjectApi;
  /** What goes wrong with requests from now on. */
  setFault(choose: ChooseFault): void;
  /** Who may do what from now on; at first everybody with a token may do everything. */
  setAuthoriser(authorise: Authorise): void;
  /** Lets the controllers do all that can be done at this moment. */
  settle(): void;
  close(): Promise<void>;
}

const SYSTEM = { manager: 'convoy-sandbox' };
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

function world(clock: Clock): { now(): number; uid(): string; suffix(): string } {
  const letter = (): string => LETTERS[Math.floor(clock.random() * LETTERS.length)] ?? '';
  const word = (): string =>
    Math.floor(clock.random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  return {
    now: () => clock.now(),
    // Version 4 of RFC 9562.
    uid: () => {
      const [a, b, c, d] = [word(), word(), word(), word()];
      return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-a${c.slice(1, 4)}-${c.slice(4)}${d}`;
    },
    suffix: () => letter() + letter() + letter() + letter() + letter(),
  };
}

/** Starts an API server in the process, with the namespaces and the storage class that every cluster has. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { clock, token, port = 0, nodes = 3, users = [], aggregated = [], onDefect } = options;
  const registry = new Registry();
  const api = new ObjectApi(new Store(), registry, world(clock));
  serveDefinitions(api);
  const stopped = new AbortController();
  const after = (milliseconds: number, run: () => void): (() => void) => {
    const cancelled = new AbortController();
    const signal = AbortSignal.any([cancelled.signal, stopped.signal]);
    // Rejects only when it is cancelled.
    clock.sleep(milliseconds, signal).then(run, () => {});
    return () => cancelled.abort();
  };
  const certificate = loopbackCertificate(clock.now());
  const aggregation: Aggregation = startAggregation(api, { now: clock.now(), certificate, after });
  const controllers = startControllers(api, { clock, nodes, authority: certificate.certificate, onDefect });
  seed(api);
  aggregation.publish();
  let chooseFault: ChooseFault = () => undefined;
  let authorise: Authorise = allowAll;
  const access = {
    ...tokenAuthentication(token, users, () => clock.now()),
    resources: () => registry.all(),
    authorise: (...asked: Parameters<Authorise>) => authorise(...asked),
  };
  const { aggregator } = aggregation;
  const router = new Router({ api, aggregator, access, after, readLog: controllers.readLog });
  const server = await startServer(
    { router, aggregator, clock, access, certificate, chooseFault: (request) => chooseFault(request) },
    port,
  );
  const close = async (): Promise<void> => {
    stopped.abort();
    controllers.stop();
    await Promise.all([aggregation.close(), server.close()]);
  };
  try {
    await aggregation.serve(aggregated);
  } catch (error) {
    await close();
    throw error;
  }
  const reach = { url: `https://127.0.0.1:${server.port}`, token, authority: certificate.certificate };
  return {
    ...reach,
    kubeconfig: kubeconfig(reach),
    api,
    setFault: (choose) => {
      chooseFault = choose;
    },
    setAuthoriser: (next) => {
      authorise = next;
    },
    settle: () => controllers.settle(),
    close,
  };
}

function seed(api: ObjectApi): void {
  const create = (apiVersion: string, kind: string, object: Record<string, unknown>): void => {
    const resource = api.registry.byKind(apiVersion, kind);
    if (resource !== undefined) api.create(resource, '', { apiVersion, kind, ...object }, SYSTEM);
  };
  for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) {
    create('v1', 'Namespace', { metadata: { name, labels: { 'kubernetes.io/metadata.name': name } } });
  }
  create('storage.k8s.io/v1', 'StorageClass', {
    metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'sandbox.convoy.kumodo.io/simulated',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
  });
}
