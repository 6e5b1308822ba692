import { asMap, asString } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import type { RenderObject } from '../../../core/release/index.ts';
import type { ControllerChange } from '../../../core/release/inventory/index.ts';
import { changeEntries } from '../pages.ts';
import type { Visit } from '../visit.ts';

/** ms that an applied object may wait to be told: the observer judges it from then on. */
const LATEST = 1000;

/** renderRef, uid, generation and appliedAt of objects that were applied, written together. */
export class AppliedBatch {
  readonly #visit: Visit;
  #changes: ControllerChange[] = [];
  #first = 0;

  constructor(visit: Visit) {
    this.#visit = visit;
  }

  async add({ ref }: RenderObject, applied: KubernetesObject): Promise<void> {
    const { clock } = this.#visit.services;
    const metadata = asMap(applied['metadata']);
    const { renderRef = '', time = '' } = this.#visit.release.status.lastAttempted ?? {};
    const { now } = this.#visit;
    if (this.#changes.length === 0) this.#first = clock.now();
    const set = {
      renderRef,
      uid: asString(metadata['uid']),
      generation: Number(metadata['generation'] ?? 0),
      // A clock that was set back must not make it look as if this attempt had not applied it.
      appliedAt: later(now, time),
    };
    this.#changes.push({ entry: ref, set });
    if (clock.now() - this.#first >= LATEST) await this.flush();
  }

  async flush(): Promise<void> {
    const changes = this.#changes;
    this.#changes = [];
    await changeEntries(this.#visit, changes);
  }
}

/** Of two RFC 3339 times in UTC. */
function later(one: string, other: string): string {
  return one > other ? one : other;
}
