import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installObjects } from '../../src/cli/commands/run-install.ts';
import { API_VERSION, RELEASES } from '../../src/core/api/index.ts';
import { asList, asMap, asString, type JsonMap } from '../../src/core/object/fields.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';
import type { Cluster, ObjectPath } from '../../src/ports/cluster.ts';
import { kubeconfig } from '../../src/sandbox/kubeconfig.ts';
import { type ControlPlane, startControlPlane } from '../../src/sandbox/real/control-plane.ts';
import { at, until } from '../../src/testing/contracts/cluster/law.ts';
import { defineOwnKinds } from '../../src/testing/contracts/own-kinds.contract.ts';
import { ask, connect } from '../integration/contract-target.ts';
import { type RunningOperator, startOperator } from '../integration/running-operator.ts';
import { buildControlPlane } from './build-control-plane.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'convoy-real-operator-'));

let plane: ControlPlane;
let admin: Cluster;
/** Logged in as the service account of the operator. */
let own: Cluster;
let operator: RunningOperator;
const log: string[] = [];

async function apply(object: KubernetesObject, namespace = ''): Promise<void> {
  const [group = '', version = ''] = asString(object['apiVersion']).includes('/')
    ? asString(object['apiVersion']).split('/')
    : ['', asString(object['apiVersion'])];
  const type = await admin.discovery.kind(group, asString(object['kind']), version);
  if (type === undefined) throw new Error(`${asString(object['kind'])} is not served`);
  const metadata = asMap(object['metadata']);
  const where = asString(metadata['namespace']) || namespace;
  const path: ObjectPath = { type, namespace: type.namespaced ? where : '', name: asString(metadata['name']) };
  await admin.apply(path, object, { fieldManager: 'install', force: true });
}

/** Path of a kubeconfig with a token that the API server gives out for the service account. */
async function kubeconfigOfOperator(): Promise<string> {
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
  const answer = await admin.raw('POST', '/api/v1/namespaces/convoy-system/serviceaccounts/convoy/token', request);
  const path = join(folder, 'kubeconfig');
  writeFileSync(path, kubeconfig({ ...plane, token: asString(at(answer, 'status', 'token')) }), { mode: 0o600 });
  return path;
}

beforeAll(async () => {
  plane = await startControlPlane(buildControlPlane(console.log));
  admin = await connect(plane);
  const {
    crds,
    rules,
    rbac,
    operator: workload,
  } = installObjects({
    namespace: 'convoy-system',
    image: 'convoy:test',
    replicas: 2,
    controllers: new Set(['release', 'observer']),
    aggregatedApi: true,
    clusterAdmin: false,
    defaultServiceAccount: undefined,
  });
  for (const object of crds) await apply(object);
  await defineOwnKinds(admin);
  for (const object of [...rbac, ...rules]) await apply(object);
  for (const object of workload.filter(({ kind }) => kind !== 'Service' && kind !== 'APIService')) await apply(object);
  own = await connect({ kubeconfig: await kubeconfigOfOperator() });
  const tell = (fields: object, message: string): number => log.push(`${message} ${JSON.stringify(fields)}`);
  operator = await startOperator(own, 'convoy-system', { cacheDir: join(folder, 'cache') }, 'one', {
    debug: () => {},
    info: () => {},
    warn: tell,
    error: tell,
  });
  const port = operator.ports.get('aggregated API') ?? 0;
  for (const object of workload) {
    // No kube-proxy is there to reach the pods of a Service; a name that is an address needs none.
    if (object.kind === 'Service')
      await apply({ ...object, spec: { type: 'ExternalName', externalName: '127.0.0.1' } });
    if (object.kind !== 'APIService') continue;
    await apply({
      ...object,
      spec: { ...asMap(object['spec']), service: { name: 'convoy', namespace: 'convoy-system', port } },
    });
  }
}, 45 * 60_000);

