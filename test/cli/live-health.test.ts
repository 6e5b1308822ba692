import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployment, type LiveWorld, liveWorld } from './live-world.ts';
import { run } from './memory-io.ts';

let world: LiveWorld;
beforeAll(async () => {
  world = await liveWorld();
  const { create } = world;
  create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  create(deployment('web'));
  create(deployment('api', 'app:broken'));
  create(deployment('cart', 'app:1'), 'shop');
  create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } });
  await world.pass(20_000);
});
afterAll(() => world.close());

describe('convoy health on a cluster', () => {
  it('tells that a Deployment is healthy', async () => {
    expect(await world.run(['health', 'deploy/web'])).toEqual({
      code: 0,
      out: 'STATE    KIND        NAMESPACE  NAME  MESSAGE\nHealthy  Deployment  default    web\n1 object: 1 healthy\n',
      err: '',
    });
  });

  it('tells why one is not, from its pods', async () => {
    const { code, out, err } = await world.run(['health', 'deployments', 'api', 'web']);
    expect(out).toMatch(/Progressing +Deployment +default +api +0\/1 replicas ready.*: pod api-\S+ CrashLoopBackOff/);
    expect(out).toContain('2 objects: 1 progressing, 1 healthy\n');
    expect([code, err]).toEqual([1, '']);
  });

  it('names the cluster as the source, and what is not there as NotFound', async () => {
    const { code, out } = await world.run(['health', 'deploy/none', 'deploy.apps/web', '-o', 'json']);
    const { items } = JSON.parse(out);
    expect(
      items.map((item: Record<string, unknown>) => [item['name'], item['state'], item['reason'], item['message']]),
    ).toEqual([
      ['web', 'Healthy', 'AllRulesPass', ''],
      ['none', 'Unknown', 'NotFound', 'there is no Deployment "none" in namespace default'],
    ]);
    expect(items[0].source).toBe(world.description);
    expect(code).toBe(1);
  });

  it('takes all objects of a type, of a namespace or all, and asks for each once', async () => {
    const names = async (...args: string[]): Promise<string> =>
      (await world.run(['health', ...args, '-o', 'jsonpath={.items[*].name}'])).out;
    expect(await names('deploy')).toBe('api web');
    expect(await names('deploy', '-n', 'shop')).toBe('cart');
    expect(await names('deployment', '-A')).toBe('api web cart');
    expect(await names('deploy/web', 'deployments.apps/web')).toBe('web');
    expect(await names('deploy', '-l', 'app=web')).toBe('web');
    expect(await names('ns')).toContain('shop');
  });

  it('takes every kind that has a rule with -l or --all-kinds', async () => {
    const kinds = async (...args: string[]): Promise<string[]> => {
      const { out } = await world.run(['health', ...args, '-o', 'jsonpath={.items[*].kind}']);
      return [...new Set(out.split(' '))].sort();
    };
    expect(await kinds('-l', 'app=web')).toEqual(['Deployment', 'Pod', 'ReplicaSet']);
    expect(await kinds('--all-kinds', '-n', 'shop')).toEqual(['Deployment', 'Pod', 'ReplicaSet']);
    expect(await kinds('--all-kinds', '-A')).toEqual(expect.arrayContaining(['Namespace', 'Pod']));
    expect(await kinds('--all-kinds', '-A')).not.toContain('ConfigMap');
  });

  it('says where it looked when there is nothing', async () => {
    expect(await world.run(['health', 'jobs', '-n', 'shop'])).toEqual({
      code: 0,
      out: '0 objects\n',
      err: `no objects to judge in namespace shop of ${world.description}\n`,
    });
  });

  it.each<[string, string[], RegExp]>([
    [
      'a type that is not served',
      ['deployx/web'],
      /^convoy: context "convoy-sandbox".* serves no "deployx"; did you mean deploy\?\n$/,
    ],
    ['a type without a neighbour', ['zzzzzzzzz'], /serves no "zzzzzzzzz"; see `kubectl api-resources`\n$/],
    [
      'a context that is not there',
      ['deploy', '--context', 'x'],
      /no context "x" \(it holds convoy-sandbox\); name another by/,
    ],
  ])('tells %s in one line', async (_, args, line) => {
    const { code, out, err } = await world.run(['health', ...args]);
    expect(err).toMatch(line);
    expect([code, out, err.trimEnd().includes('\n')]).toEqual([2, '', false]);
  });
});

