import { describe, expect, it, onTestFinished } from 'vitest';
import type { Exchange } from '../../testing/http-server/http-server.ts';
import { configFor, serve, TestClock, WHERE } from './client.fixture.ts';
import { connectCluster } from './kube-cluster.ts';

async function client(handle: (exchange: Exchange) => void) {
  const server = await serve({ handle });
  const cluster = connectCluster({ config: configFor(server.url), clock: new TestClock() });
  onTestFinished(() => cluster.close());
  return { server, discovery: cluster.discovery };
}

function resource(name: string, kind: string, more: object = {}) {
  return {
    resource: name,
    responseKind: { group: '', version: '', kind },
    scope: 'Namespaced',
    singularResource: kind.toLowerCase(),
    verbs: ['get', 'list', 'watch'],
    ...more,
  };
}

const group = (name: string, versions: object[]) => ({ metadata: { name }, versions });
const list = (...items: object[]) => ({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items });

const CORE = list(
  group('', [
    {
      version: 'v1',
      freshness: 'Current',
      resources: [
        resource('pods', 'Pod', {
          shortNames: ['po'],
          subresources: [{ subresource: 'log' }, { subresource: 'status' }],
        }),
        resource('events', 'Event', { shortNames: ['ev'] }),
        resource('nodes', 'Node', { scope: 'Cluster' }),
      ],
    },
  ]),
);
const APPS = group('apps', [
  { version: 'v1', resources: [resource('deployments', 'Deployment', { shortNames: ['deploy'] })] },
]);
const EVENTS = group('events.k8s.io', [
  { version: 'v1', resources: [resource('events', 'Event', { shortNames: ['ev'] })] },
]);
const WIDGETS = group('example.test', [
  { version: 'v2', resources: [resource('widgets', 'Widget')] },
  { version: 'v1', resources: [resource('widgets', 'Widget'), resource('gadgets', 'Gadget', { shortNames: ['po'] })] },
]);

function aggregated(groups: () => object[]) {
  return (exchange: Exchange): void => exchange.json(200, exchange.path === '/api' ? CORE : list(...groups()));
}

describe('aggregated discovery', () => {
  it('needs two requests for everything, and none for what is known', async () => {
    const accepted: unknown[] = [];
    const { discovery, server } = await client((exchange) => {
      accepted.push(exchange.headers['accept']);
      aggregated(() => [APPS])(exchange);
    });
    expect(await discovery.kind('', 'Pod')).toEqual({
      group: '',
      version: 'v1',
      resource: 'pods',
      kind: 'Pod',
      namespaced: true,
      verbs: ['get', 'list', 'watch'],
      shortNames: ['po'],
      singular: 'pod',
      subresources: ['log', 'status'],
    });
    expect(await discovery.kind('', 'Node')).toMatchObject({ namespaced: false });
    expect(await discovery.kind('apps', 'Deployment', 'v1')).toBeDefined();
    expect([...server.requests].sort()).toEqual(['GET /api', 'GET /apis']);
    expect(accepted[0]).toMatch(/^application\/json;g=apidiscovery\.k8s\.io;v=v2;as=APIGroupDiscoveryList,/);
  });

  it.each([
    ['pods', 'v1 Pod'],
    ['pod', 'v1 Pod'],
    ['Pod', 'v1 Pod'],
    ['po', 'v1 Pod'],
    ['events', 'v1 Event'],
    ['ev', 'v1 Event'],
    ['events.events.k8s.io', 'events.k8s.io/v1 Event'],
    ['deploy.apps', 'apps/v1 Deployment'],
    ['deployments.v1.apps', 'apps/v1 Deployment'],
    ['widgets', 'example.test/v2 Widget'],
    ['widgets.v1.example.test', 'example.test/v1 Widget'],
    ['po.example.test', 'example.test/v1 Gadget'],
    ['pods.v1.', 'v1 Pod'],
    ['pods.apps', undefined],
    ['nothing', undefined],
  ])('%s means what it means to kubectl', async (name, meant) => {
    const { discovery } = await client(aggregated(() => [APPS, EVENTS, WIDGETS]));
    const found = await discovery.find(name);
    const version = found && (found.group === '' ? found.version : `${found.group}/${found.version}`);
    expect(found && `${version} ${found.kind}`).toBe(meant);
  });

  it('is asked again on a miss: the CustomResourceDefinition may be new', async () => {
    const groups = [APPS];
    const { discovery } = await client(aggregated(() => groups));
    expect(await discovery.kind('example.test', 'Widget')).toBeUndefined();
    groups.push(WIDGETS);
    expect(await discovery.kind('example.test', 'Widget')).toMatchObject({ version: 'v2' });
    expect(await discovery.kind('example.test', 'Widget', 'v1')).toMatchObject({ version: 'v1' });
  });

  it('is asked once by many who miss at the same time', async () => {
    const { discovery, server } = await client(aggregated(() => []));
    await discovery.all();
    await Promise.all(['a', 'b', 'c'].map((name) => discovery.find(name)));
    expect(server.requests).toHaveLength(4);
  });

  it('with one broken group has all others, and says which is broken', async () => {
    const stale = group('metrics.k8s.io', [{ version: 'v1beta1', freshness: 'Stale' }]);
    const { discovery } = await client(aggregated(() => [APPS, stale]));
    expect(await discovery.find('deploy')).toBeDefined();
    expect(await discovery.broken()).toEqual([
      { group: 'metrics.k8s.io', reason: 'the server behind metrics.k8s.io/v1beta1 does not answer' },
    ]);
  });

  it('that fails is no answer, and is asked again the next time', async () => {
    let broken = true;
    const { discovery } = await client((exchange) => {
      if (broken)
        exchange.json(403, { kind: 'Status', code: 403, reason: 'Forbidden', message: 'no discovery for you' });
      else aggregated(() => [])(exchange);
    });
    await expect(discovery.find('pods')).rejects.toThrow(`${WHERE}: no discovery for you; ask for the permission`);
    broken = false;
    expect(await discovery.find('pods')).toBeDefined();
  });
});

