import { asMap, asString } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import type { RenderObject } from '../../../core/release/index.ts';
import { type ControllerChange, entriesOf, entryKey } from '../../../core/release/inventory/index.ts';
import { changeEntries } from '../pages.ts';
import type { Visit } from '../visit.ts';

/** ms that an applied object may wait to be told: the observer judges it from then on. */
const LATEST = 1000;

interface Applied {
  readonly ref: RenderObject['ref'];
  readonly set: {
    readonly renderRef: string;
    readonly uid: string;
    readonly generation: number;
    readonly appliedAt: string;
  };
  /** The apply has made or changed the object. */
  readonly changed: boolean;
}

/** renderRef, uid, generation and appliedAt of objects that were applied, written together. */
export class AppliedBatch {
  readonly #visit: Visit;
  #applied: Applied[] = [];
  #first = 0;

  constructor(visit: Visit) {
    this.#visit = visit;
  }

  /** `live`: what was there before. */
  async add({ ref }: RenderObject, live: KubernetesObject | undefined, applied: KubernetesObject): Promise<void> {
    const { clock } = this.#visit.services;
    const metadata = asMap(applied['metadata']);
    const { renderRef = '', time = '' } = this.#visit.release.status.lastAttempted ?? {};
    const { now } = this.#visit;
    if (this.#applied.length === 0) this.#first = clock.now();
    const set = {
      renderRef,
      uid: asString(metadata['uid']),
      generation: Number(metadata['generation'] ?? 0),
      // A clock that was set back must not make it look as if this attempt had not applied it.
      appliedAt: later(now, time),
    };
    const changed = asMap(live?.['metadata'])['resourceVersion'] !== metadata['resourceVersion'];
    this.#applied.push({ ref, set, changed });
    if (clock.now() - this.#first >= LATEST) await this.flush();
  }

  async flush(): Promise<void> {
    const applied = this.#applied;
    this.#applied = [];
    if (applied.length === 0) return;
    const entries = new Map(entriesOf(this.#visit.pages).map((entry) => [entryKey(entry), entry]));
    const changes = applied.map(({ ref, set, changed }): ControllerChange => {
      const entry = entries.get(entryKey(ref));
      // A crash between apply and write leaves a generation that the entry does not know.
      const other = changed || entry?.uid !== set.uid || entry.generation !== set.generation;
      // The observer has assessed this render before, on another object or another content of it: that is no verdict on this one.
      const stale = other && entry?.assessedRenderRef === set.renderRef;
      return { entry: ref, set: stale ? { ...set, assessedRenderRef: undefined } : set };
    });
    await changeEntries(this.#visit, changes);
  }
}

/** Of two RFC 3339 times in UTC. */
export function later(one: string, other: string): string {
  return one > other ? one : other;
}
