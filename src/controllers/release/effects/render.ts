import { asString, field } from '../../../core/object/fields.ts';
import { problemText, type Render, renderOf, type SourceObject } from '../../../core/release/index.ts';
import { type RenderRequest, SourceError } from '../../../ports/renderer.ts';
import { AGAIN, type Step } from '../failures.ts';
import { kindLookup } from '../kind-lookup.ts';
import { storeRender } from '../render-store.ts';
import type { SourceContent } from '../source/read-source.ts';
import type { Visit } from '../visit.ts';
import { noteSourceFailure } from './fetch-source.ts';

/** Problems that a message names; the rest are counted. */
const SHOWN_PROBLEMS = 3;

/** Renders what was fetched and stores it, before anything is decided by it. */
export async function renderSource(visit: Visit, inputs: string): Promise<Step> {
  const { content, memory } = visit;
  if (content === undefined) {
    // The files were fetched in an earlier visit and given back.
    memory.source = undefined;
    return AGAIN;
  }
  try {
    const render = await renderContent(visit, content);
    if (render.objects.length === 0 && !visit.release.spec.syncPolicy.allowEmpty) {
      const mend = 'check the path, or set spec.syncPolicy.allowEmpty';
      throw new SourceError(`${content.revision} renders no object, and would prune everything; ${mend}`, 'terminal');
    }
    await storeRender(visit, render, content.revision, inputs);
    memory.render = render;
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    noteSourceFailure(visit, 'RenderFailed', error);
  }
  return AGAIN;
}

async function renderContent(visit: Visit, content: SourceContent): Promise<Render> {
  const documents = await documentsOf(visit, content);
  const { cluster, home } = await visit.target();
  const kinds = await kindLookup(
    cluster.discovery,
    documents.map(({ object }) => object),
  );
  const render = renderOf(documents, {
    namespace: visit.targetNamespace,
    kinds,
    sha256: visit.services.sha256,
    ...(home ? { holder: visit.release.metadata } : {}),
  });
  if (!('problems' in render)) return render;
  const shown = render.problems.slice(0, SHOWN_PROBLEMS).map(problemText).join('; ');
  const more = render.problems.length - SHOWN_PROBLEMS;
  throw new SourceError(more > 0 ? `${shown}; and ${more} more` : shown, 'terminal');
}

async function documentsOf(visit: Visit, content: SourceContent): Promise<readonly SourceObject[]> {
  if (content.kind === 'objects') {
    return content.objects.map((object, index) => ({ object, source: 'inline', document: index + 1, line: 0 }));
  }
  return visit.services.renderer.render(await requestOf(visit, content), visit.signal);
}

async function requestOf(visit: Visit, content: Exclude<SourceContent, { kind: 'objects' }>): Promise<RenderRequest> {
  const { metadata, spec, status } = visit.release;
  switch (content.kind) {
    case 'texts':
      return { kind: 'texts', files: content.files };
    case 'folder': {
      const { artifact, path } = content;
      return {
        kind: 'folder',
        artifact,
        path,
        ...(spec.kustomize === undefined ? {} : { kustomize: spec.kustomize }),
      };
    }
    case 'chart':
      return {
        kind: 'chart',
        artifact: content.artifact,
        releaseName: spec.source.helm?.releaseName ?? metadata.name,
        namespace: visit.targetNamespace,
        values: content.values,
        upgrade: status.lastApplied !== undefined,
        ...(await capabilities(visit)),
      };
  }
}

/** What a chart may ask of the cluster. */
async function capabilities(visit: Visit): Promise<{ kubeVersion: string; apiVersions: readonly string[] }> {
  const { cluster } = await visit.target();
  const version = await cluster.raw('GET', '/version', undefined, { signal: visit.signal });
  const types = await cluster.discovery.all();
  const apiVersions = new Set<string>();
  for (const { group, version: served, kind } of types) {
    const apiVersion = group === '' ? served : `${group}/${served}`;
    apiVersions.add(apiVersion).add(`${apiVersion}/${kind}`);
  }
  return { kubeVersion: asString(field(version, 'gitVersion')), apiVersions: [...apiVersions].sort() };
}
