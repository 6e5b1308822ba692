import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectByKubeconfig } from '../../src/apps/connect-cluster.ts';
import { definitionOf, OWN_KINDS } from '../../src/core/api/index.ts';
import type { JsonMap } from '../../src/core/object/fields.ts';
import { ApiError } from '../../src/ports/errors.ts';
import { type LiveWorld, liveWorld } from './live-world.ts';
import { run, type World } from './memory-io.ts';

const ONE = `sha256:${'1'.repeat(64)}`;
const TWO = `sha256:${'2'.repeat(64)}`;

let world: LiveWorld;
/** Minutes before the time of the test. */
const ago = (minutes: number): string =>
  new Date(world.clock.now() - minutes * 60_000).toISOString().replace(/\.\d+Z$/, 'Z');

beforeEach(async () => {
  world = await liveWorld();
  for (const own of OWN_KINDS) world.create({ ...definitionOf(own) });
});
afterEach(() => world.close());

function createRelease(status: JsonMap, spec: JsonMap = { healthAssessment: {} }): void {
  const source = { git: { url: 'https://git.example/shop.git', ref: { branch: 'main' }, path: 'deploy' } };
  world.create({
    apiVersion: 'convoy.kumodo.io/v1alpha1',
    kind: 'Release',
    metadata: { name: 'podinfo' },
    spec: { source, ...spec },
  });
  world.setStatus('Release', 'podinfo', { ...status });
}

function condition(type: string, status: string, reason: string, message: string): JsonMap {
  return { type, status, reason, message, lastTransitionTime: ago(3) };
}

const rendered = (renderRef: string, revision: string, minutes: number): JsonMap => ({
  renderRef,
  revision,
  time: ago(minutes),
});

function createDegraded(): void {
  createRelease({
    conditions: [
      condition('Ready', 'False', 'WaveDegraded', 'wave 1 is Degraded'),
      condition(
        'Healthy',
        'False',
        'Degraded',
        '1 of 2 resources Degraded: Deployment default/web: 0/1 replicas ready',
      ),
    ],
    lastAttempted: {
      ...rendered(TWO, 'main@sha1:2222222', 4),
      attempt: 1,
      total: 2,
      phase: 'Waves',
      wave: 1,
      outcome: 'WaveDegraded',
    },
    lastApplied: rendered(ONE, 'main@sha1:1111111', 60),
    lastHealthy: rendered(ONE, 'main@sha1:1111111', 59),
    healthSummary: { total: 2, healthy: 1, progressing: 0, degraded: 1, unknown: 0 },
    history: [
      { renderRef: TWO, revision: 'main@sha1:2222222', appliedAt: ago(4), outcome: 'WaveDegraded' },
      { renderRef: ONE, revision: 'main@sha1:1111111', appliedAt: ago(60), healthyAt: ago(59), outcome: 'Succeeded' },
    ],
    hooks: [
      {
        name: 'Job migrate',
        phase: 'preSync',
        renderRef: TWO,
        state: 'Succeeded',
        startedAt: ago(4),
        completedAt: ago(3),
      },
    ],
  });
  world.create({
    apiVersion: 'convoy.kumodo.io/v1alpha1',
    kind: 'ReleaseInventory',
    metadata: { name: 'podinfo' },
    spec: {
      release: 'podinfo',
      page: 1,
      entries: [
        {
          kind: 'ConfigMap',
          name: 'web',
          namespace: 'default',
          version: 'v1',
          resource: 'configmaps',
          renderRef: TWO,
          assessedRenderRef: TWO,
          state: 'Healthy',
          reason: 'NoRule',
          stateSince: ago(4),
        },
        {
          group: 'apps',
          kind: 'Deployment',
          name: 'web',
          namespace: 'default',
          version: 'v1',
          resource: 'deployments',
          wave: 1,
          renderRef: TWO,
          assessedRenderRef: TWO,
          state: 'Degraded',
          reason: 'DeadlineExceeded',
          message: '0/1 replicas ready',
          stateSince: ago(3),
        },
      ],
    },
  });
}

const FALLBACK = 'convoy: the aggregated API is not installed; read from the ReleaseInventory, which says the same\n';

/** A world in which the aggregated API answers. */
function withAggregatedApi(answer: (method: string, path: string, body: unknown) => unknown): World {
  return {
    connectCluster: async (choice) => {
      const connection = await connectByKubeconfig(choice);
      const { cluster } = connection;
      const raw: typeof cluster.raw = async (method, path, body) => answer(method, path, body);
      return { ...connection, cluster: Object.assign(cluster, { raw }) };
    },
  };
}

