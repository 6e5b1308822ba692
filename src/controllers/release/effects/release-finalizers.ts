import { RELEASES } from '../../../core/api/index.ts';
import { CONTROLLER_MANAGER, RELEASE_FINALIZER } from '../../../core/release/index.ts';
import { entriesOf } from '../../../core/release/inventory/index.ts';
import { isNotFound, type Step, wait } from '../failures.ts';
import { openPage } from '../pages.ts';
import { titleOf } from '../paths.ts';
import type { Visit } from '../visit.ts';

/** How many objects that stay an Event names. */
const NAMED = 10;

/** The last step of a deletion: pages first, so that the Release stays until nothing else is left. */
export async function releaseFinalizers(visit: Visit, lost: string): Promise<Step> {
  const entries = entriesOf(visit.pages);
  if (lost !== '' && entries.length > 0) {
    const names = entries.slice(0, NAMED).map(titleOf).join(', ');
    const more = entries.length > NAMED ? `, and ${entries.length - NAMED} more` : '';
    visit.tell('Warning', 'ObjectsLeft', 'Delete', `${lost}: these stay on the cluster: ${names}${more}`);
  }
  for (const page of visit.pages) await openPage(visit, page.metadata.name);
  const { namespace, name, uid, finalizers } = visit.release.metadata;
  const path = `/metadata/finalizers/${finalizers.indexOf(RELEASE_FINALIZER)}`;
  const patch = [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path, value: RELEASE_FINALIZER },
    { op: 'remove', path },
  ];
  try {
    await visit.home.patch({ type: RELEASES, namespace, name }, 'json', patch, { fieldManager: CONTROLLER_MANAGER });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return wait(Number.POSITIVE_INFINITY);
}
