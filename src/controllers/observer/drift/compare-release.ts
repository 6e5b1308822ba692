import type { InventoryEntry, Release } from '../../../core/api/index.ts';
import { refOf } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import { compareObject, type Finding } from '../../../core/release/drift/index.ts';
import { ignoredPaths } from '../../../core/release/ignored-paths.ts';
import { entryKey } from '../../../core/release/inventory/index.ts';
import type { Owner } from '../../../core/release/ownership.ts';
import type { Cluster } from '../../../ports/cluster.ts';
import { ApiError } from '../../../ports/errors.ts';
import { ClusterDriftReaders } from './cluster-drift-reader.ts';

export interface CompareInput {
  /** Of the objects; acts as the Release's account. Nothing is written. */
  readonly cluster: Pick<Cluster, 'get' | 'list' | 'apply' | 'discovery'>;
  readonly release: Pick<Release, 'spec'>;
  /** Entries whose objects are compared. */
  readonly entries: readonly InventoryEntry[];
  /** Of the render that the entries were applied with. */
  readonly rendered: readonly KubernetesObject[];
  /** Undefined: the marks of ownership are not compared. */
  readonly owner: Owner | undefined;
  readonly signal: AbortSignal;
}

/** One entry and what its comparison found. */
export interface ComparedEntry {
  readonly entry: InventoryEntry;
  readonly finding: Finding;
}

/** Comparisons of one Release at once. */
const AT_ONCE = 8;

/**
 * Compares objects of a Release with what the render makes of them now, in the order of the entries. What the cluster refuses is the
 * finding `failed`; throws a TransportError when it cannot be asked. Entries that the render does not have are left out.
 */
export async function compareRelease(input: CompareInput): Promise<readonly ComparedEntry[]> {
  const { cluster, release, entries, rendered, owner, signal } = input;
  const byKey = new Map(rendered.map((object) => [entryKey(refOf(object)), object]));
  const readers = new ClusterDriftReaders(cluster, signal);
  const drift = release.spec.syncPolicy.drift;
  const work = entries.flatMap((entry) => {
    const object = byKey.get(entryKey(entry));
    return object === undefined ? [] : [{ entry, object }];
  });
  const results: ComparedEntry[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < work.length; index = next++) {
      const one = work[index];
      if (one === undefined) return;
      const { entry, object } = one;
      const options = { owner, ignored: ignoredPaths(drift, entry) };
      results[index] = { entry, finding: await findingOf(compareObject(readers.of(entry), object, options), entry) };
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, work.length) }, worker));
  return results;
}

async function findingOf(comparison: Promise<Finding>, entry: InventoryEntry): Promise<Finding> {
  try {
    return await comparison;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { kind: 'failed', message: refusal(error, entry) };
  }
}

/** What the server says of a Secret may quote its values. */
function refusal(error: ApiError, { group, kind }: InventoryEntry): string {
  const quotes = group === '' && kind === 'Secret' && error.code !== 403;
  return quotes ? `the server refused the dry run (${error.reason})` : error.message;
}
