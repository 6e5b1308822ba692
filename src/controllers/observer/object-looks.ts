import type { InventoryEntry } from '../../core/api/index.ts';
import { asInteger, asString } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { Look, ReadFault } from '../../core/release/health/index.ts';
import type { Clock } from '../../ports/clock.ts';
import { ApiError, TransportError } from '../../ports/errors.ts';
import type { Target } from '../../ports/targets.ts';
import { metadataOf } from '../../runtime/object-key.ts';
import type { ClusterGate } from './cluster-gate.ts';
import type { FollowedKind } from './target-objects.ts';
import { within } from './within.ts';

/** ms that one read may take. */
export const READ_LIMIT = 10_000;

/** A look, and where it came from: what could not be asked at all says something about the cluster. */
export interface Looked {
  readonly look: Look;
  readonly source: 'cache' | 'server';
  /** The cluster could not be asked. */
  readonly lost?: TransportError;
}

/**
 * What one Release remembers of its reads: by entry, the version of an object that a GET returned and that the cache has not shown yet.
 * Until it does, the cache may still hold what was there before our apply.
 */
export type Unconfirmed = Map<string, string>;

export interface LookInput {
  readonly key: string;
  readonly entry: InventoryEntry;
  readonly followed: FollowedKind;
  /** The value of the release label. */
  readonly label: string;
  readonly unconfirmed: Unconfirmed;
}

/** Reads the objects of inventory entries in one target cluster: from caches where these are new enough, else by GETs. */
export class ObjectLooks {
  readonly #clock: Clock;
  readonly #target: Target;
  readonly #gate: ClusterGate;

  constructor(clock: Clock, target: Target, gate: ClusterGate) {
    this.#clock = clock;
    this.#target = target;
    this.#gate = gate;
  }

  async look(input: LookInput, signal: AbortSignal): Promise<Looked> {
    const { entry, followed, label } = input;
    followed.use(entry.namespace);
    if (followed.cached(entry.namespace, entry.name) === undefined) {
      // Where the wait is too long, a GET says what is there, or why nothing can be said.
      await within(this.#clock, READ_LIMIT, signal, (limited) =>
        followed.settled(entry.namespace, label, limited),
      ).catch(() => false);
    }
    const cached = followed.cached(entry.namespace, entry.name)?.object;
    if (cached !== undefined && isNewEnough(cached, input)) return { look: { object: cached }, source: 'cache' };
    const looked = await this.#gate.read(() => this.#get(entry, signal));
    if ('object' in looked.look) {
      remember(input, looked.look.object);
      return looked;
    }
    // Nothing was seen: the next look is a first one again, whatever the entry says by then.
    input.unconfirmed.set(input.key, '');
    if (looked.look.fault !== 'NotFound' || entry.uid === undefined) return looked;
    return ended(followed, entry.uid) ?? looked;
  }

  async #get(entry: InventoryEntry, signal: AbortSignal): Promise<Looked> {
    const { group, version, resource, namespace, name } = entry;
    try {
      const object = await within(this.#clock, READ_LIMIT, signal, (limited) =>
        this.#target.reader.get(
          { type: { group, version, resource }, namespace, name },
          { signal: limited, timeout: READ_LIMIT },
        ),
      );
      return { look: { object }, source: 'server' };
    } catch (error) {
      if (signal.aborted) throw error;
      const fault = await this.#faultOf(error, entry);
      return {
        look: { fault: fault.fault, message: fault.message },
        source: 'server',
        ...(error instanceof TransportError ? { lost: error } : {}),
      };
    }
  }

  async #faultOf(error: unknown, entry: InventoryEntry): Promise<{ fault: ReadFault; message: string }> {
    if (error instanceof TransportError) {
      return { fault: error.fault === 'timeout' ? 'Timeout' : 'Unreachable', message: error.message };
    }
    if (!(error instanceof ApiError)) throw error;
    switch (error.code) {
      case 404:
        return (await this.#isServed(entry))
          ? { fault: 'NotFound', message: 'not on the cluster' }
          : {
              fault: 'KindNotServed',
              message: `the cluster serves no ${entry.resource} of ${entry.group === '' ? '' : `${entry.group}/`}${entry.version}`,
            };
      case 401:
      case 403:
        return { fault: 'Forbidden', message: error.message };
      case 504:
        return { fault: 'Timeout', message: error.message };
      default:
        return { fault: 'Unreachable', message: error.message };
    }
  }

  async #isServed({ group, kind, version }: InventoryEntry): Promise<boolean> {
    try {
      return (await this.#target.reader.discovery.kind(group, kind, version)) !== undefined;
    } catch {
      // Who cannot ask believes the 404.
      return true;
    }
  }
}

/**
 * An entry is judged only by an object at least as new as our apply: by generation where the kind counts one; else the first look at
 * a render is a GET, and the cache is believed once it has shown what that returned.
 */
function isNewEnough(cached: KubernetesObject, { key, entry, unconfirmed }: LookInput): boolean {
  const { uid, generation, resourceVersion } = metadataOf(cached);
  const applied = entry.generation ?? 0;
  if (uid === entry.uid && applied > 0 && Number(asInteger(generation) ?? 0n) >= applied) {
    unconfirmed.delete(key);
    return true;
  }
  if (entry.assessedRenderRef !== entry.renderRef) return false;
  // A hook is read until it has ended, by what is known of its own object alone.
  if (entry.hook !== undefined && uid !== entry.uid) return false;
  const expected = unconfirmed.get(key);
  if (expected !== undefined && expected !== resourceVersion) return false;
  unconfirmed.delete(key);
  return true;
}

function remember({ key, entry, followed, unconfirmed }: LookInput, object: KubernetesObject): void {
  const cached = followed.cached(entry.namespace, entry.name)?.object;
  const version = asString(metadataOf(object)['resourceVersion']);
  if (cached !== undefined && metadataOf(cached)['resourceVersion'] === version) unconfirmed.delete(key);
  else unconfirmed.set(key, version);
}

/** A hook whose end was seen before its object went. */
function ended(followed: FollowedKind, uid: string): Looked | undefined {
  const object = followed.endOf(uid);
  return object === undefined ? undefined : { look: { object }, source: 'cache' };
}
