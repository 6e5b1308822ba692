export {
  formatProblem,
  type ItemLines,
  type ManifestDocument,
  type ManifestObject,
  type ManifestProblem,
} from './manifest.ts';
export { loadPlaceReader, type PlaceReader } from './place-reader.ts';
export { loadYamlParser, type ManifestInput, readDocuments, readManifests } from './read-manifests.ts';
export type { FindNode, NodePath, NodePlace, ScalarPlace } from './scalar-places.ts';
