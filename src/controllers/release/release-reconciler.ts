import { RELEASES, readMetadata } from '../../core/api/index.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import {
  type Action,
  determineState,
  failed,
  nextAction,
  paceOf,
  progressing,
  type State,
} from '../../core/release/attempt/index.ts';
import type { ObjectPath } from '../../ports/cluster.ts';
import { ApiError } from '../../ports/errors.ts';
import { TargetError } from '../../ports/targets.ts';
import { DONE, type Reconciler, type Result } from '../../runtime/controller.ts';
import { splitKey } from '../../runtime/object-key.ts';
import { failAttempt } from './effects/finish-attempt.ts';
import { isNotFound, isRefusal, isStale, isTransient, type Step, wait } from './failures.ts';
import type { Memories } from './memory.ts';
import { observe } from './observe.ts';
import { perform } from './perform.ts';
import { NotOwnerError, type Services } from './services.ts';
import { Visit } from './visit.ts';

/** ms until a Release is looked at again that somebody else has written meanwhile. */
const AFTER_CONFLICT = 50;
/** Steps of one visit. A Release of many waves and hooks takes a few for each; what takes more goes in a circle. */
const MOST_STEPS = 2000;

export interface ReleaseReconcilerOptions {
  readonly services: Services;
  readonly memories: Memories;
  /** Is told each step before it is performed; for logs and tests. */
  readonly onStep?: (key: string, state: State, action: Action) => void;
}

/** Observes a Release, names its state, takes one step, and looks again, until there is nothing to do but to wait. */
export class ReleaseReconciler implements Reconciler<string> {
  readonly #options: ReleaseReconcilerOptions;

  constructor(options: ReleaseReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Result> {
    const { services, memories } = this.#options;
    if (!services.mayAct(key)) return DONE;
    const { namespace, name } = splitKey(key);
    try {
      const object = await this.#read({ type: RELEASES, namespace, name }, signal);
      if (object === undefined) {
        memories.forget(key);
        return DONE;
      }
      // Made anew under the same name, it may be another replica's.
      if (!services.mayAct(key, readMetadata(object).uid)) return DONE;
      const visit = await Visit.begin(services, memories.of(key), object, signal);
      try {
        return await this.#visit(visit);
      } finally {
        visit.end();
      }
    } catch (error) {
      return resultOf(error);
    }
  }

  async #read(path: ObjectPath, signal: AbortSignal): Promise<KubernetesObject | undefined> {
    try {
      return await this.#options.services.home.get(path, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #visit(visit: Visit): Promise<Result> {
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      const step = await this.#step(visit);
      if (step.kind === 'wait') return step.ms === Number.POSITIVE_INFINITY ? DONE : { kind: 'after', ms: step.ms };
    }
    throw new Error(`${visit.key}: ${MOST_STEPS} steps without an end`);
  }

  async #step(visit: Visit): Promise<Step> {
    try {
      const observed = await observe(visit);
      const state = determineState(observed);
      const action = nextAction(state, observed);
      this.#options.onStep?.(visit.key, state, action);
      const step = await perform(visit, action, state);
      return step.kind === 'failed' ? await fail(visit, step) : step;
    } catch (error) {
      return troubled(visit, error);
    }
  }
}

/** A step cannot be done: the attempt has failed, or a deletion has to be tried again. */
async function fail(visit: Visit, { outcome, message }: Extract<Step, { kind: 'failed' }>): Promise<Step> {
  const { release } = visit;
  if (release.metadata.deletionTimestamp === '') return failAttempt(visit, outcome, message);
  await visit.writeReport(failed(outcome, message));
  return wait(paceOf(release).retryInterval);
}

/** What cannot be asked, or whose target cannot be found out, is told in Ready before it is tried again. */
async function troubled(visit: Visit, error: unknown): Promise<Step> {
  if (error instanceof TargetError) {
    await visit.writeReport(failed('ApplyFailed', error.message, error.fault === 'KubeConfigInvalid'));
    return wait(paceOf(visit.release).retryInterval);
  }
  const { metadata, status } = visit.release;
  const underWay = status.lastAttempted?.outcome === undefined || metadata.deletionTimestamp !== '';
  if (error instanceof Error && isTransient(error) && underWay) {
    // If the trouble is with the home cluster, this fails as well, and the first error is what counts.
    await visit.writeReport(progressing(error.message)).catch(() => {});
  }
  if (!isRefusal(error)) throw error;
  await visit.writeReport(failed('ApplyFailed', error.message));
  return wait(paceOf(visit.release).retryInterval);
}

function resultOf(error: unknown): Result {
  // Somebody wrote in between: the new state is there to be read. That is no failure, and has no growing wait.
  if (isStale(error)) return { kind: 'after', ms: AFTER_CONFLICT };
  if (error instanceof ApiError && error.retryAfter !== undefined)
    return { kind: 'after', ms: error.retryAfter * 1000 };
  if (error instanceof NotOwnerError) return DONE;
  throw error;
}
