export {
  type AppliedFields,
  type Changed,
  countsForHealth,
  type EntryIdentity,
  entryKey,
  isAssessed,
  type ObservedFields,
  type PlannedEntry,
} from './entry.ts';
export type { PagePatch, PatchOperation } from './json-patch.ts';
export {
  entriesOf,
  type InventoryOwner,
  isRebuilt,
  newPage,
  type PageWrite,
  pageName,
  pagesOf,
  planPages,
} from './pages.ts';
export { type ControllerChange, controllerPatch, type ObserverChange, observerPatch, trustedPatch } from './patches.ts';
export { type FoundObject, rebuiltPages } from './rebuild.ts';
