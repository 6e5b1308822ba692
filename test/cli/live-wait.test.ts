import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeClock } from '../../src/apps/node-clock.ts';
import { widget, widgetDefinition } from '../../src/sandbox/crd/crd.fixture.ts';
import { deployment, type LiveWorld, liveWorld } from './live-world.ts';
import type { Run } from './memory-io.ts';

let world: LiveWorld;
beforeEach(async () => {
  world = await liveWorld();
});
afterEach(() => world.close());

/** Time goes by in the cluster, twenty times as fast as here. */
async function turn(): Promise<void> {
  await nodeClock.sleep(5);
  await world.pass(100);
}

/** Starts a command; `passing` lets time go by in the cluster until it has ended. */
function start(...args: string[]): { passing(): Promise<Run>; talk(text: RegExp): Promise<void> } {
  let ended: Run | undefined;
  let err = '';
  const running = world
    .run(args, {
      onTalk: (text) => {
        err += text;
      },
    })
    .then((result) => {
      ended = result;
      return result;
    });
  return {
    passing: async () => {
      while (ended === undefined) await turn();
      return running;
    },
    talk: async (text) => {
      while (!text.test(err) && ended === undefined) await nodeClock.sleep(5);
      expect(err).toMatch(text);
    },
  };
}

function createReadyWidget(): void {
  world.create(widget({}));
  world.setStatus('Widget', 'w', { conditions: [{ type: 'Ready', status: 'True' }] });
}

