import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectByKubeconfig } from '../../src/apps/connect-cluster.ts';
import { definitionOf, OWN_KINDS } from '../../src/core/api/index.ts';
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
      'ok       convoy      is not installed here, and `convoy health` needs none',
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

  describe('where convoy is installed', () => {
    const convoyLines = (out: string): readonly string[] =>
      out.split('\n').filter((line) => line.includes('  convoy  '));
    const ruleSet = (name: string, conditions?: readonly object[]): void => {
      const rules = [{ apiVersion: 'example.com/v1', resources: ['widgets'], healthy: 'true' }];
      const kind = 'GlobalHealthRuleSet';
      world.create({ apiVersion: 'convoy.kumodo.io/v1alpha1', kind, metadata: { name }, spec: { rules } });
      if (conditions !== undefined) world.setStatus(kind, name, { conditions });
    };
    const ready = (status: string, message: string): object => ({
      type: 'Ready',
      status,
      reason: 'RuleInvalid',
      message,
      lastTransitionTime: '2026-03-02T10:00:00Z',
    });

    it('tells that definitions are of this version and rule sets compile', async () => {
      for (const own of OWN_KINDS) world.create({ ...definitionOf(own) });
      ruleSet('good', [ready('True', '1 rule compiles')]);
      const { code, out } = await world.run(['doctor']);
      expect(convoyLines(out)).toEqual([
        'ok       convoy      4 of 4 definitions are of this version',
        'ok       convoy      1 rule set compiles',
      ]);
      expect(code).toBe(0);
    });

    it('tells an older definition, a newer one, a missing one, and rule sets that do not compile', async () => {
      const [release, inventory, local, global] = OWN_KINDS.map((own) => structuredClone({ ...definitionOf(own) }));
      const properties = (definition: unknown, part: string) =>
        (
          definition as never as {
            spec: {
              versions: {
                schema: { openAPIV3Schema: { properties: Record<string, { properties: Record<string, unknown> }> } };
              }[];
            };
          }
        ).spec.versions[0]?.schema.openAPIV3Schema.properties[part]?.properties ?? {};
      delete properties(release, 'status')['held'];
      properties(inventory, 'spec')['more'] = { type: 'string' };
      for (const definition of [release, inventory, global]) world.create({ ...definition });
      expect(local).toBeDefined();
      ruleSet('bad', [ready('False', 'bad#0 healthy 1:8: no such field\nstatus.x')]);
      ruleSet('new');
      const { code, out } = await world.run(['doctor']);
      const mend = '`convoy install --only crds | kubectl apply --server-side -f -`';
      expect(convoyLines(out)).toEqual([
        `problem  convoy      healthrulesets.convoy.kumodo.io is not defined; ${mend}`,
        `problem  convoy      the definition of releases is of an older version, without status.held; ${mend}`,
        'warning  convoy      the definition of releaseinventories is of a newer version, with spec.more; bring this convoy up to date',
        'ok       convoy      1 of 3 definitions are of this version',
        'problem  convoy      the rule set bad: bad#0 healthy 1:8: no such field; see `kubectl describe` of it',
        'warning  convoy      nobody has looked at 1 rule set yet; check that the operator runs: kubectl get pods -A -l app.kubernetes.io/name=convoy',
      ]);
      expect(code).toBe(1);
    });

    it('tells that there is no rule set, and where they come from', async () => {
      for (const own of OWN_KINDS) world.create({ ...definitionOf(own) });
      const { code, out } = await world.run(['doctor']);
      expect(convoyLines(out)).toEqual([
        'ok       convoy      4 of 4 definitions are of this version',
        'warning  convoy      there is no rule set, so no Release is assessed; `convoy install --only rules | kubectl apply --server-side -f -`',
      ]);
      expect(code).toBe(0);
    });
  });
});
