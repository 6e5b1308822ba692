import type { ReleaseSpec } from '../core/api/index.ts';
import type { JsonMap } from '../core/object/fields.ts';
import type { KubernetesObject } from '../core/object/kubernetes-object.ts';

type Source = ReleaseSpec['source'];

/** What a source asks for before it gives anything. Never printed, never part of a message. */
export interface SourceCredentials {
  readonly username?: string;
  readonly password?: string;
  readonly bearerToken?: string;
  /** PEM. */
  readonly certificateAuthority?: string;
  /** An SSH private key, PEM. */
  readonly identity?: string;
  /** Lines of a known_hosts file. */
  readonly knownHosts?: string;
  /** `.dockerconfigjson`. */
  readonly dockerConfig?: string;
}

/** Where a source can be fetched from; everything else (inline, configMap) is read by whoever asks for the render. */
export type RemoteSource =
  | { readonly kind: 'git'; readonly git: NonNullable<Source['git']> }
  | { readonly kind: 'oci'; readonly oci: NonNullable<Source['oci']> }
  | { readonly kind: 'helm'; readonly helm: NonNullable<Source['helm']> };

/** Files that were fetched, in a cache that its adapter looks after. */
export interface Artifact {
  /** `sha256:…` of what was fetched, or Git's own digest of the tree: equal digests, equal files. */
  readonly digest: string;
  /** What a person calls it: `main@sha1:4f2c…`, `1.4.2`, `2.0.0@sha256:…`. */
  readonly revision: string;
  /** The folder on disk that the source names, its `path` applied already; of a chart the folder with Chart.yaml. It stays until `release` was called. */
  readonly path: string;
  /** `path` or a folder above it: what else was fetched, for Kustomize bases and links beside `path`. Nothing reaches out of it. */
  readonly root: string;
  /** Says that the files are needed no more. */
  release(): void;
}

/** A source could not be fetched or rendered. The message is one line for a person: what, where, and how to mend it. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  /**
   * - `retry` the next try may succeed: network, registry down
   * - `terminal` only a change of the source or the spec helps: no such tag, a template that does not render
   */
  readonly retry: 'retry' | 'terminal';

  constructor(message: string, retry: 'retry' | 'terminal', options?: ErrorOptions) {
    super(message, options);
    this.retry = retry;
  }
}

/** Fetches what a Release names. Every call ends: sizes are capped, times are limited, the signal ends it. Throws a SourceError. */
export interface SourceFetcher {
  /** A moving reference (branch, tag, range) is resolved anew; what is in the cache already is not fetched again. */
  fetch(source: RemoteSource, credentials: SourceCredentials, signal: AbortSignal): Promise<Artifact>;
}

/** One object with the place it was written at, for messages. */
export interface RenderedObject {
  readonly object: KubernetesObject;
  /** File (or `inline`, or a template's name). */
  readonly source: string;
  /** Of the document in the file, from 1. */
  readonly document: number;
  /** From 1; 0 where the renderer does not know (charts and kustomizations). */
  readonly line: number;
}

export type RenderRequest =
  /** Texts as they stand: inline, configMap. */
  | { readonly kind: 'texts'; readonly files: readonly { readonly name: string; readonly text: string }[] }
  /** Manifests in a folder, or a kustomization in it or on top of it. */
  | {
      readonly kind: 'folder';
      readonly artifact: Artifact;
      /** Below `artifact.path`: `spec.kustomize.path`, else ''. Never outside. A kustomization in that folder is built, with or without `kustomize`. */
      readonly path: string;
      readonly kustomize?: NonNullable<ReleaseSpec['kustomize']>;
    }
  | {
      readonly kind: 'chart';
      readonly artifact: Artifact;
      readonly releaseName: string;
      readonly namespace: string;
      /** Merged already: valuesFrom in order, then values. */
      readonly values: JsonMap;
      /** `.Capabilities`: `v1.36.3`, and `group/version` and `group/version/Kind` that are served. */
      readonly kubeVersion: string;
      readonly apiVersions: readonly string[];
      /** `.Release.IsUpgrade`. */
      readonly upgrade: boolean;
    };

/** Turns a source into objects, in the order in which they were written. Throws a SourceError. */
export interface Renderer {
  /** Goes into the decision whether a render is still good: it changes when the same input may render otherwise. */
  readonly version: string;
  render(request: RenderRequest, signal: AbortSignal): Promise<readonly RenderedObject[]>;
}
