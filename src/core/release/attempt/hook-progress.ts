import type { InventoryEntry, ReleaseStatus } from '../../api/index.ts';
import { entryKey } from '../inventory/index.ts';
import type { PlannedHook } from '../plan.ts';

export type HookRow = NonNullable<ReleaseStatus['hooks']>[number];

/**
 * Where the hooks of a phase stand; they run one after the other:
 * - `done` all succeeded, or there are none
 * - `due` this one is next
 * - `running` this one was created, and no result is known
 * - `ended` the observer has its result, which the status does not tell yet
 * - `failed` this one failed
 */
export type HookProgress =
  | { readonly kind: 'done' }
  | { readonly kind: 'due' | 'running'; readonly hook: PlannedHook }
  | { readonly kind: 'ended'; readonly hook: PlannedHook; readonly succeeded: boolean; readonly message: string }
  | { readonly kind: 'failed'; readonly hook: PlannedHook; readonly row: HookRow };

/** Rows are those of this attempt: its beginning empties them, so no result of another is taken for one of this. */
export function hookProgress(
  hooks: readonly PlannedHook[],
  rows: readonly HookRow[],
  entries: readonly InventoryEntry[],
): HookProgress {
  for (const hook of hooks) {
    const row = rowOf(rows, hook);
    if (row === undefined) return { kind: 'due', hook };
    if (row.state === 'Failed') return { kind: 'failed', hook, row };
    if (row.state === 'Running') return resultOf(hook, entries);
  }
  return { kind: 'done' };
}

export function rowOf(rows: readonly HookRow[], hook: PlannedHook): HookRow | undefined {
  return rows.find((row) => row.phase === hook.phase && row.name === hookTitle(hook));
}

/** The observer's word counts only for the object that we created: `uid == assessedUid`. */
function resultOf(hook: PlannedHook, entries: readonly InventoryEntry[]): HookProgress {
  const key = entryKey(hook.ref);
  const entry = entries.find((one) => entryKey(one) === key);
  if (entry?.uid === undefined || entry.uid !== entry.assessedUid) return { kind: 'running', hook };
  const message = entry.message ?? '';
  if (entry.state === 'Healthy') return { kind: 'ended', hook, succeeded: true, message };
  if (entry.state === 'Degraded') return { kind: 'ended', hook, succeeded: false, message };
  return { kind: 'running', hook };
}

/** `Job shop/migrate`: what status.hooks calls a hook. */
export function hookTitle({ ref }: Pick<PlannedHook, 'ref'>): string {
  return `${ref.kind} ${ref.namespace === '' ? '' : `${ref.namespace}/`}${ref.name}`;
}
