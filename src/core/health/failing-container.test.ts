import { describe, expect, it } from 'vitest';
import { failingContainer } from './failing-container.ts';

type Json = Record<string, unknown>;

function pod(name: string, containers: readonly Json[], owner = 'web'): Json {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop', ownerReferences: [{ kind: 'ReplicaSet', name: owner }] },
    status: { containerStatuses: containers },
  };
}

const ended = (exitCode: number): Json => ({ terminated: { exitCode } });
const replicaSet = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'web', namespace: 'shop' } };
const ready = { name: 'app', ready: true, state: { running: {} } };
const notReady = { name: 'slow', ready: false, state: { running: {} } };
const crashed = { name: 'bad', ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: ended(1) };
const pulling = { name: 'new', ready: false, state: { waiting: { reason: 'ImagePullBackOff' } } };

describe('the container whose log is worth reading', () => {
  it('is the one that ended badly, in whichever pod; its log is that of the run before', () => {
    const objects = [pod('web-1', [ready, notReady]), pod('web-2', [ready, crashed])];
    expect(failingContainer(replicaSet, objects)).toEqual({
      namespace: 'shop',
      pod: 'web-2',
      container: 'bad',
      previous: true,
    });
  });

  it('is one that runs and is not ready, where none ended', () => {
    const found = failingContainer(replicaSet, [pod('web-1', [ready, notReady])]);
    expect(found).toMatchObject({ container: 'slow', previous: false });
  });

  it('is one of the pod itself', () => {
    const one = pod('web-1', [{ name: 'done', state: ended(3) }]);
    expect(failingContainer(one, [])).toMatchObject({ pod: 'web-1', container: 'done', previous: false });
  });

  it('is none where all are ready, never ran, or are of others', () => {
    expect(failingContainer(replicaSet, [pod('web-1', [ready, pulling])])).toBeUndefined();
    expect(failingContainer(replicaSet, [pod('api-1', [crashed], 'api')])).toBeUndefined();
  });
});
