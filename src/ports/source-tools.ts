import type { Artifact, RenderedObject, SourceCredentials } from './renderer.ts';

/**
 * What fetchers and renderers need from each other and from the world. Each is made in a folder of its own and handed in by
 * the builder of the renderers, so that no adapter imports its sibling.
 */

/** Does a work with an empty folder for us alone (0700), which is deleted behind it, or by the next start after a kill. */
export type Scratch = <Result>(work: (folder: string) => Promise<Result>) => Promise<Result>;

/** Caps of one fetch or render. */
export interface SourceLimits {
  /** Of what is downloaded, of what it unpacks to, and of what a program prints. */
  readonly bytes: number;
  /** Entries of one artifact: files, folders and links. */
  readonly files: number;
}

/** A program that could not be run to its end. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
  /**
   * - `missing` there is no such program
   * - `output` it printed more than it may
   */
  readonly fault: 'missing' | 'output';

  constructor(fault: 'missing' | 'output', message: string) {
    super(message);
    this.fault = fault;
  }
}

export interface ProgramCall {
  readonly cwd: string;
  /** Nothing else of our own surroundings is seen by the program. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Kills the program and all that it started. */
  readonly signal: AbortSignal;
  /** Bytes of stdout. */
  readonly maxOutput: number;
  /** Bytes of the largest file that it may write; it ends with SIGXFSZ beyond. */
  readonly maxFile?: number;
  /** Gets stdout piece by piece instead of the result; the program waits meanwhile. */
  readonly onOutput?: (piece: Buffer) => void | Promise<void>;
}

export interface ProgramResult {
  /** -1 when a signal ended it. */
  readonly code: number;
  readonly stdout: Buffer;
  /** Its last 64 KiB. */
  readonly stderr: string;
}

/** Runs a program without a shell's reading of its arguments. @throws ProgramError, or the reason of the signal */
export type RunProgram = (program: string, args: readonly string[], call: ProgramCall) => Promise<ProgramResult>;

export interface DownloadRequest {
  readonly url: URL;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The value of the header of that name; sent to the origin of `url` alone, never on after a redirect to another. */
  readonly authorization?: string | undefined;
  /** PEM. */
  readonly certificateAuthority?: string | undefined;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface Downloaded {
  readonly status: number;
  /** Of the last answer; '' when it is not there. */
  header(name: string): string;
  /** Where the last answer came from. */
  readonly url: URL;
  /** Fails with a SourceError beyond maxBytes. Has to be read or discarded. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The body as a whole. */
  bytes(): Promise<Uint8Array>;
  /** Ends the exchange without the body. */
  discard(): void;
}

/** Asks by HTTP: https, and http on this machine alone. @throws SourceError, or the reason of the signal */
export type Download = (request: DownloadRequest) => Promise<Downloaded>;

/** Writes the files of an artifact that is not yet to be seen. All paths are relative, with `/`. @throws SourceError */
export interface ArtifactWriter {
  readonly limits: SourceLimits;
  folder(path: string): Promise<void>;
  file(path: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Is made when everything else is written, if its target is inside then. */
  link(path: string, target: string): void;
}

/** What an artifact is stored under. */
export interface ArtifactKey {
  /** Who may see it: address, credentials, digest, part. Only a keyed hash of it is ever written. */
  readonly scope: readonly string[];
  readonly revision: string;
  /** The folder below the artifact's root that the source names. */
  readonly path?: string;
}

/** What a filled artifact turned out to be. */
export interface Filled {
  readonly digest: string;
  /** Instead of the key's. */
  readonly path?: string;
}

export interface ArtifactCache {
  /**
   * The artifact, filled by `fill` unless it is there already. Calls for the same key at the same time share one fill.
   * @throws SourceError of `fill`, or for a full disk
   */
  use(
    key: ArtifactKey,
    signal: AbortSignal,
    fill: (writer: ArtifactWriter, signal: AbortSignal) => Promise<Filled>,
  ): Promise<Artifact>;
}

/** Reads a tar stream, gzip or not, into an artifact. @throws SourceError for what is no archive, too much, or leads outside */
export type Unpack = (
  archive: AsyncIterable<Uint8Array>,
  writer: ArtifactWriter,
  /** For messages. */
  name: string,
) => Promise<void>;

/** One layer of an artifact in a registry. */
export interface OciLayer {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export interface OciManifest {
  /** `sha256:…` of the manifest. */
  readonly digest: string;
  readonly layers: readonly OciLayer[];
}

/** One repository of an OCI registry, with credentials. @throws SourceError */
export interface OciRepository {
  /** `oci://host/path` */
  readonly shown: string;
  tags(): Promise<readonly string[]>;
  /** By tag or digest. */
  manifest(reference: string): Promise<OciManifest>;
  /** The bytes of a layer; the digest is checked at their end. */
  layer(layer: OciLayer): AsyncIterable<Uint8Array>;
}

export type OpenOciRepository = (
  /** `oci://…` */
  url: string,
  /** The field it stands in, for messages. */
  field: string,
  credentials: SourceCredentials,
  signal: AbortSignal,
) => OciRepository;

/** The highest of the versions in a range; undefined when none is. @throws SourceError for what is no range */
export type PickVersion = (range: string, versions: Iterable<string>) => string | undefined;

/** Reads the objects of a text; `problems` are lines that name the place. A text without objects has neither. */
export type ParseManifests = (
  name: string,
  content: Uint8Array | string,
) => Promise<{ readonly objects: readonly RenderedObject[]; readonly problems: readonly string[] }>;

/** Reads YAML of one document. @throws an error whose message says what is wrong */
export type ParseYaml = (text: string) => unknown;
