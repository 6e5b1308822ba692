import { randomBytes, randomInt } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as requestPlain } from 'node:http';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Access, kubeconfig as kubeconfigText } from '../kubeconfig.ts';
import { CertificateFolder } from './certificates.ts';
import { Component } from './component.ts';

const SERVICE_RANGE = '10.96.0.0/16';
/** They want a cloud, a kubelet or volumes. Without the node lifecycle, a Node that nobody beats for stays as it is. */
const CONTROLLERS_OFF = [
  'node-ipam-controller',
  'node-lifecycle-controller',
  'taint-eviction-controller',
  'device-taint-eviction-controller',
  'persistentvolume-attach-detach-controller',
  'persistentvolume-expander-controller',
];

/** A real control plane: etcd, kube-apiserver and kube-controller-manager, on loopback, without kubelets. */
export interface ControlPlane extends Access {
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** What stands there. */
  readonly kubeconfigText: string;
  /** Token of a user to whom nothing is granted. */
  readonly plainToken: string;
  /** Folder with all its certificates, which its end takes away. */
  readonly certificates: CertificateFolder;
  readonly folder: string;
  /** Ends the API server and starts it again on the same port: its watch cache begins anew, so versions from before are gone. */
  restartApiServer(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  down(): Promise<void>;
}

/** Ports below those that the kernel takes for outgoing connections: no connection takes one between the check and its use. */
const PORTS = { first: 20_000, count: 10_000 };

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = PORTS.first + randomInt(PORTS.count);
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

/** Whether a GET is answered with 200. */
function answers(url: string, options: { readonly ca?: string; readonly token?: string } = {}): Promise<boolean> {
  const { ca, token } = options;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const open = url.startsWith('https:') ? request : requestPlain;
  return new Promise((resolve) => {
    const sent = open(
      url,
      { ...(ca === undefined ? {} : { ca }), agent: false, headers, timeout: 5_000 },
      (response) => {
        response.resume().once('end', () => resolve(response.statusCode === 200));
      },
    );
    sent.once('error', () => resolve(false));
    sent.once('timeout', () => sent.destroy(new Error('no answer')));
    sent.end();
  });
}

function etcdFlags(folder: string, client: string, peer: string): string[] {
  return [
    '--name=test',
    `--data-dir=${join(folder, 'etcd')}`,
    '--log-level=warn',
    '--unsafe-no-fsync',
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=test=${peer}`,
  ];
}

function apiServerFlags(folder: string, etcd: string, port: number): string[] {
  const file = (name: string): string => join(folder, name);
  return [
    `--etcd-servers=${etcd}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--service-cluster-ip-range=${SERVICE_RANGE}`,
    `--tls-cert-file=${file('apiserver.crt')}`,
    `--tls-private-key-file=${file('apiserver.key')}`,
    `--client-ca-file=${file('ca.crt')}`,
    `--token-auth-file=${file('tokens.csv')}`,
    '--authorization-mode=Node,RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${file('sa.pub')}`,
    `--service-account-signing-key-file=${file('sa.key')}`,
    `--requestheader-client-ca-file=${file('front-proxy-ca.crt')}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${file('front-proxy-client.crt')}`,
    `--proxy-client-key-file=${file('front-proxy-client.key')}`,
    // Without it, an open watch keeps a server that is told to end alive for a minute.
    '--shutdown-watch-termination-grace-period=2s',
    '--allow-privileged=true',
    '--profiling=false',
  ];
}

function controllerManagerFlags(folder: string): string[] {
  return [
    `--kubeconfig=${join(folder, 'controller-manager.kubeconfig')}`,
    '--bind-address=127.0.0.1',
    '--secure-port=0',
    '--leader-elect=false',
    '--use-service-account-credentials=true',
    // At its default rate it becomes useful only after 5 s.
    '--kube-api-qps=300',
    '--kube-api-burst=600',
    `--service-account-private-key-file=${join(folder, 'sa.key')}`,
    `--root-ca-file=${join(folder, 'ca.crt')}`,
    `--controllers=*,${CONTROLLERS_OFF.map((name) => `-${name}`).join(',')}`,
  ];
}

/** Writes who may come in, and returns the tokens. */
function writeTokens(folder: string): { admin: string; plain: string; manager: string } {
  const [admin = '', plain = '', manager = ''] = [0, 1, 2].map(() => randomBytes(24).toString('hex'));
  const lines = [
    `${admin},admin,1,"system:masters"`,
    `${plain},plain,2`,
    `${manager},system:kube-controller-manager,3`,
  ];
  writeFileSync(join(folder, 'tokens.csv'), `${lines.join('\n')}\n`, { mode: 0o600 });
  return { admin, plain, manager };
}

/**
 * Starts a control plane from its executable; ready means that Pods may be created in the namespace `default`.
 *
 * @param wantedPort of the API server; 0: any free one
 * @param signal ends what has been started, when it aborts meanwhile
 * @throws ComponentError, an error with the code EADDRINUSE or ENOENT (no openssl), or the reason of the signal
 */
export async function startControlPlane(
  executable: string,
  wantedPort = 0,
  signal?: AbortSignal,
): Promise<ControlPlane> {
  if (wantedPort !== 0 && !(await isFree(wantedPort))) {
    throw Object.assign(new Error(`port ${wantedPort} is taken`), { code: 'EADDRINUSE' });
  }
  const folder = mkdtempSync(join(tmpdir(), 'convoy-control-plane-'));
  const certificates = new CertificateFolder(folder);
  try {
    certificates.makeAll();
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  const tokens = writeTokens(folder);
  const authority = readFileSync(join(folder, 'ca.crt'), 'utf8');
  const [clientPort = 0, peerPort = 0, anyPort = 0] = await freePorts(3);
  const port = wantedPort || anyPort;
  const etcd = `http://127.0.0.1:${clientPort}`;
  const url = `https://127.0.0.1:${port}`;
  const write = (name: string, token: string): string => {
    const path = join(folder, name);
    writeFileSync(path, kubeconfigText({ url, authority, token }), { mode: 0o600 });
    return path;
  };
  const kubeconfig = write('kubeconfig', tokens.admin);
  write('controller-manager.kubeconfig', tokens.manager);
  mkdirSync(join(folder, 'logs'));
  const component = (name: string, flags: string[], ready: () => Promise<boolean>): Component =>
    new Component(name, executable, flags, join(folder, 'logs', `${name}.log`), ready);
  const apiServer = component('kube-apiserver', apiServerFlags(folder, etcd, port), () =>
    answers(`${url}/readyz`, { ca: authority }),
  );
  // Until the ServiceAccount is there, every Pod is refused.
  const account = `${url}/api/v1/namespaces/default/serviceaccounts/default`;
  const components = [
    component('etcd', etcdFlags(folder, etcd, `http://127.0.0.1:${peerPort}`), () => answers(`${etcd}/health`)),
    apiServer,
    component('kube-controller-manager', controllerManagerFlags(folder), () =>
      answers(account, { ca: authority, token: tokens.admin }),
    ),
  ];
  const down = async (): Promise<void> => {
    for (const each of components.toReversed()) await each.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const each of components) await each.start(signal);
  } catch (error) {
    await down();
    throw error;
  }
  return {
    url,
    token: tokens.admin,
    plainToken: tokens.plain,
    authority,
    kubeconfig,
    kubeconfigText: kubeconfigText({ url, authority, token: tokens.admin }),
    certificates,
    folder,
    restartApiServer: async (signal) => {
      await apiServer.stop(signal);
      await apiServer.start();
    },
    down,
  };
}
