import { beforeEach, describe, expect, it } from 'vitest';
import type { Release } from '../core/api/index.ts';
import { readRelease } from '../core/api/index.ts';
import type { Cluster } from '../ports/cluster.ts';
import { TransportError } from '../ports/errors.ts';
import { resourceType } from '../testing/builders.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { MemoryCluster } from '../testing/memory-cluster/memory-cluster.ts';
import { ClusterTargets } from './targets.ts';

const SECRETS = resourceType({ kind: 'Secret' });

let clock: FakeClock;
let home: MemoryCluster;
let made: { kubeconfig: string; closed: boolean }[];
let subjects: string[];
let targets: ClusterTargets;

/** Notes whom it is asked to act as. */
function acting(cluster: MemoryCluster): MemoryCluster {
  const port: Cluster = cluster;
  port.as = ({ user }) => {
    subjects.push(user);
    return new MemoryCluster({ clock });
  };
  return cluster;
}

function connection(kubeconfig: string): Cluster {
  const entry = { kubeconfig, closed: false };
  made.push(entry);
  const cluster = acting(new MemoryCluster({ clock }));
  cluster.close = async () => {
    entry.closed = true;
  };
  return cluster;
}

function release(spec: Readonly<Record<string, unknown>> = {}): Release {
  const read = readRelease({ metadata: { name: 'web', namespace: 'shop' }, spec: { source: {}, ...spec } });
  if ('problem' in read) throw new Error(read.problem);
  return read.value;
}

async function secret(data: Readonly<Record<string, string>>): Promise<void> {
  const encoded = Object.fromEntries(
    Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  );
  const path = { type: SECRETS, namespace: 'shop', name: 'prod' };
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'prod', namespace: 'shop' }, data: encoded };
  await home.apply(path, object, { fieldManager: 'test' });
}

const REMOTE = { target: { kubeConfig: { secretRef: { name: 'prod' } } } };

beforeEach(() => {
  clock = new FakeClock();
  home = acting(new MemoryCluster({ clock, types: [SECRETS] }));
  made = [];
  subjects = [];
  targets = new ClusterTargets({
    clock,
    home,
    connect: async (kubeconfig, where) => {
      if (kubeconfig === 'bad') throw new TransportError('credentials', `${where}: no clusters; mend it`);
      return connection(kubeconfig);
    },
  });
});

describe('a Release without a kubeconfig', () => {
  it('has the home cluster as its target', async () => {
    const target = await targets.of(release());
    expect(target).toMatchObject({ key: 'home', home: true, actsAs: '' });
    expect(target.cluster).toBe(home);
  });

  it('acts as its service account, and reads as the operator', async () => {
    const target = await targets.of(release({ serviceAccountName: 'deployer' }));
    expect(target.actsAs).toBe('system:serviceaccount:shop:deployer');
    expect(subjects).toEqual(['system:serviceaccount:shop:deployer']);
    expect(target.reader).toBe(home);
    expect(target.cluster).not.toBe(home);
  });
});

describe('a Release with a kubeconfig', () => {
  it('has its own client for each version of the Secret; the old one ends when its last requests have', async () => {
    await secret({ value: 'first' });
    const first = await targets.of(release(REMOTE));
    expect((await targets.of(release(REMOTE))).cluster).toBe(first.cluster);
    await secret({ value: 'second' });
    const second = await targets.of(release(REMOTE));
    expect(second.key).not.toBe(first.key);
    expect(made).toMatchObject([
      { kubeconfig: 'first', closed: false },
      { kubeconfig: 'second', closed: false },
    ]);
    await clock.advance(120_000);
    expect(made.map(({ closed }) => closed)).toEqual([true, false]);
  });

  it('acts there as its service account, by the same connection', async () => {
    await secret({ value: 'first' });
    const target = await targets.of(release({ ...REMOTE, serviceAccountName: 'deployer' }));
    expect([made.length, subjects]).toEqual([1, ['system:serviceaccount:shop:deployer']]);
    expect(target.cluster).not.toBe(target.reader);
  });

  it('finds it under `value.yaml` too, or under the key that is named', async () => {
    await secret({ 'value.yaml': 'one', mine: 'two' });
    await targets.of(release(REMOTE));
    await targets.of(release({ target: { kubeConfig: { secretRef: { name: 'prod', key: 'mine' } } } }));
    expect(made.map(({ kubeconfig }) => kubeconfig)).toEqual(['one', 'two']);
  });

  it('that is not there is told with what to mend', async () => {
    await expect(targets.of(release(REMOTE))).rejects.toMatchObject({
      fault: 'KubeConfigMissing',
      message: 'Secret shop/prod is not there; create it, or mend spec.target.kubeConfig',
    });
    await secret({ other: 'x' });
    await expect(targets.of(release(REMOTE))).rejects.toMatchObject({
      message: 'Secret shop/prod has no key value nor value.yaml; write the kubeconfig there',
    });
  });

  it('that cannot be used is told, and read anew the next time', async () => {
    await secret({ value: 'bad' });
    const message = 'Secret shop/prod: no clusters; mend it';
    await expect(targets.of(release(REMOTE))).rejects.toMatchObject({ fault: 'KubeConfigInvalid', message });
    await secret({ value: 'good' });
    expect((await targets.of(release(REMOTE))).home).toBe(false);
  });
});
