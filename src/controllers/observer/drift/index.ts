import { readMetadata } from '../../../core/api/index.ts';
import { asList, field } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import { Controller, type Outcome } from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { releaseOfPage } from '../../../runtime/inventory-index.ts';
import type { Runnable } from '../../../runtime/manager.ts';
import { keyOf } from '../../../runtime/object-key.ts';
import { WorkQueue } from '../../../runtime/work-queue.ts';
import { DriftReconciler, type DriftReconcilerOptions } from './drift-reconciler.ts';

export { type Contents, type ContentsInput, FollowedContents } from './contents.ts';
export { type DiffInput, diffRelease } from './diff-release.ts';

export interface DriftControllerOptions extends Omit<DriftReconcilerOptions, 'releases' | 'inventories'> {
  /** Of Releases, and of ReleaseInventories with INVENTORY_INDEXES; their owner runs them. */
  readonly informers: { readonly releases: Informer; readonly inventories: Informer };
  /** Whether this process answers for the Release with this uid; default: for all. */
  readonly owns?: (uid: string) => boolean;
  /** Releases that are compared at once; default 2. */
  readonly workers?: number;
  readonly onOutcome?: (controller: string, key: string, outcome: Outcome, duration: number) => void;
}

export interface DriftController extends Runnable {
  /** The content of an object of this Release (`namespace/name`) is another. */
  changed(key: string): void;
}

/** ms in which events of one Release are gathered: an attempt writes its inventory many times. */
const GATHER = 200;

/**
 * ms over which a process that starts spreads the first comparisons of Releases that were compared before: two requests for each
 * object of a fleet at once would be in the way of everything else.
 */
const SPREAD = 300_000;

/** What keeps the condition Drifted and asks for corrections, until its signal aborts. May be run again. */
export function driftController(options: DriftControllerOptions): DriftController {
  const { informers, owns = () => true, clock, workers = 2, onOutcome } = options;
  const name = 'drift';
  let queue: WorkQueue<string> | undefined;
  const add = (key: string): void => {
    const object = informers.releases.store.get(...placeOf(key));
    if (object === undefined || owns(readMetadata(object).uid)) queue?.addAfter(key, GATHER);
  };
  return {
    name,
    changed: add,
    run: async (signal) => {
      const waiting = new WorkQueue<string>({ clock });
      queue = waiting;
      const ofRelease = (object: KubernetesObject): void => add(keyOf(object));
      const ofPage = (object: KubernetesObject): void => add(releaseOfPage(object));
      const handlers = [
        informers.releases.addHandler({
          added: (object, initial) => {
            // Its pages come first or later: the earliest time counts, so they say nothing at the start.
            if (initial && isCompared(object)) waiting.addAfter(keyOf(object), clock.random() * SPREAD);
            else ofRelease(object);
          },
          updated: ofRelease,
          deleted: ofRelease,
        }),
        informers.inventories.addHandler({
          added: (page, initial) => {
            if (!initial) ofPage(page);
          },
          updated: ofPage,
        }),
      ];
      const controller = new Controller<string>({
        name,
        clock,
        queue: waiting,
        workers,
        reconciler: new DriftReconciler({
          ...options,
          releases: informers.releases.store,
          inventories: informers.inventories.store,
        }),
        ready: async (ending) =>
          (await informers.releases.synced(ending)) && (await informers.inventories.synced(ending)),
        ...(onOutcome === undefined
          ? {}
          : { onOutcome: (key, outcome, duration) => onOutcome(name, key, outcome, duration) }),
      });
      try {
        await controller.run(signal);
      } finally {
        for (const remove of handlers) remove();
      }
    },
  };
}

function isCompared({ status }: KubernetesObject): boolean {
  return asList(field(status, 'conditions')).some((condition) => field(condition, 'type') === 'Drifted');
}

function placeOf(key: string): [namespace: string, name: string] {
  const slash = key.indexOf('/');
  return [key.slice(0, slash), key.slice(slash + 1)];
}
