import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEMOS } from '../../src/apps/demo/demos.ts';
import { Stage } from '../../src/apps/demo/stage.ts';
import { expectReleaseStory } from './release-story.ts';
import { RunningReleases } from './release-world.ts';

let world: RunningReleases;
beforeEach(async () => {
  world = new RunningReleases();
  await world.start();
});
afterEach(() => world.stop());

describe('the demo of a Release', () => {
  it('tells waves, hooks, a bad image, the way back, drift, prune and deletion, in this order', async () => {
    const demo = DEMOS['release'];
    if (demo === undefined) throw new Error('there is no such demo');
    const stop = new AbortController();
    const lines: string[] = [];
    const { cluster, clock } = world;
    const { namespace, release } = demo;
    const stage = new Stage({ cluster, clock, namespace, release, tell: (line) => lines.push(line) }, stop.signal);
    const following = stage.follow();
    let ended = false;
    let failure: unknown;
    const playing = demo
      .play(stage)
      .catch((error: unknown) => {
        failure = error;
      })
      .finally(() => {
        ended = true;
      });
    await world.until('the end', () => ended, 900_000);
    stop.abort();
    await Promise.all([playing, following]);
    expect(failure).toBeUndefined();
    expectReleaseStory(lines);
    expect(world.faults).toEqual([]);
  });
});
