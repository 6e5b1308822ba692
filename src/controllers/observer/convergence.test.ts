import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError, TransportError } from '../../ports/errors.ts';
import { ObserverWorld, OLDER, RENDER, WIDGET_RULE, widgetEntry } from './observer.fixture.ts';

const SECOND = 1_000;
const DEADLINE = 60 * SECOND;
const NAMES = ['a', 'b'] as const;

/** Something that happens to a Release, its objects, its cluster or its observer. */
type Step =
  | { readonly what: 'phase'; readonly name: (typeof NAMES)[number]; readonly phase: string }
  | { readonly what: 'remove' | 'create'; readonly name: (typeof NAMES)[number] }
  | { readonly what: 'render'; readonly renderRef: string }
  | { readonly what: 'cut' | 'lose' | 'forbid' | 'busy' | 'mend' | 'restart' }
  | { readonly what: 'wait'; readonly ms: number };

const name = fc.constantFrom(...NAMES);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ what: fc.constant('phase' as const), name, phase: fc.constantFrom('Done', 'Busy', 'Broken') }),
  fc.record({ what: fc.constantFrom('remove' as const, 'create' as const), name }),
  fc.record({ what: fc.constant('render' as const), renderRef: fc.constantFrom(RENDER, OLDER) }),
  fc.record({ what: fc.constantFrom('cut', 'lose', 'forbid', 'busy', 'mend', 'restart') }),
  fc.record({ what: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 40 * SECOND }) }),
) as fc.Arbitrary<Step>;

/** The world after the steps, with everything mended and time to see it. */
async function after(steps: readonly Step[]): Promise<ObserverWorld> {
  const world = new ObserverWorld();
  world.ruleSet([WIDGET_RULE]);
  for (const one of NAMES) world.widget(one, 'Done');
  world.release(
    { globalRuleSetSelector: {}, deadline: '60s' },
    NAMES.map((one) => widgetEntry(one)),
  );
  await world.start();
  for (const one of steps) {
    await perform(world, one);
    await world.pass(50);
  }
  mend(world);
  // The longest wait of a cluster that was lost is five minutes, and a quarter for spreading.
  await world.pass(400 * SECOND);
  return world;
}

function mend(world: ObserverWorld): void {
  world.target.fault = () => {};
  world.home.fault = () => {};
}

const exists = (world: ObserverWorld, one: string): boolean =>
  world.targetApi.store.get('example.test/widgets', 'default', one) !== undefined;

async function perform(world: ObserverWorld, one: Step): Promise<void> {
  switch (one.what) {
    case 'phase':
      if (exists(world, one.name)) world.phase(one.name, one.phase);
      return;
    case 'remove':
      if (exists(world, one.name)) world.remove('Widget', 'example.test', one.name);
      return;
    case 'create':
      if (!exists(world, one.name)) world.widget(one.name, 'Done');
      return;
    case 'render':
      world.attempt({ total: NAMES.length, renderRef: one.renderRef });
      for (const each of NAMES) world.entry(each, { renderRef: one.renderRef });
      return;
    case 'cut':
      world.target.cut(new TransportError('unreachable', 'connection reset'));
      return;
    case 'lose':
      world.target.fault = () => {
        throw new TransportError('unreachable', 'no route to the cluster');
      };
      world.target.cut(new TransportError('unreachable', 'connection reset'));
      return;
    case 'forbid':
      world.target.fault = ({ verb }) => {
        if (verb === 'get') throw new ApiError('reading is forbidden', 403, 'Forbidden');
      };
      return;
    case 'busy':
      world.home.fault = ({ verb }) => {
        if (verb === 'patch' || verb === 'apply') throw new ApiError('busy', 503, 'ServiceUnavailable');
      };
      return;
    case 'mend':
      mend(world);
      return;
    case 'restart':
      await world.stop();
      await world.start();
      return;
    case 'wait':
      await world.pass(one.ms);
  }
}

/** What an object that has been as it is for longer than its deadline should be. */
function wanted(world: ObserverWorld, one: string): string {
  const object = world.targetApi.store.get('example.test/widgets', 'default', one);
  if (object === undefined) return 'Unknown';
  return (object['status'] as { phase?: string } | undefined)?.phase === 'Done' ? 'Healthy' : 'Degraded';
}

describe('whatever happens on the way', () => {
  it('in the end every entry, the summary and the condition say what is there', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const world = await after(steps);
        const states = NAMES.map((one) => wanted(world, one));
        const entries = world.entries();
        expect(entries.map(({ state }) => state)).toEqual(states);
        expect(entries.every(({ renderRef, assessedRenderRef }) => renderRef === assessedRenderRef)).toBe(true);
        const worst = ['Degraded', 'Unknown', 'Healthy'].find((state) => states.includes(state));
        expect(world.condition()?.reason).toBe(worst);
        const count = (state: string): number => states.filter((each) => each === state).length;
        const [healthy, degraded, unknown] = [count('Healthy'), count('Degraded'), count('Unknown')];
        expect(world.summary()).toEqual({ total: NAMES.length, healthy, progressing: 0, degraded, unknown });
        for (const { state, firstUnhealthy = '' } of entries) {
          if (state !== 'Degraded') continue;
          expect(world.clock.now() - Date.parse(firstUnhealthy)).toBeGreaterThanOrEqual(DEADLINE);
        }
        expect(world.faults).toEqual([]);
        await world.stop();
        expect(world.clock.sleeping).toBe(0);
      }),
      { numRuns: 20 },
    );
  }, 30_000);
});
