import { isMap } from '../core/object/fields.ts';
import type { KubernetesObject } from '../core/object/kubernetes-object.ts';
import {
  type Artifact,
  type RemoteSource,
  type RenderedObject,
  type Renderer,
  type RenderRequest,
  SourceError,
  type SourceFetcher,
} from '../ports/renderer.ts';

/** A source far away whose content a test sets. */
export class FakeFetcher implements SourceFetcher {
  /** What is fetched from now on, or why nothing is. */
  content: { readonly digest: string; readonly revision: string } | SourceError = {
    digest: 'sha256:0',
    revision: 'main@sha1:0',
  };
  /** What was asked for. */
  readonly fetched: RemoteSource[] = [];
  /** Artifacts that nobody has given back. */
  held = 0;

  async fetch(source: RemoteSource): Promise<Artifact> {
    this.fetched.push(source);
    if (this.content instanceof SourceError) throw this.content;
    this.held += 1;
    const release = (): void => {
      this.held -= 1;
    };
    return { ...this.content, path: '/artifact', root: '/artifact', release };
  }
}

/** Texts are JSON: an object or a list of them. What folders and charts render to, a test sets. */
export class FakeRenderer implements Renderer {
  version = 'fake-1';
  /** How often something was rendered. */
  renders = 0;
  chart: (request: Exclude<RenderRequest, { kind: 'texts' }>) => readonly KubernetesObject[] = () => [];

  async render(request: RenderRequest): Promise<readonly RenderedObject[]> {
    this.renders += 1;
    if (request.kind !== 'texts') return placed(this.chart(request), request.kind);
    return request.files.flatMap(({ name, text }) => placed(parsed(name, text), name));
  }
}

function parsed(name: string, text: string): readonly KubernetesObject[] {
  try {
    const value: unknown = JSON.parse(text);
    return (Array.isArray(value) ? value : [value]).filter(isMap);
  } catch (error) {
    throw new SourceError(`${name}: this is no JSON`, 'terminal', { cause: error });
  }
}

function placed(objects: readonly KubernetesObject[], source: string): readonly RenderedObject[] {
  return objects.map((object, index) => ({ object, source, document: index + 1, line: 0 }));
}
