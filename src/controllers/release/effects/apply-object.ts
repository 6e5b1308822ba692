import { asString, field } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import { adoptionPatch, isTerminating, withLiveValues } from '../../../core/release/attempt/index.ts';
import {
  CONTROLLER_MANAGER,
  isNeverRecreated,
  objectName,
  ownershipOf,
  type RenderObject,
  releaseIdOf,
  withOwner,
} from '../../../core/release/index.ts';
import { ApiError } from '../../../ports/errors.ts';
import { failureAt, isContended, isNotFound, isStale, isTransient, type Step, wait } from '../failures.ts';
import { pathOfRendered } from '../paths.ts';
import type { Visit } from '../visit.ts';
import { foreignPaths } from './foreign-paths.ts';

/** ms until an object is looked at again that others write all the while. */
const CONTENDED = 500;

/** An object as it is to be applied, with what was found of it. `busy`: its name is taken by one that is being deleted. */
export type Prepared =
  | {
      readonly kind: 'ready';
      readonly rendered: RenderObject;
      readonly object: KubernetesObject;
      readonly live: KubernetesObject | undefined;
    }
  | { readonly kind: 'busy' }
  | Extract<Step, { readonly kind: 'failed' }>;

/** Looks at what is there: whose it is, and which fields of it are somebody else's to set. */
export async function prepare(visit: Visit, rendered: RenderObject): Promise<Prepared> {
  const { cluster } = await visit.target();
  let live: KubernetesObject | undefined;
  try {
    live = await cluster.get(pathOfRendered(rendered), { signal: visit.signal });
  } catch (error) {
    if (!isNotFound(error)) return failureAt(rendered.ref, error);
  }
  if (live !== undefined && isTerminating(live)) return { kind: 'busy' };
  if (live !== undefined && ownershipOf(live, visit.owner) === 'another' && !rendered.directives.adopt) {
    const mend = 'annotate it with convoy.kumodo.io/adopt: "true" to take it over';
    const message = `${objectName(rendered.ref)} belongs to the Release ${releaseIdOf(live)}; ${mend}`;
    return { kind: 'failed', outcome: 'Conflict', message };
  }
  const paths = live === undefined ? [] : await foreignPaths(visit, rendered);
  const object = withOwner(withLiveValues(rendered.object, live, paths), visit.owner);
  return { kind: 'ready', rendered, object, live };
}

type Ready = Extract<Prepared, { readonly kind: 'ready' }>;

/** Whether the server would take the object. A webhook that cannot dry-run says nothing either way. */
export async function dryRun(visit: Visit, { rendered, object, live }: Ready): Promise<Step> {
  try {
    await apply(visit, rendered, object, true);
  } catch (error) {
    if (error instanceof ApiError && error.code === 400 && /dry.?run/i.test(error.message)) return { kind: 'again' };
    if (live !== undefined && recreates(visit, rendered, error)) return { kind: 'again' };
    if (isContended(error)) return { kind: 'again' };
    return failureAt(rendered.ref, error);
  }
  return { kind: 'again' };
}

/** Applies one object: what former managers hold of it moves to us first, so that what the render drops goes. */
export async function applyObject(
  visit: Visit,
  { rendered, object, live }: Ready,
): Promise<
  Exclude<Step, { readonly kind: 'again' }> | { readonly kind: 'applied'; readonly object: KubernetesObject }
> {
  try {
    if (live !== undefined && ownershipOf(live, visit.owner) !== 'ours' && !(await adopt(visit, rendered, live))) {
      return wait(CONTENDED);
    }
    return { kind: 'applied', object: await apply(visit, rendered, object, false) };
  } catch (error) {
    if (live !== undefined && recreates(visit, rendered, error)) return recreate(visit, rendered, object, live);
    if (isContended(error)) return wait(CONTENDED);
    return failureAt(rendered.ref, error);
  }
}

async function apply(
  visit: Visit,
  rendered: RenderObject,
  object: KubernetesObject,
  dry: boolean,
): Promise<KubernetesObject> {
  const { cluster } = await visit.target();
  const force = visit.release.spec.syncPolicy.conflicts === 'Force';
  const options = { fieldManager: CONTROLLER_MANAGER, force, ...(dry ? { dryRun: true } : {}) };
  return cluster.apply(pathOfRendered(rendered), object, options);
}

/** False: somebody wrote in between, so that it has to be looked at again. */
async function adopt(visit: Visit, rendered: RenderObject, live: KubernetesObject): Promise<boolean> {
  const { cluster } = await visit.target();
  const patch = adoptionPatch(live);
  try {
    if (patch !== undefined) {
      await cluster.patch(pathOfRendered(rendered), 'json', patch, { fieldManager: CONTROLLER_MANAGER });
    }
  } catch (error) {
    if (isStale(error)) return false;
    throw error;
  }
  visit.tell('Normal', 'Adopted', 'Apply', `took over ${objectName(rendered.ref)}`);
  return true;
}

/** The words of the API server for a field that cannot change: of Jobs, Services, selectors, StatefulSets, Secrets. */
const IMMUTABLE = /immutable|updates to \w+ spec for fields other than|may not change once set|cannot be changed/i;

/** Only where it was asked for, and never what takes data or other objects with it. */
function recreates(visit: Visit, { ref }: RenderObject, error: unknown): boolean {
  if (!visit.release.spec.syncPolicy.force || isNeverRecreated(ref)) return false;
  return error instanceof ApiError && error.code === 422 && IMMUTABLE.test(error.message);
}

async function recreate(
  visit: Visit,
  rendered: RenderObject,
  object: KubernetesObject,
  live: KubernetesObject,
): Promise<
  Exclude<Step, { readonly kind: 'again' }> | { readonly kind: 'applied'; readonly object: KubernetesObject }
> {
  const { cluster } = await visit.target();
  const path = pathOfRendered(rendered);
  const uid = asString(field(live['metadata'], 'uid'));
  try {
    await cluster.delete(path, { uid, propagation: 'Background' });
    visit.tell('Normal', 'Recreated', 'Apply', `${objectName(rendered.ref)}: a field that cannot change has to change`);
    return { kind: 'applied', object: await apply(visit, rendered, object, false) };
  } catch (error) {
    // It is still on its way out: the wave is looked at again, and finds it there or gone.
    if (error instanceof ApiError && !isTransient(error) && (error.code === 409 || error.code === 422))
      return wait(500);
    return failureAt(rendered.ref, error);
  }
}
