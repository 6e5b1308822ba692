import type { InventoryEntry } from '../api/index.ts';
import { asMap, asString, field } from '../object/fields.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';
import { shortRef } from './canonical.ts';
import type { HookPhase } from './hook-annotations.ts';
import type { PlannedEntry } from './inventory/index.ts';
import { compareByKind, isProtected, makesRoom } from './kind-order.ts';
import { HELM_RESOURCE_POLICY, HOOK_RUN, PRUNE } from './names.ts';
import type { Render, RenderObject } from './render.ts';

/** One wave: what is applied together. */
export interface Wave {
  readonly wave: number;
  /** Namespaces and CustomResourceDefinitions, then the rest; a stage without objects is left out. */
  readonly stages: readonly (readonly RenderObject[])[];
}

/** A hook object as it runs in one attempt: named and marked for it. */
export interface PlannedHook extends RenderObject {
  readonly phase: HookPhase;
}

/** The steps of an attempt, as data. */
export interface Plan {
  /** `<render12>-<attempt>`: what marks the hook objects of the attempt. */
  readonly hookRun: string;
  readonly hooks: Readonly<Record<HookPhase, readonly PlannedHook[]>>;
  /** Ascending. */
  readonly waves: readonly Wave[];
}

export interface PlanOptions {
  /** Counts from 1 for each render. */
  readonly attempt: number;
  /** An attempt of this Release has succeeded before: Helm's upgrade hooks run, not its install hooks. */
  readonly appliedBefore: boolean;
  /** A rollback: only the hooks that are annotated for it. */
  readonly rollback?: boolean;
}

/** What an attempt does with a render, in order. */
export function planOf(render: Render, options: PlanOptions): Plan {
  const hookRun = hookRunOf(render.renderRef, options.attempt);
  const hooks = (phase: HookPhase): readonly PlannedHook[] =>
    render.objects
      .filter((one) => runs(one, phase, options))
      .map((one) => ({ ...asRun(one, hookRun), phase }))
      .sort((a, b) => a.directives.wave - b.directives.wave || compareHooks(a, b));
  return {
    hookRun,
    hooks: {
      preSync: hooks('preSync'),
      postSync: hooks('postSync'),
      syncFail: hooks('syncFail'),
      preDelete: hooks('preDelete'),
      postDelete: hooks('postDelete'),
    },
    waves: wavesOf(render.objects.filter(({ directives }) => directives.hooks.length === 0)),
  };
}

/** What marks the hook objects of one attempt. */
export function hookRunOf(renderRef: string, attempt: number): string {
  return `${shortRef(renderRef)}-${attempt}`;
}

/**
 * Entries of the inventory before an attempt: every object of the render, and the hooks that the phases name. An object that is a hook
 * of several phases has one entry, under the first of them.
 */
export function entriesOfPlan(
  { hooks, waves }: Plan,
  phases: readonly HookPhase[] = ['preSync', 'postSync', 'syncFail'],
): readonly PlannedEntry[] {
  const objects = waves.flatMap(({ stages }) => stages.flat()).map((one) => plannedEntry(one));
  const seen = new Set<string>();
  const runs = phases
    .flatMap((phase) => hooks[phase])
    .map((hook) => plannedEntry(hook, hook.phase))
    .filter(({ group, kind, namespace, name }) => {
      const key = [group, kind, namespace, name].join('|');
      return !seen.has(key) && seen.add(key);
    });
  return [...objects, ...runs];
}

function plannedEntry({ ref, resource, directives }: RenderObject, hook?: HookPhase): PlannedEntry {
  const { group, version, kind, namespace, name } = ref;
  const { wave, ignoreHealth, deadline } = directives;
  return {
    group,
    kind,
    namespace,
    name,
    version,
    resource,
    wave,
    ...(hook === undefined ? {} : { hook }),
    ...(ignoreHealth ? { ignoreHealth } : {}),
    ...(deadline === undefined ? {} : { deadline }),
  };
}

/** Entries in the order in which their objects are deleted: the reverse of the order in which they are applied. */
export function pruneOrder<Entry extends Pick<InventoryEntry, 'group' | 'kind' | 'namespace' | 'name' | 'wave'>>(
  entries: readonly Entry[],
): readonly Entry[] {
  return [...entries].sort((a, b) => b.wave - a.wave || compareByKind(b, a));
}

/**
 * Why an object that the render has no more stays on the cluster, read from the live object; undefined: it is deleted. Its own word
 * counts before the protection of its kind.
 */
export function keptFromPruning(
  live: KubernetesObject,
  entry: Pick<InventoryEntry, 'group' | 'kind'>,
): string | undefined {
  const annotations = asMap(field(live['metadata'], 'annotations'));
  if (annotations[PRUNE] === 'false') return `it has the annotation ${PRUNE}: "false"`;
  if (annotations[PRUNE] === 'true') return undefined;
  if (asString(annotations[HELM_RESOURCE_POLICY]).trim().toLowerCase() === 'keep') {
    return `it has the annotation ${HELM_RESOURCE_POLICY}: keep`;
  }
  return isProtected(entry) ? `a ${entry.kind} is pruned only with the annotation ${PRUNE}: "true"` : undefined;
}

function runs({ directives }: RenderObject, phase: HookPhase, { appliedBefore, rollback }: PlanOptions): boolean {
  if (rollback === true && !directives.hookOnRollback) return false;
  const when = appliedBefore ? 'later' : 'first';
  return directives.hooks.some((use) => use.phase === phase && (use.when === 'always' || use.when === when));
}

/** Within a phase hooks run by wave, then name. */
function compareHooks(a: RenderObject, b: RenderObject): number {
  return a.ref.name < b.ref.name ? -1 : a.ref.name > b.ref.name ? 1 : compareByKind(a.ref, b.ref);
}

/** The hook object of one attempt: `generateName` takes the run as its suffix, so that a restart finds what it created. */
function asRun(one: RenderObject, hookRun: string): RenderObject {
  const { generateName, ...metadata } = asMap(one.object['metadata']);
  const name = one.ref.name === '' ? `${asString(generateName)}${hookRun}` : one.ref.name;
  const annotations = { ...asMap(metadata['annotations']), [HOOK_RUN]: hookRun };
  return {
    ...one,
    ref: { ...one.ref, name },
    object: { ...one.object, metadata: { ...metadata, name, annotations } },
  };
}

function wavesOf(objects: readonly RenderObject[]): readonly Wave[] {
  const numbers = [...new Set(objects.map(({ directives }) => directives.wave))].sort((a, b) => a - b);
  return numbers.map((wave) => {
    const mine = objects
      .filter(({ directives }) => directives.wave === wave)
      .sort((a, b) => compareByKind(a.ref, b.ref));
    const stages = [mine.filter(({ ref }) => makesRoom(ref)), mine.filter(({ ref }) => !makesRoom(ref))];
    return { wave, stages: stages.filter((stage) => stage.length > 0) };
  });
}
