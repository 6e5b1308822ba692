import { RELEASES } from '../../../core/api/index.ts';
import { CONTROLLER_MANAGER, ROLLBACK_TO } from '../../../core/release/index.ts';
import { AGAIN, type Step } from '../failures.ts';
import type { Visit } from '../visit.ts';

/** The annotation goes; that it is gone while status.held stands begins the attempt of what the source gives. */
export async function endRollback(visit: Visit): Promise<Step> {
  const { namespace, name, uid } = visit.release.metadata;
  const path = `/metadata/annotations/${ROLLBACK_TO.replaceAll('/', '~1')}`;
  const patch = [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path, value: visit.release.metadata.annotations[ROLLBACK_TO] },
    { op: 'remove', path },
  ];
  const release = { type: RELEASES, namespace, name };
  visit.keepRelease(await visit.home.patch(release, 'json', patch, { fieldManager: CONTROLLER_MANAGER }));
  visit.tell(
    'Normal',
    'RollbackEnded',
    'Release',
    'nothing is kept out any more: the annotation rollback-to is removed',
  );
  return AGAIN;
}
