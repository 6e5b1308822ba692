import type { KubernetesObject } from '../core/object/kubernetes-object.ts';
import type { Informer, InformerHandler } from './informer.ts';
import { keyOf, metadataOf, sameVersion } from './object-key.ts';

/** A handler that writes down what it hears, and each breach of a key's history: added, updated …, deleted, added … */
export class History implements InformerHandler {
  readonly lines: string[] = [];
  readonly breaches: string[] = [];
  readonly #known = new Map<string, KubernetesObject>();

  added(object: KubernetesObject, initial: boolean): void {
    const key = this.#note(`added${initial ? ' initially' : ''}`, object);
    if (this.#known.has(key)) this.breaches.push(`${key} added twice`);
    this.#known.set(key, object);
  }

  updated(object: KubernetesObject, before: KubernetesObject): void {
    const key = this.#note('updated', object);
    if (this.#known.get(key) !== before) this.breaches.push(`${key} updated from a state nobody was told`);
    if (sameVersion(object, before)) this.breaches.push(`${key} updated to what it was`);
    this.#known.set(key, object);
  }

  deleted(object: KubernetesObject, finalStateUnknown: boolean): void {
    const key = this.#note(`deleted${finalStateUnknown ? ', final state unknown' : ''}`, object);
    if (!this.#known.delete(key)) this.breaches.push(`${key} deleted and was not there`);
  }

  /** What the handler believes to be there. */
  versions(): string[] {
    return versionsOf([...this.#known.values()]);
  }

  #note(what: string, object: KubernetesObject): string {
    const key = keyOf(object);
    this.lines.push(`${key} ${what}`);
    return key;
  }
}

export function versionsOf(objects: readonly KubernetesObject[]): string[] {
  return objects.map((object) => `${keyOf(object)}@${String(metadataOf(object)['resourceVersion'])}`).sort();
}

/** Starts an informer; `stop` resolves when it has ended. */
export function running(informer: Informer): { readonly stop: () => Promise<void> } {
  const stop = new AbortController();
  const run = informer.run(stop.signal);
  return {
    stop: () => {
      stop.abort();
      return run;
    },
  };
}
