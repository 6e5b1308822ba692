import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';
import type { ControlPlane } from '../../src/sandbox/real/control-plane.ts';

export const GROUP = 'aggregated.convoy.example';
const NAMESPACE = 'default';
const SERVICE = 'aggregated';

/** An API server of one group with one resource, which the real server asks in the name of its callers. */
export interface AggregatedServer {
  /** The Service and the APIService that make it known. */
  readonly objects: readonly KubernetesObject[];
  close(): Promise<void>;
}

const RESOURCES = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${GROUP}/v1`,
  resources: [{ name: 'callers', singularName: 'caller', namespaced: true, kind: 'Caller', verbs: ['get', 'list'] }],
};

function notFound(): { code: number; body: unknown } {
  return { code: 404, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 } };
}

/** Answers who asked: the user and the groups that the front proxy names. */
function answer(path: string, user: string, groups: readonly string[]): { code: number; body: unknown } {
  if (path === `/apis/${GROUP}/v1`) return { code: 200, body: RESOURCES };
  const [, namespace, name] = /^\/apis\/[^/]+\/v1\/namespaces\/([^/]+)\/callers\/([^/]+)$/.exec(path) ?? [];
  if (namespace === undefined) return notFound();
  return {
    code: 200,
    body: { apiVersion: `${GROUP}/v1`, kind: 'Caller', metadata: { name, namespace }, user, groups },
  };
}

/** Starts it on loopback; it believes headers about users only from the front proxy. */
export async function startAggregatedServer({ certificates, folder }: ControlPlane): Promise<AggregatedServer> {
  certificates.authority('aggregated-ca');
  // The name that the real server checks, whatever it dials.
  certificates.leaf('aggregated-ca', 'aggregated', 'serverAuth', [`DNS:${SERVICE}.${NAMESPACE}.svc`]);
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const server = createServer(
    {
      cert: read('aggregated.crt'),
      key: read('aggregated.key'),
      ca: read('front-proxy-ca.crt'),
      requestCert: true,
      rejectUnauthorized: false,
    },
    (request, response) => {
      const socket = request.socket as TLSSocket; // The server is one of HTTPS.
      const trusted = socket.authorized && socket.getPeerCertificate().subject.CN === 'front-proxy-client';
      const user = String(request.headers['x-remote-user'] ?? '');
      const groups = request.headersDistinct['x-remote-group'] ?? [];
      const path = (request.url ?? '').split('?')[0] ?? '';
      const { code, body } = trusted ? answer(path, user, groups) : { code: 401, body: { kind: 'Status', code: 401 } };
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: SERVICE, namespace: NAMESPACE },
    // Endpoints on loopback are refused; a name that is an address is not.
    spec: { type: 'ExternalName', externalName: '127.0.0.1' },
  };
  const apiService = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `v1.${GROUP}` },
    spec: {
      group: GROUP,
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      caBundle: Buffer.from(read('aggregated-ca.crt')).toString('base64'),
      service: { name: SERVICE, namespace: NAMESPACE, port },
    },
  };
  return {
    objects: [service, apiService],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
