export { describeValue } from './flatten-lists.ts';
export {
  formatProblem,
  type ItemLines,
  type ManifestDocument,
  type ManifestObject,
  type ManifestProblem,
} from './manifest.ts';
export { type ManifestInput, readDocuments, readManifests } from './read-manifests.ts';