describe('convoy health --wait', () => {
  it('ends when a Deployment has become healthy, and tells meanwhile what it waits for', async () => {
    world.create(deployment('web', 'app:slow', 2));
    const waiting = start('health', 'deploy/web', '--wait');
    await waiting.talk(/waiting: Deployment default\/web is Progressing: 0\/2/);
    const { code, out } = await waiting.passing();
    expect(out).toBe(
      'STATE    KIND        NAMESPACE  NAME  MESSAGE\nHealthy  Deployment  default    web\n1 object: 1 healthy\n',
    );
    expect(code).toBe(0);
  });

  it('waits for what does not exist yet', async () => {
    const waiting = start('health', 'deploy/web', '--wait');
    await waiting.talk(/waiting: still there is no Deployment "web" in namespace default\n/);
    world.create(deployment('web'));
    expect((await waiting.passing()).code).toBe(0);
  });

  it('waits for a kind that is not served yet, then for the object', async () => {
    const waiting = start('health', 'widgets/w', '--wait');
    await waiting.talk(/waiting: context .* serves no "widgets"; /);
    world.create(widgetDefinition({ properties: { size: { type: 'integer' } } }));
    await waiting.talk(/waiting: still there is no Widget "w" in namespace default\n/);
    createReadyWidget();
    const { code, out } = await waiting.passing();
    expect(out).toMatch(/^Healthy +Widget +default +w$/m);
    expect(code).toBe(0);
  });

  it('waits for a kind also where its definition may not be read, and over failures', async () => {
    let failures = 0;
    world.sandbox.setFault(({ path }) => {
      if (path.includes('customresourcedefinitions')) return { kind: 'status', reason: 'Forbidden' };
      if (path[0] !== 'apis' || path.length > 1 || failures === 0 || failures > 6) return undefined;
      failures += 1;
      return { kind: 'text', code: 502, body: '<html>' };
    });
    const waiting = start('health', 'widgets/w', '--wait');
    await waiting.talk(/waiting: context .* serves no "widgets"; /);
    failures = 1;
    await waiting.talk(/waiting: .* an HTML page \(status 502\)/);
    world.create(widgetDefinition({}));
    createReadyWidget();
    expect((await waiting.passing()).code).toBe(0);
  });

  it('says after the timeout which kind is still not served', async () => {
    const { code, err } = await start('health', 'widgets/w', '--wait', '--timeout', '300ms').passing();
    expect(err).toMatch(/convoy: context .*: after 300ms, still no "widgets" is served; .*--timeout\n$/);
    expect(code).toBe(4);
  });

  it('does not wait longer than it was told for a server that says nothing', async () => {
    world.sandbox.setFault(({ path }) => (path[0] === 'apis' ? { kind: 'delay', milliseconds: 1e9 } : undefined));
    const { code, err } = await start('health', 'deploy/web', '--wait', '--timeout', '100ms').passing();
    expect(err).toMatch(/no answer within 5 s; /);
    expect(code).toBe(3);
  });

  it('gives each request the time of --request-timeout, also those that it waits by', async () => {
    world.create(deployment('web'));
    world.sandbox.setFault(({ query }) =>
      query.get('watch') === 'true' ? { kind: 'delay', milliseconds: 1e9 } : undefined,
    );
    const args = ['health', 'deploy/web', '--wait', '--request-timeout', '1s', '--timeout', '5s'];
    const waiting = start(...args);
    await waiting.talk(/no answer to a watch within 1 s; try again \(trying again\)/);
    expect((await waiting.passing()).code).toBe(3);
  });

  it('waits for something with the labels', async () => {
    const waiting = start('health', 'deploy', '-l', 'app=web', '--wait');
    await waiting.talk(/waiting: there is nothing to judge yet\n/);
    world.create(deployment('web'));
    expect((await waiting.passing()).out).toContain('1 object: 1 healthy');
  });

  it('ends at once when a rule says that it has failed, with the cause', async () => {
    world.create({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'migrate' },
      spec: {
        backoffLimit: 0,
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'app:1' }] } },
      },
    });
    const waiting = start('health', 'job/migrate', '--wait');
    await waiting.talk(/waiting: Job/);
    const now = new Date(world.clock.now()).toISOString();
    world.setStatus('Job', 'migrate', {
      conditions: [
        { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'no more', lastTransitionTime: now },
      ],
      failed: 1,
    });
    const { code, out } = await waiting.passing();
    expect(out).toMatch(/^Degraded +Job +default +migrate /m);
    expect(code).toBe(1);
  });

  it('ends when the deadline of an object has passed', async () => {
    world.create(deployment('web', 'app:never-ready'));
    const { code, out } = await start('health', 'deploy/web', '--wait', '--deadline', '1s', '-o', 'wide').passing();
    expect(out).toMatch(/^Degraded +DeadlineExceeded +Deployment/m);
    expect(code).toBe(1);
  });

  it('says after the timeout what is not healthy and why, and is exit code 4', async () => {
    world.create(deployment('api', 'app:broken'));
    world.create(deployment('web'));
    await world.pass(20_000);
    const { code, out, err } = await start('health', 'deploy', '--wait', '--timeout', '300ms').passing();
    expect(out).toMatch(/^Progressing +Deployment +default +api .*: pod api-\S+ CrashLoopBackOff/m);
    expect(err).toContain(`convoy: ${world.description}: after 300ms, Deployment default/api is Progressing: 0/1`);
    expect(err).toMatch(/; mend what the report says, or wait longer with --timeout\n$/);
    expect(code).toBe(4);
  });

  it('says after the timeout what does still not exist', async () => {
    const one = await start('health', 'deploy/web', '--wait', '--timeout', '300ms').passing();
    expect(one.err).toContain('after 300ms, still there is no Deployment "web" in namespace default; ');
    const none = await start('health', 'deploy', '--wait', '--timeout', '300ms').passing();
    expect(none.err).toContain('after 300ms, there is still nothing to judge in namespace default; ');
    expect([one.code, none.code]).toEqual([4, 4]);
  });

  it('goes on over lost connections', async () => {
    world.create(deployment('web', 'app:slow'));
    let lost = 0;
    world.sandbox.setFault(({ path, query }) => {
      const cut = path.includes('deployments') && query.get('watch') === 'true' && lost < 3;
      if (cut) lost += 1;
      return cut ? { kind: 'cut', bytes: 200 * lost } : undefined;
    });
    const waiting = start('health', 'deploy/web', '--wait');
    expect((await waiting.passing()).code).toBe(0);
    expect(lost).toBe(3);
  });

  it('ends with exit code 3 when its log-in is no longer good', async () => {
    world.create(deployment('web', 'app:never-ready'));
    const waiting = start('health', 'deploy/web', '--wait');
    await waiting.talk(/waiting: Deployment default\/web is Progressing/);
    world.sandbox.setFault(() => ({ kind: 'status', reason: 'Unauthorized' }));
    // The server ends every watch by then.
    await world.clock.advance(600_000);
    const { code, err } = await waiting.passing();
    expect(err).toMatch(/; log in again, or check the user of the context\n$/);
    expect(code).toBe(3);
  });

  it('ends with exit code 3 when it may not read', async () => {
    world.sandbox.setFault(({ path }) =>
      path.includes('deployments') ? { kind: 'status', reason: 'Forbidden' } : undefined,
    );
    const { code, out, err } = await start('health', 'deploy/web', '--wait').passing();
    expect(err).toMatch(/; ask for the permission, or use another context\n$/);
    expect([code, out]).toEqual([3, '']);
  });

  it.each<[string, string[], RegExp]>([
    ['a limit of no wait', ['deploy', '--timeout', '5m'], /^convoy: --timeout is the limit of --wait; add --wait\n$/],
    [
      'a limit of nothing',
      ['deploy', '--wait', '--timeout', '0s'],
      /^convoy: --timeout "0s" has to be greater than zero; /,
    ],
    ['a wait for files', ['-f', 'x', '--wait'], /^convoy: --wait means a cluster, -f files; leave one of them out\n$/],
  ])('refuses %s', async (_, args, line) => {
    const { code, err } = await world.run(['health', ...args]);
    expect(err).toMatch(line);
    expect(code).toBe(2);
  });
});