describe('convoy release health', () => {
  it('shows objects worst first, and what the condition says', async () => {
    createDegraded();
    const { code, out, err } = await world.run(['release', 'health', 'podinfo']);
    expect(out).toBe(
      [
        'KIND        NAMESPACE  NAME  STATE     SINCE  MESSAGE',
        'Deployment  default    web   Degraded  3m     0/1 replicas ready',
        'ConfigMap   default    web   Healthy   4m     no rule speaks of it',
        '2 objects: 1 degraded, 1 healthy',
        'release podinfo is Degraded: 1 of 2 resources Degraded: Deployment default/web: 0/1 replicas ready',
        '',
      ].join('\n'),
    );
    expect([code, err]).toEqual([1, FALLBACK]);
  });

  it('says why a Release that waits for its first render will not get one', async () => {
    createRelease({
      conditions: [
        condition('Ready', 'False', 'RenderFailed', 'inline: document 2, line 12: no object'),
        condition('Healthy', 'Unknown', 'Pending', 'waiting for the first render'),
      ],
    });
    const { code, out } = await world.run(['release', 'health', 'podinfo']);
    expect(out).toBe(
      [
        '0 objects',
        'release podinfo is Pending: waiting for the first render',
        'release podinfo is not ready: RenderFailed: inline: document 2, line 12: no object',
        '',
      ].join('\n'),
    );
    expect(code).toBe(1);
  });

  it('asks the aggregated API where it is, with the filter', async () => {
    createDegraded();
    const asked: string[] = [];
    const answered = withAggregatedApi((method, path) => {
      asked.push(`${method} ${path}`);
      const summary = { total: 2, healthy: 1, progressing: 0, degraded: 1, unknown: 0 };
      return {
        kind: 'ReleaseHealth',
        metadata: { name: 'podinfo', namespace: 'default' },
        summary,
        resources: [],
        healthy: { status: 'True', reason: 'Healthy', message: 'fine' },
      };
    });
    const { code, out, err } = await world.run(['release', 'health', 'podinfo', '--state', 'Degraded'], answered);
    expect(asked).toEqual([
      'GET /apis/subresources.convoy.kumodo.io/v1alpha1/namespaces/default/releases/podinfo/health?state=Degraded',
    ]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('release podinfo is Healthy: fine\n');
  });

  it('as JSON is what /health answers, and jsonpath reads it', async () => {
    createDegraded();
    const { out } = await world.run(['release', 'health', 'podinfo', '-o', 'json']);
    expect(JSON.parse(out)).toMatchObject({
      kind: 'ReleaseHealth',
      renderRef: TWO,
      summary: { total: 2, degraded: 1 },
    });
    const names = await world.run([
      'release',
      'health',
      'podinfo',
      '-o',
      'jsonpath={.resources[*].kind}',
      '--exit-zero',
    ]);
    expect([names.out, names.code]).toEqual(['Deployment ConfigMap', 0]);
  });

  it('of a Release without health assessment is no failure', async () => {
    createRelease(
      { conditions: [condition('Healthy', 'Unknown', 'NotConfigured', 'health assessment is not configured')] },
      {},
    );
    const { code, out } = await world.run(['release', 'health', 'podinfo']);
    expect([code, out]).toEqual([
      0,
      '0 objects\nrelease podinfo is NotConfigured: health assessment is not configured\n',
    ]);
  });

  it('is refused with a reason when the aggregated API refuses it', async () => {
    createDegraded();
    const { code, err } = await world.run(
      ['release', 'health', 'podinfo'],
      withAggregatedApi(() => {
        throw new ApiError('releases is forbidden: ask for it', 403, 'Forbidden');
      }),
    );
    expect([code, err.includes('releases is forbidden')]).toEqual([3, true]);
  });

  it.each([
    [['release', 'health'], 'convoy: the argument name is missing'],
    [
      ['release', 'health', 'podinfo', '--state', 'Sick'],
      'convoy: --state "Sick" is no state; use one of Degraded, Unknown, Progressing, Healthy',
    ],
    [['release', 'health', 'podinfo', '--watch', '-o', 'yaml'], 'convoy: --watch has no -o yaml'],
    [['release', 'health', 'podnifo'], 'convoy: no release "podnifo" in namespace default; did you mean podinfo?'],
    [
      ['release', 'health', 'podinfo', '-n', 'other'],
      'convoy: no release "podinfo" in namespace other; see `convoy release list -A`',
    ],
  ])('%j is a mistake that is told in a line', async (args, told) => {
    createDegraded();
    const { code, err } = await world.run(args);
    expect([code, err.startsWith(told), err.trimEnd().split('\n')]).toEqual([2, true, [expect.any(String)]]);
  });
});

describe('convoy release health --watch', () => {
  it('tells each change in a pipe, until the Release is gone', async () => {
    createDegraded();
    const lines: string[] = [];
    const heard = (text: string): void => {
      lines.push(...text.split('\n').filter((line) => line !== ''));
      if (lines.length === 3) {
        world.change('ReleaseInventory', 'podinfo', (draft) => {
          const { entries } = (draft as { spec: { entries: JsonMap[] } }).spec;
          entries[1] = { ...entries[1], state: 'Healthy', message: '1/1 replicas ready' };
        });
      }
      if (lines.length === 4) world.remove('Release', 'podinfo');
    };
    const { code, err } = await world.run(['release', 'health', 'podinfo', '--watch'], { onResult: heard });
    expect(lines.map((line) => line.replace(/^\S+ /, ''))).toEqual([
      'Degraded Deployment default/web 0/1 replicas ready',
      'Healthy ConfigMap default/web no rule speaks of it',
      'release podinfo is Degraded: 1 of 2 resources Degraded: Deployment default/web: 0/1 replicas ready',
      'Healthy Deployment default/web 1/1 replicas ready',
    ]);
    expect([code, err]).toEqual([0, 'convoy: release podinfo is gone\n']);
  });
});

describe('convoy release list', () => {
  it('shows a line for each Release', async () => {
    createDegraded();
    expect((await world.run(['release', 'list', '-A'])).out).toMatch(
      /^NAMESPACE {2}NAME {5}READY {2}HEALTHY {2}REVISION {11}AGE {2}STATUS\ndefault {4}podinfo {2}False {2}False {4}main@sha1:1111111 {2}0s {3}wave 1 is Degraded\n$/,
    );
    expect((await world.run(['release', 'list', '-o', 'name'])).out).toBe('release/podinfo\n');
    expect(JSON.parse((await world.run(['release', 'list', '-o', 'json'])).out)).toMatchObject({
      kind: 'List',
      items: [{ kind: 'Release' }],
    });
    expect((await world.run(['release', 'list', '-l', 'app=x'])).err).toBe(
      `no releases in namespace default of ${world.description}\n`,
    );
  });

  it('of a cluster without convoy says what to install', async () => {
    for (const own of OWN_KINDS) world.remove('CustomResourceDefinition', `${own.plural}.convoy.kumodo.io`);
    const { code, err } = await world.run(['release', 'list']);
    expect(err).toBe(
      `convoy: ${world.description} knows no Releases; install convoy there, definitions first: \`convoy install --only crds | kubectl apply --server-side -f -\`, then without --only crds\n`,
    );
    expect(code).toBe(2);
  });
});

describe('convoy release get and history', () => {
  it('tell a person what is attempted, applied and healthy', async () => {
    createDegraded();
    const { out } = await world.run(['release', 'get', 'podinfo']);
    expect(out.split('\n')).toEqual([
      'Name:       default/podinfo',
      'Source:     git https://git.example/shop.git main deploy',
      'Target:     the cluster of the operator, namespace default',
      'Attempted:  main@sha1:2222222 222222222222 4m ago',
      'Phase:      wave 1, attempt 1, WaveDegraded',
      'Next:       attempt 2 is due',
      'Applied:    main@sha1:1111111 111111111111 60m ago',
      'Healthy:    main@sha1:1111111 111111111111 59m ago',
      'Objects:    2: 1 degraded, 0 unknown, 0 progressing, 1 healthy',
      '',
      'CONDITION  STATUS  REASON        SINCE  MESSAGE',
      'Ready      False   WaveDegraded  3m     wave 1 is Degraded',
      'Healthy    False   Degraded      3m     1 of 2 resources Degraded: Deployment default/web: 0/1 replicas ready',
      '',
      'HOOK     NAME         STATE      STARTED  MESSAGE',
      'preSync  Job migrate  Succeeded  4m',
      '',
    ]);
    expect((await world.run(['release', 'history', 'podinfo'])).out.split('\n')).toEqual([
      'RENDER        REVISION           APPLIED  HEALTHY  OUTCOME       NOTES',
      '222222222222  main@sha1:2222222  4m       -        WaveDegraded',
      '111111111111  main@sha1:1111111  60m      59m      Succeeded     applied, healthy last',
      '',
    ]);
  });
});

describe('convoy release get of an attempt that failed', () => {
  const failedWith = async (spec: JsonMap): Promise<string> => {
    createRelease(
      {
        lastAttempted: {
          ...rendered(TWO, 'main@sha1:2222222', 4),
          endedAt: ago(1),
          attempt: 2,
          failures: 2,
          total: 2,
          phase: 'Done',
          outcome: 'WaveDegraded',
        },
      },
      spec,
    );
    return (await world.run(['release', 'get', 'podinfo'])).out;
  };

  it('says when the next one begins: the wait is doubled by each failure', async () => {
    expect(await failedWith({ syncPolicy: { retryInterval: '45s' } })).toContain('\nNext:       attempt 3 in 30s\n');
  });

  it.each([
    ['the Release is suspended', { suspend: true }],
    ['recovery decides about it', { remediation: { rollback: true } }],
  ])('says nothing of a next one where %s', async (_why, spec) => {
    expect(await failedWith(spec)).not.toContain('Next:');
  });
});

describe('what a person asks for', () => {
  const annotations = async (): Promise<JsonMap> => {
    const { out } = await world.run(['release', 'get', 'podinfo', '-o', 'json']);
    return JSON.parse(out).metadata.annotations ?? {};
  };

  it('sync is asked for by the aggregated API, else by the annotation', async () => {
    createDegraded();
    const { out } = await world.run(['release', 'sync', 'podinfo']);
    expect(out).toBe('release podinfo: sync requested\n');
    expect((await annotations())['convoy.kumodo.io/sync-requested']).toMatch(/^20\d\d-\S+Z Manual$/);
    const asked: unknown[] = [];
    await world.run(
      ['release', 'sync', 'podinfo'],
      withAggregatedApi((...call) => asked.push(call)),
    );
    expect(asked).toEqual([
      [
        'POST',
        '/apis/subresources.convoy.kumodo.io/v1alpha1/namespaces/default/releases/podinfo/sync',
        { reason: 'Manual' },
      ],
    ]);
  });

  it.each([
    [[], ONE],
    [['--to', '1111'], ONE],
    [['--to', TWO], TWO],
    [['--to', 'main@sha1:2222222'], TWO],
  ])('rollback %j writes the render into the annotation, and --undo takes it away', async (flags, renderRef) => {
    createDegraded();
    const { out } = await world.run(['release', 'rollback', 'podinfo', ...flags]);
    expect(out).toMatch(/^release podinfo rolls back to \d{12} \(main@sha1:\d+\), until /);
    expect((await annotations())['convoy.kumodo.io/rollback-to']).toBe(renderRef);
    await world.run(['release', 'rollback', 'podinfo', '--undo']);
    expect(await annotations()).toEqual({});
  });

  it('rollback to what there is not, or to what runs already, is refused', async () => {
    createDegraded();
    expect((await world.run(['release', 'rollback', 'podinfo', '--to', '9999'])).err).toBe(
      'convoy: release podinfo has no render "9999"; see `convoy release history podinfo`\n',
    );
    createdHealthy();
    expect((await world.run(['release', 'rollback', 'podinfo'])).err).toMatch(
      /^convoy: what runs is the render that was healthy last \(111111111111\); name another with --to; see/,
    );
  });

  function createdHealthy(): void {
    world.setStatus('Release', 'podinfo', {
      lastAttempted: { ...rendered(ONE, '1', 4), attempt: 1, total: 2, phase: 'Done', outcome: 'Succeeded' },
      lastHealthy: rendered(ONE, '1', 4),
    });
  }

  it('suspend and resume change spec.suspend, once', async () => {
    createDegraded();
    expect((await world.run(['release', 'suspend', 'podinfo'])).out).toBe('release podinfo suspended\n');
    expect((await world.run(['release', 'suspend', 'podinfo'])).out).toBe('release podinfo was suspended already\n');
    expect((await world.run(['release', 'sync', 'podinfo'])).err).toContain('is suspended, so nothing is fetched');
    expect((await world.run(['release', 'resume', 'podinfo'])).out).toBe('release podinfo resumed\n');
  });
});

describe('completion', () => {
  it('offers names of Releases of the cluster and the namespace that were typed', async () => {
    createDegraded();
    // `run` of this file puts a flag behind the word that is being typed.
    const complete = async (...words: readonly string[]): Promise<string> => {
      const connected = { connectCluster: connectByKubeconfig };
      return (await run(['__complete', 'release', 'health', '--kubeconfig', world.kubeconfig, ...words], connected))
        .out;
    };
    expect(await complete('pod')).toBe('podinfo\n:4\n');
    expect(await complete('-n=other', 'pod')).toBe(':4\n');
    expect(await complete('podinfo', '')).toBe(':4\n');
  });

  it('offers nothing, and no error, where the cluster does not answer', async () => {
    await world.sandbox.close();
    const connected = { connectCluster: connectByKubeconfig };
    const words = ['__complete', 'release', 'sync', '--kubeconfig', world.kubeconfig, ''];
    expect(await run(words, connected)).toEqual({ code: 0, out: ':4\n', err: '' });
  });
});
