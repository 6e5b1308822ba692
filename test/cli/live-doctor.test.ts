import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectByKubeconfig } from '../../src/apps/connect-cluster.ts';
import { type LiveWorld, liveWorld } from './live-world.ts';
import { run } from './memory-io.ts';

let world: LiveWorld;
beforeEach(async () => {
  world = await liveWorld();
});
afterEach(() => world.close());

describe('convoy doctor', () => {
  it('finds nothing to mend in a sandbox', async () => {
    const { code, out, err } = await world.run(['doctor']);
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^ok {7}rules {7}\d+ rules, all readable$/),
      `ok       kubeconfig  ${world.description}, namespace default`,
      expect.stringMatching(/^ok {7}server {6}v1\.\d+\.\d+\S*, answered in \d+ ms$/),
      'ok       clock       the same as that of the server',
      expect.stringMatching(/^ok {7}versions {4}\d+ kinds that can be judged are served$/),
      expect.stringMatching(/^ok {7}access {6}you may get, list and watch (\d+) of \1 kinds in namespace default$/),
      '',
    ]);
    expect([code, err]).toEqual([0, '']);
  });

  it('tells a kubeconfig that is not there, and goes no further', async () => {
    const { code, out } = await run(['doctor', '--kubeconfig', '/nowhere/config'], {
      connectCluster: connectByKubeconfig,
    });
    expect(out).toMatch(
      /^problem {2}kubeconfig {2}kubeconfig \/nowhere\/config: no such file; check the path of --kubeconfig\n/m,
    );
    expect(code).toBe(2);
  });

  it('tells a server that does not listen', async () => {
    await world.sandbox.close();
    const { code, out } = await world.run(['doctor']);
    expect(out).toMatch(
      /^problem {2}server {6}context .*: the connection was refused; check that the API server runs/m,
    );
    expect(code).toBe(3);
  });

  it('tells a clock that is wrong', async () => {
    const { code, out } = await world.run(['doctor'], {
      connectCluster: async (choice) => ({ ...(await connectByKubeconfig(choice)), clockSkew: () => -90_000 }),
    });
    expect(out).toContain(
      'warning  clock       the server is 90 s behind: ages and deadlines are wrong by as much; set both clocks by NTP\n',
    );
    expect(code).toBe(0);
  });

  it('tells what may not be read, kind by kind', async () => {
    const { code, out } = await world.run(['doctor', '-A'], {
      connectCluster: async (choice) => {
        const connection = await connectByKubeconfig(choice);
        const { cluster } = connection;
        const raw: typeof cluster.raw = async (method, path, body, options) => {
          const forbidden = /"resource":"jobs","verb":"(?:list|watch)"/.test(JSON.stringify(body ?? ''));
          return forbidden ? { status: { allowed: false } } : cluster.raw(method, path, body, options);
        };
        return {
          ...connection,
          cluster: Object.assign(Object.create(cluster), {
            raw,
            discovery: cluster.discovery,
            description: cluster.description,
          }),
        };
      },
    });
    expect(out).toContain(
      'problem  access      you may not list, watch jobs.batch in all namespaces; ask for a Role or ClusterRole that allows it\n',
    );
    expect(code).toBe(1);
  });

  it('tells rules that cannot be read, and checks the rest', async () => {
    const { code, out } = await world.run(['doctor', '--rules', 'gone.yaml'], { files: {} });
    expect(out).toMatch(/^problem {2}rules {7}gone\.yaml: no such file; check the path\nok {7}kubeconfig/);
    expect(code).toBe(1);
  });
});