describe('--logs', () => {
  it('shows the last lines of the container that fails, behind the table', async () => {
    const { code, out, err } = await world.run(['health', 'deploy', '--logs']);
    expect(out).toMatch(
      /healthy\n\nLog of pod default\/api-\S+, container app, the run that ended, last lines:\n {2}\S/,
    );
    expect(out.match(/Log of pod/g)).toHaveLength(1);
    expect([code, err]).toEqual([1, '']);
  });

  it('says which log cannot be read', async () => {
    world.sandbox.setFault(({ path }) => (path.includes('log') ? { kind: 'status', reason: 'Forbidden' } : undefined));
    const { code, err } = await world.run(['health', 'deploy/api', '--logs']);
    world.sandbox.setFault(() => undefined);
    expect(err).toMatch(
      /^convoy: the log of pod default\/api-\S+, container app cannot be read: .*ask for the permission/,
    );
    expect(code).toBe(1);
  });

  it('is refused where a program reads or nothing ends', async () => {
    expect((await world.run(['health', 'deploy', '--logs', '-o', 'json'])).err).toContain('--logs and -o json exclude');
    expect((await world.run(['health', 'deploy', '--logs', '--watch'])).err).toContain('--logs and --watch exclude');
  });
});

describe('a cluster that cannot be read', () => {
  it('that does not listen is exit code 3, with context, cluster and what to do', async () => {
    const other = await liveWorld();
    await other.sandbox.close();
    const { code, out, err } = await other.run(['health', 'deploy/web', '--request-timeout', '20s']);
    expect(err).toBe(
      `convoy: ${other.description}: the connection was refused; check that the API server runs and the port is right\n`,
    );
    expect([code, out]).toEqual([3, '']);
    await other.close();
  });

  it('that does not answer in the time given is exit code 3', async () => {
    world.sandbox.setFault(() => ({ kind: 'delay', milliseconds: 3_600_000 }));
    const { code, err } = await world.run(['health', 'deploy/web', '--request-timeout', '300ms']);
    world.sandbox.setFault(() => undefined);
    expect(err).toBe(
      `convoy: ${world.description}: no answer within 0.3 s; check network and VPN, or give it more with --request-timeout\n`,
    );
    expect(code).toBe(3);
  });

  it('that refuses is exit code 3, and never a verdict', async () => {
    world.sandbox.setFault(({ path }) =>
      path.includes('deployments') ? { kind: 'status', reason: 'Forbidden' } : undefined,
    );
    const { code, out, err } = await world.run(['health', 'deploy/web']);
    expect(err).toMatch(/^convoy: context "convoy-sandbox".*; ask for the permission, or use another context\n$/);
    expect([code, out]).toEqual([3, '']);
    const all = await world.run(['health', '--all-kinds', '-n', 'shop']);
    expect(all.err).toMatch(/^convoy: deployments were not judged: .*\n$/);
    expect(all.out).toContain('2 objects: 2 healthy');
    expect(all.code).toBe(3);
    world.sandbox.setFault(() => undefined);
  });
});

describe('the arguments of convoy health', () => {
  it.each<[string, string[], string]>([
    ['nothing', [], 'no objects are named; name those of a cluster'],
    ['a type without a name behind the slash', ['deploy/'], '"deploy/" is not TYPE/NAME; write `deploy/web`'],
    ['two slashes', ['apps/deploy/web'], '"apps/deploy/web" is not TYPE/NAME; '],
    ['both ways to name', ['deploy/web', 'api'], 'TYPE/NAME and TYPE NAME cannot stand together; '],
    ['a name and a selector', ['deploy/web', '-l', 'a=b'], 'a name and -l exclude each other; '],
    ['a name in all namespaces', ['deploy/web', '-A'], 'a name and -A exclude each other; '],
    ['a type too many', ['deploy', '--all-kinds'], '--all-kinds and arguments exclude each other; '],
    ['files and a cluster', ['-f', 'x', 'deploy/web'], 'deploy/web means a cluster, -f files; leave one of them out'],
    ['a flag of clusters for files', ['-f', 'x', '--context', 'y'], '--context means a cluster, -f files; '],
    ['a bad selector', ['deploy', '-l', 'a in b'], 'selector "a in b": '],
    ['a bad timeout', ['deploy', '--request-timeout', 'soon'], '--request-timeout "soon" is not a duration: '],
  ])('%s is told in one line before a cluster is asked', async (_, args, line) => {
    const { code, out, err } = await run(['health', ...args]);
    expect(err.slice(0, `convoy: ${line}`.length)).toBe(`convoy: ${line}`);
    expect([code, out, err.trimEnd().includes('\n')]).toEqual([2, '', false]);
  });
});
