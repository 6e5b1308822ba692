import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_VERSION, readInventory, readRelease } from '../../core/api/index.ts';
import { PrometheusTelemetry, type QueueNumbers } from './prometheus-telemetry.ts';
import { type OperationsServer, serveOperations } from './serve-operations.ts';

function value<Type>(read: { readonly value: Type } | { readonly problem: string }): Type {
  if ('problem' in read) throw new Error(read.problem);
  return read.value;
}

const condition = { lastTransitionTime: '2026-03-02T10:00:00Z', reason: 'Degraded', message: '' };
const release = value(
  readRelease({
    apiVersion: API_VERSION,
    kind: 'Release',
    metadata: { namespace: 'shop', name: 'web' },
    spec: { source: { inline: { manifests: '' } } },
    status: { conditions: [{ ...condition, type: 'Healthy', status: 'False' }] },
  }),
);
const entry = { kind: 'Pod', version: 'v1', resource: 'pods' };
const page = value(
  readInventory({
    apiVersion: API_VERSION,
    kind: 'ReleaseInventory',
    metadata: { namespace: 'shop', name: 'web' },
    spec: {
      release: 'web',
      page: 1,
      entries: [
        { ...entry, name: 'a', state: 'Healthy' },
        { ...entry, name: 'b', state: 'Healthy' },
        { ...entry, name: 'c' },
        { ...entry, name: 'd', state: 'Degraded', hook: 'preSync' },
      ],
    },
  }),
);

const queue: QueueNumbers = { depth: 2, running: 1, delayed: 3, adds: 9, retries: 4 };
const telemetry = new PrometheusTelemetry({
  releases: () => [release],
  inventories: () => [page],
  queues: () => new Map([['releases', queue]]),
});
let problem: string | undefined;
let server: OperationsServer;

beforeAll(async () => {
  const ready = { caches: () => problem };
  server = await serveOperations({ host: '127.0.0.1', port: 0, live: { process: () => undefined }, ready, telemetry });
});
afterAll(() => server.close());

async function get(path: string, method = 'GET'): Promise<readonly [number, string]> {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
  return [response.status, await response.text()];
}

describe('the endpoint for whoever looks after the operator', () => {
  it('says which part does not work', async () => {
    expect(await get('/readyz')).toEqual([200, '[+]process ok\n[+]caches ok\nok\n']);
    problem = 'releases are not listed yet';
    expect(await get('/readyz')).toEqual([
      503,
      '[+]process ok\n[-]caches failed: releases are not listed yet\nfailed\n',
    ]);
    expect((await get('/livez'))[0]).toBe(200);
    problem = undefined;
  });

  it('answers nothing else', async () => {
    expect((await get('/'))[0]).toBe(404);
    expect((await get('/metrics', 'POST'))[0]).toBe(405);
  });
});

describe('metrics', () => {
  it('tell Releases by their conditions, objects by their state, and queues', async () => {
    const [, text] = await get('/metrics');
    const lines = text.split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'convoy_release_info{namespace="shop",name="web",healthy="False",ready="Unknown"} 1',
        'convoy_release_resources{state="Healthy"} 2',
        'convoy_release_resources{state="Unknown"} 1',
        'convoy_release_resources{state="Degraded"} 0',
        'convoy_workqueue_depth{name="releases"} 2',
        'convoy_workqueue_adds_total{name="releases"} 9',
        'convoy_workqueue_retries_total{name="releases"} 4',
      ]),
    );
    expect((await get('/metrics'))[1]).toContain('convoy_workqueue_adds_total{name="releases"} 9\n');
  });

  it('count what is told to them', async () => {
    telemetry.count('convoy_rule_errors_total', { ruleset: 'apps', rule: 'deployment', reason: 'RuleError' }, 2);
    telemetry.count('convoy_watch_restarts_total', {});
    telemetry.observe('convoy_reconcile_seconds', { controller: 'releases', result: 'done' }, 0.02);
    telemetry.observe('convoy_verdict_latency_seconds', {}, 0.2);
    const [, text] = await get('/metrics');
    expect(text).toContain('convoy_rule_errors_total{ruleset="apps",rule="deployment",reason="RuleError"} 2\n');
    expect(text).toContain('convoy_watch_restarts_total 1\n');
    expect(text).toContain('convoy_reconcile_seconds_bucket{le="0.025",controller="releases",result="done"} 1\n');
    expect(text).toContain('convoy_verdict_latency_seconds_bucket{le="0.1"} 0\n');
    expect(text).toContain('convoy_verdict_latency_seconds_bucket{le="0.25"} 1\n');
  });
});
