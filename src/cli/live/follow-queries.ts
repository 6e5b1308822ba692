import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { ClusterConnection, Followed, Query } from './connection.ts';
import { isNotFound, isRefusal } from './failures.ts';
import type { Finding } from './read-queries.ts';

/** Queries whose objects are known and kept up to date. */
export class FollowedQueries {
  readonly #followed: readonly { readonly query: Query; readonly followed: Followed }[];

  /** @param timeout ms for one request; undefined: the client's */
  constructor(
    connection: ClusterConnection,
    queries: readonly Query[],
    changed: () => void,
    signal: AbortSignal,
    timeout: number | undefined,
  ) {
    this.#followed = queries.map((query) => ({ query, followed: connection.follow(query, changed, signal, timeout) }));
  }

  /** What each query finds now; undefined until all are known. One that may not be read has its error instead. */
  findings(): readonly Finding[] | undefined {
    const findings: Finding[] = [];
    for (const { query, followed } of this.#followed) {
      const { synced, problem } = followed;
      // A token that is no longer good stays so; a permission that goes leaves what is known.
      if (isRefusal(problem) && (!synced || problem.code === 401)) findings.push({ query, error: problem });
      else if (synced || isNotFound(problem)) findings.push({ query, objects: followed.objects() });
      else return undefined;
    }
    return findings;
  }

  /** Objects that are known now, of all queries together. */
  objects(): readonly KubernetesObject[] {
    return this.#followed.flatMap(({ followed }) => followed.objects());
  }

  /** Whether each is known, or cannot be. */
  get settled(): boolean {
    return this.#followed.every(({ followed }) => followed.synced || followed.problem !== undefined);
  }

  /** Why one of the queries cannot be read at present, and is tried again. */
  get problem(): Error | undefined {
    return this.#followed.map(({ followed }) => followed.problem).find((one) => one !== undefined && !isNotFound(one));
  }
}
