import { asMap } from '../../../core/object/fields.ts';
import { settledReport } from '../../../core/release/attempt/index.ts';
import { objectName, SYNC_REQUESTED } from '../../../core/release/index.ts';
import type { ControllerChange } from '../../../core/release/inventory/index.ts';
import { AGAIN, type Step } from '../failures.ts';
import { renderOfRef } from '../observe.ts';
import { changeEntries } from '../pages.ts';
import type { Visit } from '../visit.ts';
import { applyObject, prepare } from './apply-object.ts';

/**
 * Applies the render that runs once more, without hooks and gates; what does not differ the server leaves as it is. An object that
 * cannot be applied is told and does not keep the others from being corrected.
 */
export async function correctDrift(visit: Visit): Promise<Step> {
  const { memory, release } = visit;
  const render = await renderOfRef(visit, release.status.lastAttempted?.renderRef ?? '');
  const changes: ControllerChange[] = [];
  const objects = render?.objects.filter(({ directives }) => directives.hooks.length === 0) ?? [];
  for (const rendered of objects) {
    const prepared = await prepare(visit, rendered);
    if (prepared.kind !== 'ready') continue;
    const applied = await applyObject(visit, prepared);
    if (applied.kind === 'failed') visit.tell('Warning', 'DriftNotCorrected', 'CorrectDrift', applied.message);
    if (applied.kind !== 'applied') continue;
    const [before, after] = [asMap(prepared.live?.['metadata']), asMap(applied.object['metadata'])];
    if (before['resourceVersion'] === after['resourceVersion']) continue;
    const { uid, generation } = after;
    changes.push({ entry: rendered.ref, set: { uid: String(uid ?? ''), generation: Number(generation ?? 0) } });
    visit.tell('Normal', 'DriftCorrected', 'CorrectDrift', objectName(rendered.ref));
  }
  await changeEntries(visit, changes);
  memory.requests.delete('Drift');
  const request = release.metadata.annotations[SYNC_REQUESTED] ?? '';
  if (request !== '') await visit.writeReport(settledReport(release), { lastSyncRequest: request });
  return AGAIN;
}
