import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { configMap } from '../api/object-api.fixture.ts';
import { type Client, clientOf } from '../client.fixture.ts';
import { type Sandbox, startSandbox } from '../start-sandbox.ts';

const PODS = '/api/v1/namespaces/default/pods';
const clock = new FakeClock(1);

let sandbox: Sandbox;
let client: Client;
beforeAll(async () => {
  sandbox = await startSandbox({ clock, token: 'token-of-the-test' });
  client = clientOf(sandbox);
});
afterAll(() => sandbox.close());

async function pod(name: string, image: string, containers = ['app']): Promise<void> {
  const spec = { containers: containers.map((one) => ({ name: one, image })) };
  await client.call('POST', PODS, { metadata: { name }, spec });
  sandbox.settle();
}

async function pass(milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= 100) {
    await clock.advance(100);
    sandbox.settle();
  }
}

async function log(name: string, query = ''): Promise<unknown> {
  const { code, text, json } = await client.call('GET', `${PODS}/${name}/log?${query}`);
  return code === 200 ? text : `${code} ${String(json()['message'])}`;
}

describe('the log of a pod', () => {
  it('is read from where one wants, with times', async () => {
    await pod('slow', 'app:slow');
    expect(await log('slow')).toBe('400 container "app" in pod "slow" is waiting to start: ContainerCreating');
    await pass(31_000);
    expect(await log('slow')).toBe('app starts\napp waits\napp is ready\n');
    expect(await log('slow', 'tailLines=1')).toBe('app is ready\n');
    expect(await log('slow', 'tailLines=0')).toBe('');
    expect(await log('slow', 'sinceSeconds=10')).toBe('app is ready\n');
    expect(await log('slow', 'limitBytes=3')).toBe('app');
    expect(await log('slow', 'timestamps=true&tailLines=1')).toBe('2026-01-01T00:00:30Z app is ready\n');
    expect(await log('slow', 'tailLines=some')).toMatch(/^422 /);
    expect(await log('slow', 'previous=true')).toBe('400 previous terminated container "app" in pod "slow" not found');
  });

  it('of a run before is kept', async () => {
    await pod('crash', 'app:broken');
    await pass(12_000);
    expect(await log('crash')).toBe('app starts\napp waits\n');
    expect(await log('crash', 'previous=true')).toBe('app starts\napp waits\napp ends: Error\n');
  });

  it('is not there for want of an image, a container or a pod', async () => {
    await pod('pull', 'app:missing', ['one', 'two']);
    await pass(2_000);
    expect(await log('pull')).toBe('400 a container name must be specified for pod pull, choose one of: [one two]');
    expect(await log('pull', 'container=three')).toBe('400 container three is not valid for pod pull');
    expect(await log('pull', 'container=two')).toBe(
      '400 container "two" in pod "pull" is waiting to start: trying and failing to pull image',
    );
    expect(await log('none')).toBe('404 pods "none" not found');
  });

  it('is followed until the container ends, or the pod goes', async () => {
    await pod('short', 'app:broken');
    await pass(1_000);
    const ends = client.call('GET', `${PODS}/short/log?follow=true`);
    await pod('long', 'app:1');
    await pass(900);
    const goes = client.call('GET', `${PODS}/long/log?follow=true&tailLines=1`);
    // Both have begun when a later request of the same client is answered.
    await client.call('GET', '/readyz');
    await pass(2_000);
    expect((await ends).text).toBe('app starts\napp waits\napp ends: Error\n');
    await client.call('DELETE', `${PODS}/long?gracePeriodSeconds=1`);
    await pass(1_500);
    expect((await goes).text).toBe('app is ready\n');
  });
});

describe('a read that lags', () => {
  it('shows what was there, and writes are not misled', async () => {
    const maps = '/api/v1/namespaces/default/configmaps';
    const values = async (): Promise<unknown> => {
      const one = (await client.call('GET', `${maps}/m`)).json() as unknown as { data?: unknown; code?: number };
      const { items } = (await client.call('GET', maps)).json() as unknown as {
        items: { metadata: { name: string } }[];
      };
      return [one.data ?? one.code, items.some(({ metadata }) => metadata.name === 'm')];
    };
    await client.call('POST', maps, configMap('m', { a: '1' }));
    await client.call('PUT', `${maps}/m`, configMap('m', { a: '2' }));
    expect(await values()).toEqual([{ a: '2' }, true]);
    sandbox.setFault(({ method }) => (method === 'GET' ? { kind: 'stale', changes: 1 } : undefined));
    expect(await values()).toEqual([{ a: '1' }, true]);
    sandbox.setFault(({ method }) => (method === 'GET' ? { kind: 'stale', changes: 2 } : undefined));
    expect(await values()).toEqual([404, false]);
    expect((await client.call('PUT', `${maps}/m`, configMap('m', { a: '3' }))).code).toBe(200);
    sandbox.setFault(() => undefined);
    expect(await values()).toEqual([{ a: '3' }, true]);
  });
});
