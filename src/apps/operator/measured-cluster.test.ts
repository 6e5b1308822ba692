import { describe, expect, it } from 'vitest';
import { type Release, readRelease } from '../../core/api/index.ts';
import type { Cluster, WriteOptions } from '../../ports/cluster.ts';
import type { Target } from '../../ports/targets.ts';
import { SILENT } from '../../ports/telemetry.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { MemoryCluster } from '../../testing/memory-cluster/memory-cluster.ts';
import { measuredTargets } from './measured-cluster.ts';

const CONFIG_MAP = { type: { group: '', version: 'v1', resource: 'configmaps' }, namespace: 'shop', name: 'a' };

function release(): Release {
  const read = readRelease({ metadata: { name: 'web', namespace: 'shop', uid: 'u' }, spec: { source: {} } });
  if ('problem' in read) throw new Error(read.problem);
  return read.value;
}

/** ms that each write through the cluster of a target was given. */
async function limits(writeLimit: number | undefined, given: WriteOptions): Promise<unknown[]> {
  const cluster: Cluster = new MemoryCluster({ clock: new FakeClock(1), types: [] });
  const seen: unknown[] = [];
  cluster.apply = async (_, object, { timeout }) => {
    seen.push(timeout);
    return object;
  };
  const target: Target = { key: 'remote', home: false, reader: cluster, cluster, actsAs: '' };
  const options = { telemetry: SILENT, ...(writeLimit === undefined ? {} : { writeLimit }) };
  const { cluster: measured } = await measuredTargets({ of: async () => target }, options).of(release());
  await measured.apply(CONFIG_MAP, {}, { fieldManager: 'test', ...given });
  return seen;
}

describe('a write on a target cluster', () => {
  it('takes no longer than its writer may act for sure, whatever it asks for', async () => {
    expect(await limits(4_000, {})).toEqual([4_000]);
    expect(await limits(4_000, { timeout: 30_000 })).toEqual([4_000]);
    expect(await limits(4_000, { timeout: 1_000 })).toEqual([1_000]);
  });

  it('takes what it asks for where nobody else may act', async () => {
    expect(await limits(undefined, { timeout: 30_000 })).toEqual([30_000]);
  });
});
