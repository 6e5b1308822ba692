import { choice, type Infer, integer, list, object, optional, text, time, truth } from './schema.ts';

/** Entries on one page: a write costs the API server 40–70 ms of CPU at 100 entries and 450 ms at 500 (measured). */
export const ENTRIES_PER_PAGE = 100;
/** Entries of one Release: 50 pages. */
export const ENTRIES_PER_RELEASE = 5000;

const entry = object({
  // Identity; the version is no part of it.
  group: text('API group; empty for the core group.', { default: '' }),
  kind: text('Kind.', { maxLength: 63 }),
  namespace: text('Namespace; empty for a cluster-scoped object.', { maxLength: 63, default: '' }),
  name: text('Name.'),
  // The plan, written by the controller before the first apply of a render.
  version: text('API version without the group.', { maxLength: 63 }),
  resource: text('Plural resource name.', { maxLength: 253 }),
  wave: integer('The sync wave.', { default: 0 }),
  hook: optional(
    choice(['preSync', 'postSync', 'syncFail', 'preDelete', 'postDelete'], 'A lifecycle hook of this phase.'),
  ),
  ignoreHealth: optional(truth('Left out of gates and of the Healthy condition.')),
  deadline: optional(text('Instead of spec.healthAssessment.deadline.', { maxLength: 64 })),
  prune: optional(truth('No part of the render any more: will be deleted.')),
  // Written by the controller after the object was applied.
  renderRef: optional(text('The render that the controller applied the object with.', { maxLength: 80 })),
  uid: optional(text('UID as the apply returned it.', { maxLength: 64 })),
  generation: optional(integer('Generation as the apply returned it; 0 for a kind without.')),
  appliedAt: optional(time('When renderRef was applied.')),
  // Written by the observer.
  state: optional(choice(['Healthy', 'Progressing', 'Degraded', 'Unknown'], 'The verdict.')),
  reason: optional(text('Why, in one word for machines.', { maxLength: 64 })),
  message: optional(text('Why, for people.', { maxLength: 512 })),
  stateSince: optional(time('When the state changed last.')),
  firstUnhealthy: optional(time('When it was first seen failing; the deadline starts here.')),
  assessedRenderRef: optional(text('The render that the observer assessed.', { maxLength: 80 })),
  assessedUid: optional(text('Of a hook: the object that the state speaks of.', { maxLength: 64 })),
});

export const inventorySpec = object({
  release: text('The Release that owns this page.', { maxLength: 200 }),
  page: integer('From 1.', { minimum: 1, maximum: ENTRIES_PER_RELEASE / ENTRIES_PER_PAGE }),
  rebuilt: optional(
    truth('Found again on the cluster after a loss: nothing is pruned by it before an attempt has succeeded.'),
  ),
  entries: list(entry, 'What was applied, or will be.', { maxItems: ENTRIES_PER_PAGE }),
});

export type InventoryEntry = Infer<typeof entry>;
export type InventorySpec = Infer<typeof inventorySpec>;
