import {
  API_VERSION,
  INVENTORIES,
  RELEASES,
  type Release,
  type ReleaseInventory,
  readInventory,
  readRelease,
} from '../../core/api/index.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import {
  type AttemptPlan,
  conditionsOf,
  type OwnStatus,
  ownStatus,
  type Report,
  type StatusChange,
} from '../../core/release/attempt/index.ts';
import { canonicalJson } from '../../core/release/canonical.ts';
import { CONTROLLER_MANAGER, type Owner, ownerOf } from '../../core/release/index.ts';
import { pagesOf } from '../../core/release/inventory/index.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Target } from '../../ports/targets.ts';
import { fenced } from './fenced-cluster.ts';
import type { ReleaseMemory } from './memory.ts';
import { readPages } from './read-pages.ts';
import { NotOwnerError, type Services } from './services.ts';
import type { SourceContent } from './source/read-source.ts';

/**
 * One look at a Release by one worker: what was read of it, kept up with what was written since, so that each step decides on the
 * newest state without reading all of it again. A write that meets a newer version fails, and the next visit begins anew.
 */
export class Visit {
  readonly key: string;
  readonly services: Services;
  readonly memory: ReleaseMemory;
  readonly signal: AbortSignal;
  /** The home cluster; it refuses to write once this process may not act any more. */
  readonly home: Cluster;
  readonly owner: Owner;
  /** Autoscalers of the target by namespace, as far as they were listed in this visit. */
  readonly autoscalers = new Map<string, Promise<readonly KubernetesObject[]>>();
  /** Whether objects that go were looked for already. */
  swept = false;
  /** Of the attempt, once it was needed. */
  plan: AttemptPlan | undefined;
  #content: SourceContent | undefined;
  #release: Release;
  #pages: readonly ReleaseInventory[];
  #target: Target | undefined;

  private constructor(
    services: Services,
    memory: ReleaseMemory,
    release: Release,
    pages: readonly ReleaseInventory[],
    signal: AbortSignal,
  ) {
    const { namespace, name } = release.metadata;
    this.key = `${namespace}/${name}`;
    this.services = services;
    this.memory = memory;
    this.signal = signal;
    this.home = fenced(services.home, () => this.#check());
    this.owner = ownerOf(services.installation, namespace, name, services.sha256);
    this.#release = release;
    this.#pages = pages;
  }

  /** Undefined: there is no such Release. Throws an Error for one that its definition does not describe. */
  static async begin(
    services: Services,
    memory: ReleaseMemory,
    object: KubernetesObject,
    signal: AbortSignal,
  ): Promise<Visit> {
    const release = releaseOf(object);
    return new Visit(services, memory, release, await readPages(services, memory, release, signal), signal);
  }

  get release(): Release {
    return this.#release;
  }

  get pages(): readonly ReleaseInventory[] {
    return this.#pages;
  }

  /** RFC 3339, with ms: two attempts can begin within one second. */
  get now(): string {
    return new Date(this.services.clock.now()).toISOString();
  }

  /** Where the objects of the Release are; read once in a visit. Its cluster refuses to write once this process may not act. */
  async target(): Promise<Target> {
    if (this.#target === undefined) {
      const target = await this.services.targets.of(this.#release, this.signal);
      this.#target = { ...target, cluster: fenced(target.cluster, () => this.#check()) };
    }
    return this.#target;
  }

  /** For objects that name none. */
  get targetNamespace(): string {
    return this.#release.spec.target?.namespace || this.#release.metadata.namespace;
  }

  /** What the source gave, with its files, if it was read in this visit. */
  get content(): SourceContent | undefined {
    return this.#content;
  }

  keepContent(content: SourceContent): void {
    this.end();
    this.#content = content;
  }

  /** Gives back what was fetched. */
  end(): void {
    const content = this.#content;
    this.#content = undefined;
    if (content?.kind === 'folder' || content?.kind === 'chart') content.artifact.release();
  }

  /** Takes over what a write of the Release returned. */
  keepRelease(object: KubernetesObject): void {
    this.#release = releaseOf(object);
  }

  /** Takes over what a write of a page returned. */
  keepPage(object: KubernetesObject): void {
    const read = readInventory(object);
    if ('problem' in read) throw new Error(`ReleaseInventory ${read.problem}`);
    this.memory.pages?.add(read.value.metadata.name);
    const others = this.#pages.filter(({ metadata }) => metadata.name !== read.value.metadata.name);
    this.#pages = pagesOf(this.#release.metadata, [...others, read.value]);
  }

  dropPage(name: string): void {
    this.memory.pages?.delete(name);
    this.#pages = this.#pages.filter(({ metadata }) => metadata.name !== name);
  }

  /** Writes the controller's part of the status if it differs, on the version that was decided on. The observer's part is not touched. */
  async writeStatus({ status, report }: StatusChange): Promise<void> {
    const { metadata, status: before } = this.#release;
    const conditions = conditionsOf(report, before.conditions ?? [], metadata.generation, this.now);
    const mine = (before.conditions ?? []).filter(({ type }) => OWN_CONDITIONS.includes(type));
    const wanted = { ...status, conditions };
    if (canonicalJson(wanted) === canonicalJson({ ...ownStatus(before), conditions: mine })) return;
    const { namespace, name, resourceVersion } = metadata;
    const object = {
      apiVersion: API_VERSION,
      kind: 'Release',
      metadata: { name, namespace, resourceVersion },
      status: wanted,
    };
    const options = { fieldManager: CONTROLLER_MANAGER, force: true, subresource: 'status', signal: this.signal };
    this.keepRelease(await this.home.apply({ type: RELEASES, namespace, name }, object, options));
  }

  /** Writes another report, and with it what else of the status is to change. */
  writeReport(report: Report, changed: OwnStatus = {}): Promise<void> {
    return this.writeStatus({ status: { ...ownStatus(this.#release.status), ...changed }, report });
  }

  tell(type: 'Normal' | 'Warning', reason: string, action: string, note: string): void {
    const { namespace, name, uid } = this.#release.metadata;
    const regarding = { ...RELEASE_KIND, namespace, name, uid };
    // Notes name the render: those of another one must not be hidden behind a count.
    const about = this.#release.status.lastAttempted?.renderRef ?? '';
    this.services.events.record({ regarding, type, reason, action, about, note: note.slice(0, LONGEST_NOTE) });
  }

  pagePath(name: string): { type: typeof INVENTORIES; namespace: string; name: string } {
    return { type: INVENTORIES, namespace: this.#release.metadata.namespace, name };
  }

  #check(): void {
    this.signal.throwIfAborted();
    if (!this.services.mayAct(this.key, this.#release.metadata.uid))
      throw new NotOwnerError(`${this.key} is another replica's now`);
  }
}

const OWN_CONDITIONS = ['Ready', 'Reconciling', 'Stalled'];
const RELEASE_KIND = { group: RELEASES.group, version: RELEASES.version, kind: 'Release' };
/** The API server takes notes of 1 KiB. */
const LONGEST_NOTE = 1000;

function releaseOf(object: KubernetesObject): Release {
  const read = readRelease(object);
  if ('problem' in read) throw new Error(`Release ${read.problem}`);
  return read.value;
}