describe('discovery of an older server', () => {
  const documents: Record<string, unknown> = {
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': {
      kind: 'APIGroupList',
      groups: [
        {
          name: 'example.test',
          preferredVersion: { version: 'v1' },
          versions: [{ version: 'v2alpha1' }, { version: 'v1' }],
        },
        { name: 'metrics.k8s.io', preferredVersion: { version: 'v1beta1' }, versions: [{ version: 'v1beta1' }] },
        { name: 'page.test', preferredVersion: { version: 'v1' }, versions: [{ version: 'v1' }] },
      ],
    },
    '/api/v1': {
      kind: 'APIResourceList',
      resources: [
        { name: 'pods', singularName: '', namespaced: true, kind: 'Pod', verbs: ['get'], shortNames: ['po'] },
        { name: 'pods/log', singularName: '', namespaced: true, kind: 'Pod', verbs: ['get'] },
      ],
    },
    '/apis/example.test/v1': {
      resources: [{ name: 'widgets', singularName: 'widget', namespaced: false, kind: 'Widget', verbs: [] }],
    },
    '/apis/example.test/v2alpha1': {
      resources: [{ name: 'widgets', singularName: 'widget', namespaced: false, kind: 'Widget', verbs: [] }],
    },
  };

  it('asks each version, prefers what the server prefers, and lives with a group that is broken', async () => {
    const { discovery, server } = await client((exchange) => {
      const document = documents[exchange.path];
      if (exchange.path === '/apis/page.test/v1') exchange.text(502, '<html>Bad gateway');
      else if (document === undefined) exchange.text(503, 'no endpoints\n');
      else exchange.json(200, document);
    });
    expect(await discovery.find('po')).toMatchObject({ kind: 'Pod', subresources: ['log'] });
    expect(await discovery.find('pod')).toMatchObject({ kind: 'Pod' });
    expect(await discovery.kind('example.test', 'Widget')).toMatchObject({ version: 'v1', namespaced: false });
    const broken = await discovery.broken();
    expect(broken.map((one) => one.group)).toEqual(['metrics.k8s.io', 'page.test']);
    expect(broken[0]?.reason).toContain('no endpoints');
    expect(server.requests.filter((request) => request === 'GET /apis/metrics.k8s.io/v1beta1')).toHaveLength(1);
  });
});
