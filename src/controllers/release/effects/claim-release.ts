import { RELEASES } from '../../../core/api/index.ts';
import { CONTROLLER_MANAGER, RELEASE_FINALIZER } from '../../../core/release/index.ts';
import { AGAIN, type Step } from '../failures.ts';
import type { Visit } from '../visit.ts';

/** The finalizer stands before anything is put on a cluster: else a deletion could leave it there. */
export async function claimRelease(visit: Visit): Promise<Step> {
  const { namespace, name, uid, finalizers, resourceVersion } = visit.release.metadata;
  const add =
    finalizers.length === 0
      ? [
          // Two that begin the list at once would lose one of them.
          { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
          { op: 'add', path: '/metadata/finalizers', value: [RELEASE_FINALIZER] },
        ]
      : [{ op: 'add', path: '/metadata/finalizers/-', value: RELEASE_FINALIZER }];
  const patch = [{ op: 'test', path: '/metadata/uid', value: uid }, ...add];
  const path = { type: RELEASES, namespace, name };
  visit.keepRelease(await visit.home.patch(path, 'json', patch, { fieldManager: CONTROLLER_MANAGER }));
  return AGAIN;
}
