import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectByKubeconfig } from '../../src/apps/connect-cluster.ts';
import { nodeClock } from '../../src/apps/node-clock.ts';
import { deployment, type LiveWorld, liveWorld } from './live-world.ts';
import type { Run, World } from './memory-io.ts';

let world: LiveWorld;
beforeEach(async () => {
  world = await liveWorld();
});
afterEach(() => world.close());

interface Watching {
  /** Lets time go by until this has been written. */
  shows(text: RegExp): Promise<void>;
  /** Ctrl-C. */
  end(): Promise<Run>;
}

function watch(args: readonly string[], more: World = {}): Watching {
  const ctrlC = new AbortController();
  let out = '';
  const running = world.run(['health', ...args, '--watch'], {
    ...more,
    onResult: (text) => {
      out += text;
    },
    connectCluster: async (choice) => ({ ...(await connectByKubeconfig(choice)), interrupted: () => ctrlC.signal }),
  });
  return {
    shows: async (text) => {
      while (!text.test(out)) {
        await nodeClock.sleep(5);
        await world.pass(100);
      }
    },
    end: () => {
      ctrlC.abort();
      return running;
    },
  };
}

describe('convoy health --watch in a pipe', () => {
  it('writes a line for each change of an object, with the cause, until Ctrl-C', async () => {
    world.create(deployment('web'));
    await world.pass(10_000);
    const watching = watch(['deploy']);
    await watching.shows(/^\S+Z Healthy Deployment default\/web\n/);
    world.create(deployment('api', 'app:missing'));
    await watching.shows(/Z Progressing Deployment default\/api 0\/1 .*ImagePullBackOff/);
    world.remove('Deployment', 'api');
    await watching.shows(/Z Deleted Deployment default\/api\n/);
    const { code, out, err } = await watching.end();
    expect(out.match(/default\/web/g)).toHaveLength(1);
    expect([code, err]).toEqual([0, '']);
  });

  it('writes JSON objects with -o json', async () => {
    world.create(deployment('web'));
    await world.pass(10_000);
    const watching = watch(['deploy/web', '-o', 'json']);
    await watching.shows(/\n/);
    const { out } = await watching.end();
    expect(JSON.parse(out)).toMatchObject({
      type: 'Changed',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      item: { name: 'web', state: 'Healthy' },
    });
  });

  it('shows one that is named and not there, and when it comes', async () => {
    const watching = watch(['deploy/web']);
    await watching.shows(/Unknown Deployment default\/web there is no Deployment "web"/);
    world.create(deployment('web'));
    await watching.shows(/Healthy Deployment default\/web/);
    expect((await watching.end()).code).toBe(0);
  });

  it.each<[string[], RegExp]>([
    [['deploy', '--wait'], /^convoy: --watch and --wait exclude each other; choose one\n$/],
    [['deploy', '-o', 'junit'], /^convoy: --watch has no -o junit; use -o table, wide or json/],
  ])('refuses %j', async (args, line) => {
    const { code, err } = await world.run(['health', ...args, '--watch']);
    expect(err).toMatch(line);
    expect(code).toBe(2);
  });
});

describe('convoy health --watch on a terminal', () => {
  it('draws the table anew over the old one', async () => {
    world.create(deployment('web', 'app:slow'));
    const watching = watch(['deploy/web'], { isTerminal: true, environment: { NO_COLOR: '1' } });
    await watching.shows(/\u001b\[HSTATE[^\u001b]*\u001b\[K\nProgressing/);
    await watching.shows(
      /Healthy {2}Deployment.*\n1 object: 1 healthy, last change \d\d:\d\d:\d\dZ, Ctrl-C ends\u001b\[K\n\u001b\[J/,
    );
    expect((await watching.end()).code).toBe(0);
  });
});
