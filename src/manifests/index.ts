export {
  formatProblem,
  type ItemLines,
  type ManifestDocument,
  type ManifestObject,
  type ManifestProblem,
} from './manifest.ts';
export { loadYamlParser, type ManifestInput, readDocuments, readManifests } from './read-manifests.ts';