afterAll(async () => {
  await operator?.stop();
  await own?.close();
  await admin?.close();
  await plane?.down();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

const world = () => ({ cluster: admin, namespace: 'shop', warnings: [], request: ask(plane), forget: async () => {} });

function conditionIs(object: KubernetesObject | undefined, type: string, status: string): boolean {
  return asList(at(object, 'status', 'conditions')).some(
    (one) => at(one, 'type') === type && at(one, 'status') === status,
  );
}

describe('an operator with the rights that `convoy install` grants', () => {
  it('applies a Release in the name of its service account and answers /health and /sync by the API server', async () => {
    await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    await apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'deployer' } }, 'shop');
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }];
    await apply(
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'deployer' }, rules },
      'shop',
    );
    await apply(
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'deployer' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'deployer' },
        subjects: [{ kind: 'ServiceAccount', name: 'deployer', namespace: 'shop' }],
      },
      'shop',
    );
    const objects: JsonMap[] = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '1' } }];
    const healthAssessment = { globalRuleSetSelector: { matchLabels: { 'convoy.kumodo.io/default': 'true' } } };
    await apply(
      {
        apiVersion: API_VERSION,
        kind: 'Release',
        metadata: { name: 'podinfo' },
        spec: { source: { inline: { objects } }, serviceAccountName: 'deployer', healthAssessment },
      },
      'shop',
    );
    const path = { type: RELEASES, namespace: 'shop', name: 'podinfo' };
    await until(
      world(),
      path,
      (object) => conditionIs(object, 'Ready', 'True') && conditionIs(object, 'Healthy', 'True'),
    ).catch(async (error: unknown) => {
      throw new Error(`${String(error)}\n${JSON.stringify((await admin.get(path))['status'])}\n${log.join('\n')}`);
    });
    const apiService = {
      type: { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' },
      namespace: '',
      name: 'v1alpha1.subresources.convoy.kumodo.io',
    };
    await until(world(), apiService, (object) => conditionIs(object, 'Available', 'True'));
    const root = '/apis/subresources.convoy.kumodo.io/v1alpha1/namespaces/shop/releases/podinfo';
    expect(asMap(await admin.raw('GET', `${root}/health`))).toMatchObject({ summary: { total: 1, healthy: 1 } });
    expect(asMap(await admin.raw('POST', `${root}/sync`))).toMatchObject({ status: 'Success' });
  });

  it('writes nothing that it may not: no request was forbidden', () => {
    expect(log.filter((line) => /forbidden/i.test(line))).toEqual([]);
  });

  it('lets those see health who may, by Kubernetes roles for people', async () => {
    const viewer = admin.as({ user: 'vera', groups: ['system:authenticated'] });
    const path = '/apis/subresources.convoy.kumodo.io/v1alpha1/namespaces/shop/releases/podinfo/health';
    await expect(viewer.raw('GET', path)).rejects.toThrow('forbidden');
    await apply(
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'vera' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: [{ kind: 'User', name: 'vera', apiGroup: 'rbac.authorization.k8s.io' }],
      },
      'shop',
    );
    // Roles that aggregate follow within moments, and the server gives no sign when.
    const limit = AbortSignal.timeout(30_000);
    let answer: unknown;
    while (answer === undefined && !limit.aborted) answer = await viewer.raw('GET', path).catch(() => undefined);
    expect(asMap(answer)['kind']).toBe('ReleaseHealth');
    await expect(viewer.raw('POST', path.replace('health', 'sync'))).rejects.toThrow('forbidden');
  });

  it('shows it as `kubectl convoy release health podinfo` does', async () => {
    // kubectl runs `kubectl-convoy` with the words behind `convoy`.
    symlinkSync(join(import.meta.dirname, '../../bin/convoy'), join(folder, 'kubectl-convoy'));
    const words = ['release', 'health', 'podinfo', '-n', 'shop', '--kubeconfig', plane.kubeconfig];
    const { stdout, stderr } = await run(join(folder, 'kubectl-convoy'), words);
    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /^KIND {7}NAMESPACE {2}NAME {2}STATE {4}SINCE {2}MESSAGE\nConfigMap {2}shop {7}a {5}Healthy/,
    );
    expect(stdout).toContain('release podinfo is Healthy: 1 resources healthy\n');
  });
});
