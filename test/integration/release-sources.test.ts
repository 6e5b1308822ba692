import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeClock } from '../../src/apps/node-clock.ts';
import { API_VERSION, RELEASES } from '../../src/core/api/index.ts';
import { asList, type JsonMap } from '../../src/core/object/fields.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';
import type { Cluster } from '../../src/ports/cluster.ts';
import { skipReason, toolPath } from '../../src/sandbox/kubectl.fixture.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { at, until } from '../../src/testing/contracts/cluster/law.ts';
import { defineOwnKinds } from '../../src/testing/contracts/own-kinds.contract.ts';
import { LAYER, startOciRegistry, type TestRegistry } from '../../src/testing/oci-registry.ts';
import { tarGzip } from '../../src/testing/tar-archive.ts';
import { ask, connect } from './contract-target.ts';
import { type RunningOperator, startOperator } from './running-operator.ts';

const helm = toolPath('helm');
const kubectl = toolPath('kubectl');
if (helm === undefined || kubectl === undefined)
  console.log(`charts and kustomizations of Releases: skipped, ${skipReason('helm')}`);

const folder = mkdtempSync(join(tmpdir(), 'convoy-release-sources-'));
const path = process.env['PATH'] ?? '';
const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
let sandbox: Sandbox;
let cluster: Cluster;
let operator: RunningOperator;
let registry: TestRegistry;

beforeAll(async () => {
  registry = await startOciRegistry();
  sandbox = await startSandbox({ clock: nodeClock, token: 'token-of-the-test' });
  writeFileSync(join(folder, 'kubeconfig'), sandbox.kubeconfig);
  cluster = await connect({ kubeconfig: join(folder, 'kubeconfig') });
  await defineOwnKinds(cluster);
  // The operator looks for its programs as any process does.
  if (helm !== undefined) process.env['PATH'] = `${dirname(helm)}${delimiter}${path}`;
  operator = await startOperator(cluster, 'default', { cacheDir: join(folder, 'cache') });
});
afterAll(async () => {
  process.env['PATH'] = path;
  await operator.stop();
  await cluster.close();
  await sandbox.close();
  await registry.close();
  rmSync(folder, { recursive: true, force: true });
});

const configMap = (name: string, text: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {text: ${text}}\n`;

const world = () => ({ cluster, namespace: 'default', warnings: [], request: ask(sandbox), forget: async () => {} });

function release(name: string, spec: JsonMap): Promise<KubernetesObject> {
  const syncPolicy = { interval: '1s', retryInterval: '1s' };
  const object = { apiVersion: API_VERSION, kind: 'Release', metadata: { name }, spec: { syncPolicy, ...spec } };
  return cluster.create({ type: RELEASES, namespace: 'default' }, object);
}
/** Waits until a ConfigMap has a text. */
function untilText(name: string, text: string): Promise<void> {
  const path = { type: CONFIG_MAPS, namespace: 'default', name };
  return until(world(), path, (object) => at(object, 'data', 'text') === text);
}
/** Waits for the Ready condition of a Release: `STATUS REASON: MESSAGE`. */
function untilReady(name: string, fits: (condition: string) => boolean): Promise<void> {
  return until(world(), { type: RELEASES, namespace: 'default', name }, (object) => {
    const condition = asList(at(object, 'status', 'conditions')).find((one) => at(one, 'type') === 'Ready');
    return fits(`${at(condition, 'status')} ${at(condition, 'reason')}: ${at(condition, 'message')}`);
  });
}

describe('a Release of an artifact', () => {
  const push = (tag: string, text: string) =>
    registry.push('team/app', tag, [
      { mediaType: LAYER, bytes: tarGzip({ 'a.yaml': configMap('of-artifact', text) }) },
    ]);

  it('is applied, and applied anew when its tag moves', async () => {
    const first = push('stable', 'one');
    await release('artifact', { source: { oci: { url: `${registry.url}/team/app`, tag: 'stable' } } });
    await untilText('of-artifact', 'one');
    const second = push('stable', 'two');
    await untilText('of-artifact', 'two');
    const applied = { type: RELEASES, namespace: 'default', name: 'artifact' };
    await until(world(), applied, (object) => at(object, 'status', 'lastApplied', 'revision') === `stable@${second}`);
    expect(first).not.toBe(second);
  });

  it('tells in its condition why it cannot be read, and goes on when that is mended', async () => {
    registry.push('team/late', '1.0.0', []);
    await release('late', { source: { oci: { url: `${registry.url}/team/late`, semver: '^7' } } });
    const message = `False SourceFailed: ${registry.url}/team/late has no tag in the range ^7; check semver`;
    await untilReady('late', (condition) => condition === message);
    registry.push('team/late', '7.0.0', [
      { mediaType: LAYER, bytes: tarGzip({ 'a.yaml': configMap('late', 'seven') }) },
    ]);
    await untilText('late', 'seven');
  });

  it.skipIf(kubectl === undefined)('may be laid over by Kustomize', async () => {
    registry.push('team/base', 'v1', [
      {
        mediaType: LAYER,
        bytes: tarGzip({
          'base/a.yaml': configMap('plain', 'base'),
          'base/kustomization.yaml': 'resources: [a.yaml]\n',
        }),
      },
    ]);
    const kustomize = { path: 'base', namePrefix: 'over-' };
    await release('kustomized', { source: { oci: { url: `${registry.url}/team/base`, tag: 'v1' } }, kustomize });
    await untilText('over-plain', 'base');
  });
});

describe.skipIf(helm === undefined)('a Release of a chart', () => {
  it('is rendered with the values of its Secrets, and fails in one line', async () => {
    const files = {
      'shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.2.0\n',
      'shop/templates/a.yaml': configMap('{{ .Release.Name }}-config', '{{ required "text is needed" .Values.text }}'),
    };
    registry.push('charts/shop', '1.2.0', [
      { mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', bytes: tarGzip(files) },
    ]);
    const chart = { chart: 'shop', version: '^1', repo: { url: `${registry.url}/charts` } };
    await release('no-text', { source: { helm: chart } });
    await untilReady('no-text', (condition) =>
      condition.startsWith('False RenderFailed: helm: execution error at (shop/templates/a.yaml'),
    );
    const secrets = { group: '', version: 'v1', resource: 'secrets' };
    const data = { 'values.yaml': Buffer.from('text: from-a-secret').toString('base64') };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'shop-values' }, data };
    await cluster.create({ type: secrets, namespace: 'default' }, secret);
    await release('chart', { source: { helm: { ...chart, valuesFrom: [{ kind: 'Secret', name: 'shop-values' }] } } });
    await untilText('chart-config', 'from-a-secret');
  });
});
