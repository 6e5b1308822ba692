/**
 * Keys in the order in which they are served: groups take turns, keys of one group are first come, first served. With one group it
 * is a plain queue. A group that floods the queue delays itself and nobody else.
 */
export class FairOrder<Key> {
  readonly #groupOf: (key: Key) => string;
  /** Groups that have keys, the next to be served first. */
  readonly #groups = new Map<string, Set<Key>>();
  #size = 0;

  constructor(groupOf: (key: Key) => string = () => '') {
    this.#groupOf = groupOf;
  }

  get size(): number {
    return this.#size;
  }

  /** A key that is there already keeps its place. */
  push(key: Key): void {
    const name = this.#groupOf(key);
    const group = this.#groups.get(name);
    if (group?.has(key)) return;
    this.#size += 1;
    if (group) group.add(key);
    else this.#groups.set(name, new Set([key]));
  }

  shift(): Key | undefined {
    for (const [name, group] of this.#groups) {
      this.#groups.delete(name);
      for (const key of group) {
        group.delete(key);
        this.#size -= 1;
        if (group.size > 0) this.#groups.set(name, group);
        return key;
      }
    }
    return undefined;
  }
}
