import type { InventoryEntry } from '../../api/index.ts';
import { countsForHealth, entryKey, isAssessed } from '../inventory/index.ts';
import { isComplete } from './hook-result.ts';

/** News for which the controller does not wait for its interval. */
export type SyncOccasion =
  /** The highest applied wave became fully healthy. */
  | 'WaveHealthy'
  /** A new render was assessed for the first time. */
  | 'RenderAssessed'
  /** A lifecycle hook has ended. */
  | 'HookComplete';

/**
 * What the step from the entries as they were read to the entries as they are written tells the controller. It is derived from the
 * inventory alone: a restart neither repeats an occasion nor forgets one whose write did not happen.
 * @param renderRef the current render; undefined before the first attempt
 */
export function syncOccasions(
  before: readonly InventoryEntry[],
  after: readonly InventoryEntry[],
  renderRef: string | undefined,
): readonly SyncOccasion[] {
  const occasions: SyncOccasion[] = [];
  if (renderRef !== undefined) {
    if (!assesses(before, renderRef) && assesses(after, renderRef)) occasions.push('RenderAssessed');
    if (!highestWaveIsHealthy(before, renderRef) && highestWaveIsHealthy(after, renderRef))
      occasions.push('WaveHealthy');
  }
  if (hookEnded(before, after)) occasions.push('HookComplete');
  return occasions;
}

function assesses(entries: readonly InventoryEntry[], renderRef: string): boolean {
  return entries.some((entry) => countsForHealth(entry) && entry.assessedRenderRef === renderRef);
}

/** The highest wave of which something has this render: all of it is applied and healthy. */
function highestWaveIsHealthy(entries: readonly InventoryEntry[], renderRef: string): boolean {
  const counted = entries.filter(countsForHealth);
  const waves = counted.filter((entry) => entry.renderRef === renderRef).map(({ wave }) => wave);
  if (waves.length === 0) return false;
  const highest = waves.reduce((most, wave) => Math.max(most, wave));
  return counted.every(
    (entry) =>
      entry.wave !== highest ||
      (entry.renderRef === renderRef &&
        (entry.ignoreHealth === true || (isAssessed(entry) && entry.state === 'Healthy'))),
  );
}

function hookEnded(before: readonly InventoryEntry[], after: readonly InventoryEntry[]): boolean {
  const known = new Map(before.filter(({ hook }) => hook !== undefined).map((entry) => [entryKey(entry), entry]));
  return after.some((entry) => {
    const earlier = entry.hook === undefined ? undefined : known.get(entryKey(entry));
    return earlier !== undefined && isComplete(entry) && !isComplete(earlier);
  });
}
