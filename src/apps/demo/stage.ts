import { RELEASES, type Release, readRelease } from '../../core/api/index.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster, ObjectPath } from '../../ports/cluster.ts';
import { ApiError } from '../../ports/errors.ts';
import { Informer } from '../../runtime/informer.ts';
import { pause } from '../../runtime/pause.ts';
import { releaseNews } from './release-news.ts';

export interface StageOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly namespace: string;
  /** The Release that everything is about. */
  readonly release: string;
  /** Shows a line to the person who watches. */
  readonly tell: (line: string) => void;
}

/** ms in which a scene comes to its end; only a defect takes longer. */
const LIMIT = 180_000;
/** ms between two looks at what is waited for. */
const LOOK = 200;
/** Whoever watches is told of kubectl. */
const FIELD_MANAGER = 'kubectl';

/** A scene did not come to its end. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}

/** Where a demo plays: it says what it does, does it, and waits, while every change of the Release is told. */
export class Stage {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly #options: StageOptions;
  readonly #signal: AbortSignal;
  readonly #releases: Informer;
  readonly #start: number;
  #scenes = 0;
  #seen: Release | undefined;

  constructor(options: StageOptions, signal: AbortSignal) {
    const { cluster, clock, namespace, release } = options;
    this.cluster = cluster;
    this.namespace = namespace;
    this.#options = options;
    this.#signal = signal;
    this.#start = clock.now();
    const fieldSelector = `metadata.name=${release}`;
    this.#releases = new Informer({ cluster, clock, path: { type: RELEASES, namespace }, fieldSelector });
    const look = (object: KubernetesObject): void => this.#look(object);
    this.#releases.addHandler({ added: look, updated: look, deleted: () => this.#look(undefined) });
  }

  /** Follows the Release until the signal aborts. */
  follow(): Promise<void> {
    return this.#releases.run(this.#signal);
  }

  /** The Release as it was last seen. */
  get release(): Release | undefined {
    return this.#seen;
  }

  /** Begins a scene: what happens now, in a sentence or two. */
  scene(title: string, ...text: readonly string[]): void {
    const { tell } = this.#options;
    this.#scenes += 1;
    tell('');
    tell(`${this.#scenes}. ${title}`);
    for (const line of text) tell(`   ${line}`);
  }

  /** What a person could type to see the same. */
  typed(command: string): void {
    this.#options.tell(`   $ ${command}`);
  }

  /** A sentence with the time since the beginning. */
  news(text: string): void {
    const seconds = Math.round((this.#options.clock.now() - this.#start) / 1000);
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    this.#options.tell(`   ${time.padStart(5)}  ${text}`);
  }

  /** Applies an object, as kubectl would. */
  async apply(type: ObjectPath['type'], object: KubernetesObject & { metadata: { name: string } }): Promise<void> {
    const namespace = type.resource === 'namespaces' ? '' : this.namespace;
    const path = { type, namespace, name: object.metadata.name };
    await this.cluster.apply(path, object, { fieldManager: FIELD_MANAGER, force: true, signal: this.#signal });
  }

  /** Changes an object by a merge patch. */
  async patch(type: ObjectPath['type'], name: string, patch: unknown): Promise<void> {
    const path = { type, namespace: this.namespace, name };
    await this.cluster.patch(path, 'merge', patch, { fieldManager: FIELD_MANAGER, signal: this.#signal });
  }

  async delete(type: ObjectPath['type'], name: string): Promise<void> {
    await this.cluster.delete({ type, namespace: this.namespace, name }, { signal: this.#signal });
  }

  /** Undefined: it is not there. */
  async get(type: ObjectPath['type'], name: string): Promise<KubernetesObject | undefined> {
    try {
      return await this.cluster.get({ type, namespace: this.namespace, name }, { signal: this.#signal });
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return undefined;
      throw error;
    }
  }

  /** Waits until something holds. @throws DemoError when it does not come to that */
  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const { clock } = this.#options;
    const end = clock.now() + LIMIT;
    while (!this.#signal.aborted && !(await holds())) {
      if (clock.now() > end) throw new DemoError(`the demo waited ${LIMIT / 1000} s in vain: ${what}`);
      await pause(clock, LOOK, this.#signal);
    }
    this.#signal.throwIfAborted();
  }

  /** Whether a condition of the Release is as it should be, for what is asked for now. */
  is(type: string, status: string, reason?: string): boolean {
    const { release } = this;
    if (release === undefined || release.status.observedGeneration !== release.metadata.generation) return false;
    const found = release.status.conditions?.find((one) => one.type === type);
    return found?.status === status && (reason === undefined || found.reason === reason);
  }

  #look(object: KubernetesObject | undefined): void {
    const read = object === undefined ? undefined : readRelease(object);
    if (read !== undefined && 'problem' in read) return;
    const after = read?.value;
    for (const line of releaseNews(this.#seen, after)) this.news(line);
    this.#seen = after;
  }
}
