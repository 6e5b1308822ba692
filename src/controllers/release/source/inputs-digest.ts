import { canonicalJson } from '../../../core/release/canonical.ts';
import type { Visit } from '../visit.ts';
import type { SourceContent } from './read-source.ts';

/**
 * The digest of all that a render depends on: the content, how it is rendered, and by which version. While it stays, the stored render
 * stands: a chart with random values must not roll out anew at each look.
 */
export function inputsDigest(visit: Visit, content: SourceContent): string {
  const { release, services, targetNamespace } = visit;
  const { source, kustomize } = release.spec;
  const inputs = {
    content: contentOf(content),
    kustomize,
    namespace: targetNamespace,
    folder: source.git?.path ?? source.oci?.path,
    chart:
      source.helm === undefined ? undefined : [source.helm.chart, source.helm.releaseName ?? release.metadata.name],
    renderer: services.renderer.version,
  };
  return `sha256:${services.sha256(canonicalJson(inputs))}`;
}

/** Neither where it is kept nor what it is called: an equal ConfigMap of another version gives the same render. */
function contentOf(content: SourceContent): unknown {
  switch (content.kind) {
    case 'objects':
      return content.objects;
    case 'texts':
      return content.files;
    case 'folder':
      return [content.artifact.digest, content.path];
    case 'chart':
      return [content.artifact.digest, content.values];
  }
}
