import { describe, expect, it, onTestFinished } from 'vitest';
import { connectCluster } from '../../src/adapters/kube/index.ts';
import { nodeClock } from '../../src/apps/node-clock.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';
import { History, running, versionsOf } from '../../src/runtime/history.fixture.ts';
import { Informer } from '../../src/runtime/informer.ts';
import { CONFIG_MAPS, configMap } from '../../src/testing/builders.ts';
import { certificates } from '../../src/testing/http-server/certificates.ts';
import { type Exchange, startHttpServer } from '../../src/testing/http-server/http-server.ts';

const HERE = { type: CONFIG_MAPS, namespace: 'default' };
const UNAUTHORIZED = { kind: 'Status', code: 401, reason: 'Unauthorized', message: 'Unauthorized' };

function line(type: string, object: KubernetesObject): string {
  return `${JSON.stringify({ type, object })}\n`;
}

function bookmark(resourceVersion: string): string {
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  return line('BOOKMARK', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { resourceVersion, annotations } });
}

/** A server that takes one token at a time; all its watches end when the token does. */
async function start(answer: (exchange: Exchange, from: string | null) => void) {
  let good = 'first';
  let issued = 'first';
  const watches = new Set<Exchange>();
  const server = await startHttpServer({
    handle: (exchange) => {
      if (exchange.headers['authorization'] !== `Bearer ${good}`) return exchange.json(401, UNAUTHORIZED);
      watches.add(exchange);
      exchange.start();
      answer(exchange, new URL(exchange.path, server.url).searchParams.get('resourceVersion'));
    },
  });
  onTestFinished(() => server.close());
  const cluster = connectCluster({
    clock: nodeClock,
    config: {
      description: 'test',
      server: new URL(server.url),
      namespace: 'default',
      authority: certificates.authority,
      serverName: undefined,
      insecure: false,
      proxy: undefined,
      impersonation: {},
      credentials: {
        current: async () => ({ token: issued, certificate: undefined }),
        refused: () => {
          issued = good;
          return true;
        },
      },
    },
  });
  onTestFinished(() => cluster.close());
  return {
    cluster,
    server,
    /** The token is no longer good; the streams that it opened end, as behind a gateway, or stay, as at the API server. */
    expire: (how: 'cut' | 'end') => {
      good = 'second';
      for (const watch of watches) watch[how]();
    },
  };
}

describe('a token that expires while a watch is open', () => {
  it.each(['cut', 'end'] as const)('loses no event when the stream is %s then', async (how) => {
    const versioned = (name: string, resourceVersion: string) => configMap(name, {}, { resourceVersion, uid: name });
    const { cluster, server, expire } = await start((exchange, from) => {
      if (from === null) exchange.write(line('ADDED', versioned('a', '1')) + bookmark('1'));
      // What happened while nobody could listen.
      else exchange.write(line('ADDED', versioned('b', '2')) + line('DELETED', versioned('a', '3')));
    });
    const informer = new Informer({ cluster, clock: nodeClock, path: HERE });
    const history = new History();
    informer.addHandler(history);
    const gone = new Promise<void>((resolve) => informer.addHandler({ deleted: () => resolve() }));
    const { stop } = running(informer);
    await informer.synced(new AbortController().signal);
    expire(how);
    await gone;
    expect(versionsOf(informer.store.list())).toEqual(['default/b@2']);
    expect(history.breaches).toEqual([]);
    // Two that were let in, and the one with the old token: no new list.
    expect(server.requests.filter((one) => one.includes('sendInitialEvents'))).toHaveLength(1);
    expect(server.requests.filter((one) => one.includes('resourceVersion=1'))).toHaveLength(2);
    await stop();
  });
});
