import { expect } from 'vitest';
import { asMap, asString, field } from '../../core/object/fields.ts';
import { canonicalJson } from '../../core/release/canonical.ts';
import type { Effect } from '../../sandbox/object-api-cluster.fixture.ts';
import type { ApiObject } from '../../sandbox/objects/api-object.ts';
import { ReleaseWorld } from './release-world.fixture.ts';

/** Ends a process at one place: nothing that it remembers is left. */
class Killed extends Error {}

/** What somebody does with the Release; between two of them the world comes to rest. */
export type Script = readonly ((world: ReleaseWorld) => void)[];

export interface FaultPoint {
  /** Which write, from 0. */
  readonly effect: number;
  /** Whether it has had its effect when the process ends. */
  readonly moment: 'before' | 'after';
}

export interface Played {
  /** The world at rest behind each step, without what differs from run to run. */
  readonly states: readonly unknown[];
  readonly effects: readonly Effect[];
  /** What was applied to each object, in order, repetitions apart. */
  readonly applied: Readonly<Record<string, readonly string[]>>;
}

/** Plays a script; with a fault the process is killed there once and started anew. */
export async function play(script: Script, fault?: FaultPoint): Promise<Played> {
  const world = new ReleaseWorld();
  const effects: Effect[] = [];
  let killed = false;
  world.cluster.around = (effect, moment) => {
    if (moment === 'before') effects.push(effect);
    const here = effects.length - 1 === fault?.effect && moment === fault.moment;
    if (!here || killed) return;
    killed = true;
    throw new Killed(`killed ${moment} effect ${effects.length - 1}`);
  };
  const unrecorded = watchInventory(world);
  const states: unknown[] = [];
  for (const step of script) {
    step(world);
    await comeToRest(world);
    states.push(stateOf(world));
  }
  expect(unrecorded).toEqual([]);
  expect(world.faults).toEqual([]);
  return { states, effects, applied: appliedTo(effects) };
}

async function comeToRest(world: ReleaseWorld): Promise<void> {
  for (let rounds = 0; rounds < 3; rounds += 1) {
    try {
      await world.settle();
      return;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      world.restart();
    }
  }
}

/** Objects that carry our mark and that no page knows at the moment in which they come to be. */
function watchInventory(world: ReleaseWorld): readonly string[] {
  const unrecorded: string[] = [];
  world.api.store.subscribe(({ type, object }) => {
    if (type !== 'ADDED' || idOf(object) === '') return;
    if (world.entry(object.metadata.name) === undefined) unrecorded.push(`${object.kind} ${object.metadata.name}`);
  });
  return unrecorded;
}

function idOf({ metadata }: ApiObject): string {
  return asString(field(metadata.annotations, 'convoy.kumodo.io/release-id'));
}

function appliedTo(effects: readonly Effect[]): Record<string, readonly string[]> {
  const applied: Record<string, string[]> = {};
  for (const { verb, resource, name, body } of effects) {
    if ((verb !== 'apply' && verb !== 'create') || !OBJECTS.includes(resource)) continue;
    const key = `${resource} ${name}`;
    const bodies = applied[key] ?? [];
    const text = canonicalJson(body);
    if (bodies.at(-1) !== text) applied[key] = [...bodies, text];
  }
  return applied;
}

const OBJECTS = ['configmaps', 'jobs', 'namespaces', 'deployments'];
/** Differ from run to run: a step that was done again comes later, and makes other versions. */
const VOLATILE = new Set([
  'uid',
  'assessedUid',
  'resourceVersion',
  'generation',
  'managedFields',
  'creationTimestamp',
  'time',
  'appliedAt',
  'healthyAt',
  'startedAt',
  'completedAt',
  'endedAt',
  'stateSince',
  'lastTransitionTime',
  'ownerReferences',
]);

function stateOf(world: ReleaseWorld): unknown {
  const kept = OBJECTS.flatMap((resource) => {
    const group = { jobs: 'batch', deployments: 'apps' }[resource] ?? '';
    return [...world.api.store.all(`${group}/${resource}`, resource === 'namespaces' ? '' : 'shop')].filter(idOf);
  });
  const secrets = [...world.api.store.all('/secrets', 'shop')].map(({ metadata }) => metadata.name);
  return steady({ objects: kept, secrets, entries: world.entries, status: world.stored?.status });
}

function steady(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(steady);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(asMap(value))
      .filter(([name]) => !VOLATILE.has(name))
      .map(([name, item]) => [name, steady(item)]),
  );
}

/**
 * Plays the script once whole, and once for each write, killed right behind it: its answer is never known. To be killed before a write
 * is to be killed behind the one before. Returns how many writes there were.
 */
export async function survivesEveryKill(script: Script): Promise<number> {
  const whole = await play(script);
  for (let effect = 0; effect < whole.effects.length; effect += 1) {
    const played = await play(script, { effect, moment: 'after' });
    const { verb, resource, subresource, name } = whole.effects[effect] ?? {};
    const where = `killed behind write ${effect}: ${verb} ${resource} ${name} ${subresource}`;
    expect(played.states, where).toEqual(whole.states);
    expect(played.applied, where).toEqual(whole.applied);
  }
  return whole.effects.length;
}
