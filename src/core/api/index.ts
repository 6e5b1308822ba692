export * from './group.ts';
export { definitionOf, OWN_KINDS, type OwnKind } from './kinds.ts';
export { type ResourceMetadata, readMetadata } from './metadata.ts';
export type { Read } from './read.ts';
export type { ReleaseSpec, ReleaseStatus } from './release.ts';
export { ENTRIES_PER_PAGE, ENTRIES_PER_RELEASE, type InventoryEntry } from './release-inventory.ts';
export { type Release, type ReleaseInventory, readInventory, readRelease } from './resources.ts';
