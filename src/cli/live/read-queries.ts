import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { ClusterConnection, Query } from './connection.ts';
import { isNotFound } from './failures.ts';

/** Queries that are asked at the same time; the client has no more connections than that for one cluster. */
const AT_ONCE = 8;

/** What one query found, or why it could not be asked. */
export type Finding =
  | { readonly query: Query; readonly objects: readonly KubernetesObject[] }
  | { readonly query: Query; readonly error: unknown };

async function read(connection: ClusterConnection, query: Query, timeout: number | undefined): Promise<Finding> {
  const { type, namespace, name, labelSelector, fieldSelector } = query;
  const call = timeout === undefined ? {} : { timeout };
  try {
    if (name !== undefined) {
      return { query, objects: [await connection.cluster.get({ type, namespace, name }, call)] };
    }
    const objects = await connection.listAll(
      { type, namespace },
      {
        ...call,
        ...(labelSelector === undefined ? {} : { labelSelector }),
        ...(fieldSelector === undefined ? {} : { fieldSelector }),
      },
    );
    return { query, objects };
  } catch (error) {
    // An object that is not there is an answer.
    return isNotFound(error) && name !== undefined ? { query, objects: [] } : { query, error };
  }
}

/** Asks all queries once; findings stand in the order of the queries. */
export async function readQueries(
  connection: ClusterConnection,
  queries: readonly Query[],
  timeout?: number,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let place = next++; place < queries.length; place = next++) {
      const query = queries[place];
      if (query !== undefined) findings[place] = await read(connection, query, timeout);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return findings;
}
