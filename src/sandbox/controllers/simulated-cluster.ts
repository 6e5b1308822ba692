import { createHash } from 'node:crypto';
import type { ObjectApi } from '../api/object-api.ts';
import { type ApiObject, controllerOf, type OwnerReference, timestamp } from '../objects/api-object.ts';
import { StatusError } from '../objects/status-error.ts';
import { apiVersionOf, type Resource, storageKey } from '../resources/resource.ts';
import { OwnerIndex } from './owner-index.ts';

const WRITER = { manager: 'convoy-sandbox' };

/** What the controllers see of the API: objects by kind, their owners, Events. */
export class SimulatedCluster {
  readonly api: ObjectApi;
  readonly index: OwnerIndex;
  readonly #resources = new Map<string, Resource>();
  readonly #events = new Map<string, string>();
  #told = 0;

  constructor(api: ObjectApi) {
    this.api = api;
    this.index = new OwnerIndex(api.store);
    // A kind of two groups is known by the one that comes first: core Events.
    for (const resource of api.registry.all()) {
      if (!this.#resources.has(resource.kind)) this.#resources.set(resource.kind, resource);
    }
  }

  now(): number {
    return this.api.world.now();
  }

  timestamp(): string {
    return timestamp(this.now());
  }

  /** The built-in resource of a kind. */
  resource(kind: string): Resource {
    const found = this.#resources.get(kind);
    if (found === undefined) throw new Error(`the sandbox has no kind ${kind}`);
    return found;
  }

  /** The caller names the type of the kind: defaults and validation made the object fit it. */
  get<T extends ApiObject>(kind: string, namespace: string, name: string): T | undefined {
    return this.api.store.get(storageKey(this.resource(kind)), namespace, name) as T | undefined;
  }

  list<T extends ApiObject>(kind: string, namespace = ''): T[] {
    return [...this.api.store.all(storageKey(this.resource(kind)), namespace)] as T[];
  }

  /** Objects of a kind whose controller is this one, by name. */
  controlledBy<T extends ApiObject>(owner: ApiObject, kind: string): T[] {
    const key = storageKey(this.resource(kind));
    return this.index
      .dependents(owner.metadata.uid)
      .filter((one) => one.key === key && controllerOf(one.object)?.uid === owner.metadata.uid)
      .map(({ object }) => object as T)
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  /** Creates an object; one that is there already, or whose namespace ends, is left alone. */
  create(kind: string, namespace: string, body: Record<string, unknown>): void {
    const resource = this.resource(kind);
    try {
      this.api.create(resource, namespace, { apiVersion: apiVersionOf(resource), kind, ...body }, WRITER);
    } catch (error) {
      if (!(error instanceof StatusError && ['AlreadyExists', 'Forbidden', 'NotFound'].includes(error.reason)))
        throw error;
    }
  }

  change(object: ApiObject, change: (draft: ApiObject) => unknown): void {
    const { namespace = '', name } = object.metadata;
    // What `change` returns is dropped: controllers change the draft.
    const onDraft = (draft: ApiObject): void => {
      change(draft);
    };
    this.api.change(this.resource(object.kind), namespace, name, onDraft, WRITER);
  }

  /** Writes the status when it differs. */
  setStatus(object: ApiObject, status: object): void {
    const { namespace = '', name } = object.metadata;
    this.api.setStatus(this.resource(object.kind), namespace, name, status, WRITER);
  }

  remove(object: ApiObject, gracePeriodSeconds?: number): void {
    const { namespace = '', name } = object.metadata;
    const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    this.api.remove(this.resource(object.kind), namespace, name, options);
  }

  /** Tells an Event; the same again is counted on the first, as client-go's recorder does. */
  tell(about: ApiObject, type: 'Normal' | 'Warning', reason: string, message: string, component: string): void {
    const { namespace = 'default', name, uid, resourceVersion } = about.metadata;
    const key = [uid, reason, message].join('\n');
    const known = this.get('Event', namespace, this.#events.get(key) ?? '');
    if (known !== undefined) {
      this.change(known, (draft) => {
        draft['count'] = Number(draft['count']) + 1;
        draft['lastTimestamp'] = this.timestamp();
      });
      return;
    }
    this.#told += 1;
    // Nanoseconds in hexadecimal, as client-go's recorder names them; the count keeps those of one millisecond apart.
    const nanoseconds = BigInt(Math.floor(this.now())) * 1_000_000n + BigInt(this.#told % 1_000_000);
    const eventName = `${name}.${nanoseconds.toString(16)}`;
    this.#events.set(key, eventName);
    this.create('Event', namespace, {
      metadata: { name: eventName },
      involvedObject: { apiVersion: about.apiVersion, kind: about.kind, namespace, name, uid, resourceVersion },
      type,
      reason,
      message,
      source: { component },
      reportingComponent: component,
      count: 1,
      firstTimestamp: this.timestamp(),
      lastTimestamp: this.timestamp(),
    });
  }
}

/** The reference by which a controller owns what it makes. */
export function ownerReference({ apiVersion, kind, metadata }: ApiObject): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The keys of a controller whose objects own others: the object itself, or the owner of what changed. */
export function workloadKeys(
  kind: string,
  ownedKind: string,
  ...objects: readonly (ApiObject | undefined)[]
): string[] {
  return objects.flatMap((object) => {
    if (object === undefined) return [];
    const namespace = object.metadata.namespace ?? '';
    if (object.kind === kind) return [`${namespace}/${object.metadata.name}`];
    const owner = object.kind === ownedKind ? controllerOf(object) : undefined;
    return owner?.kind === kind ? [`${namespace}/${owner.name}`] : [];
  });
}

const HASH_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** Ten letters that stand for a template, as Kubernetes names ReplicaSets; not the same ones. */
export function templateHash(template: object): string {
  let hash = hashes.get(template);
  if (hash === undefined) {
    hash = hashOf(template);
    hashes.set(template, hash);
  }
  return hash;
}

/** Of templates as they are stored, which never change. */
const hashes = new WeakMap<object, string>();

function hashOf(template: object): string {
  const sorted = JSON.stringify(template, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  const bytes = createHash('sha256').update(sorted).digest().subarray(0, 10);
  return [...bytes].map((byte) => HASH_LETTERS[byte % HASH_LETTERS.length]).join('');
}
