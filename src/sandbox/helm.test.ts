import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeClock } from '../apps/node-clock.ts';
import { skipReason, type Tools, toolPath, toolsFor } from './kubectl.fixture.ts';
import { type Sandbox, startSandbox } from './start-sandbox.ts';

const here = toolPath('helm') !== undefined;
if (!here) console.log(`helm on the sandbox: skipped, ${skipReason('helm')}`);

const TEMPLATE = `
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}}
spec: {selector: {app: {{ .Release.Name }}}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
spec:
  replicas: 2
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec: {containers: [{name: app, image: "app:{{ .Values.tag }}", ports: [{containerPort: 80}]}]}
`;

function writeChart(folder: string): string {
  const chart = join(folder, 'shop');
  mkdirSync(join(chart, 'templates'), { recursive: true });
  writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: shop\nversion: 1.0.0\n');
  writeFileSync(join(chart, 'values.yaml'), 'tag: "1"\n');
  writeFileSync(join(chart, 'templates', 'all.yaml'), TEMPLATE);
  return chart;
}

describe.skipIf(!here)('helm on the sandbox', () => {
  let sandbox: Sandbox;
  let tools: Tools;
  beforeAll(async () => {
    sandbox = await startSandbox({ clock: nodeClock, token: 'token-of-the-test' });
    tools = toolsFor(sandbox.kubeconfig);
  });
  afterAll(async () => {
    await sandbox.close();
    tools.remove();
  });

  const helm = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await tools.run('helm', args);
    return code === 0 ? out : `failed: ${err}`;
  };
  const image = (): unknown => {
    const [deployment] = sandbox.api.store.all('apps/deployments', 'default');
    return JSON.stringify(deployment?.['spec']).match(/app:\w+/)?.[0];
  };

  it('installs, upgrades, notices what does not work, rolls back and uninstalls, waiting each time', async () => {
    const chart = writeChart(tools.folder);
    const wait = ['--wait', '--timeout', '20s'];
    expect(await helm('install', 'shop', chart, ...wait)).toContain('STATUS: deployed');
    expect(await helm('upgrade', 'shop', chart, '--set', 'tag=2', ...wait)).toContain('REVISION: 2');
    expect(image()).toBe('app:2');
    const broken = await helm('upgrade', 'shop', chart, '--set', 'tag=broken', '--wait', '--timeout', '3s');
    expect(broken).toMatch(/^failed: .*not ready/s);
    expect(await helm('rollback', 'shop', '2', ...wait)).toContain('Rollback was a success');
    expect(image()).toBe('app:2');
    expect(await helm('history', 'shop')).toMatch(/^3\s.*failed.*^4\s.*deployed/ms);
    expect(await helm('uninstall', 'shop', ...wait)).toContain('uninstalled');
    expect([...sandbox.api.store.all('apps/deployments')]).toEqual([]);
    expect([...sandbox.api.store.all('/services')]).toEqual([]);
  });
});
