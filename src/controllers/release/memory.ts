import type { SourceFacts, SyncReason } from '../../core/release/attempt/index.ts';
import type { Render } from '../../core/release/index.ts';

/** A render whose Secrets are there. */
export interface StoredIndex {
  readonly renderRef: string;
  readonly revision: string;
  readonly inputs: string;
  /** Names of its Secrets. */
  readonly secrets: readonly string[];
}

/** What the source said last, and until when that counts. */
export interface SourceMemo {
  readonly generation: number;
  readonly facts: Exclude<SourceFacts, { readonly kind: 'due' }>;
  /** Failures in a row. */
  readonly failures: number;
}

/**
 * What a process knows of a Release between two reconciles. All of it can be lost: it is found again in the source and the Secrets,
 * at the price of reading them once.
 */
export class ReleaseMemory {
  source: SourceMemo | undefined;
  /** Undefined: not read yet. */
  stored: readonly StoredIndex[] | undefined;
  /** Names of the inventory's pages that were read or written; undefined: not read yet. */
  pages: Set<string> | undefined;
  /** The render that is being applied. */
  render: Render | undefined;
  /** The request by annotation for which the source was read anew. */
  annotated = '';
  readonly requests = new Set<SyncReason>();

  /** A ConfigMap or Secret that the source is made of has changed. */
  forgetSource(): void {
    this.source = undefined;
  }
}

/** One for each Release that this process works on. */
export class Memories {
  readonly #all = new Map<string, ReleaseMemory>();

  of(key: string): ReleaseMemory {
    const known = this.#all.get(key);
    if (known) return known;
    const fresh = new ReleaseMemory();
    this.#all.set(key, fresh);
    return fresh;
  }

  /** Undefined: nothing is known of it, so there is nothing to change. */
  known(key: string): ReleaseMemory | undefined {
    return this.#all.get(key);
  }

  forget(key: string): void {
    this.#all.delete(key);
  }
}
