import type { Release, ReleaseInventory } from '../../../core/api/index.ts';
import type { ObjectDiff } from '../../../core/release/drift/index.ts';
import { countsForHealth, entriesOf } from '../../../core/release/inventory/index.ts';
import type { Cluster } from '../../../ports/cluster.ts';
import { compareRelease } from './compare-release.ts';
import { readStoredRender } from './read-stored-render.ts';

export interface DiffInput {
  /** Where the Release and its stored renders are. */
  readonly home: Pick<Cluster, 'get'>;
  /** Where its objects are; nothing is written there. */
  readonly target: Pick<Cluster, 'get' | 'list' | 'apply' | 'discovery'>;
  readonly release: Release;
  readonly pages: readonly ReleaseInventory[];
  readonly signal: AbortSignal;
}

/**
 * What is on the cluster against what the Release asks for, object by object, those that are as rendered included; or why it cannot be
 * told. Unlike the drift loop it also looks while an attempt runs or failed: then at what that has applied. Throws a TransportError
 * when a cluster cannot be asked.
 */
export async function diffRelease(
  input: DiffInput,
): Promise<{ readonly objects: readonly ObjectDiff[] } | { readonly problem: string }> {
  const { home, target, release, pages, signal } = input;
  const renderRef = release.status.lastAttempted?.renderRef;
  if (renderRef === undefined) return { problem: 'nothing has been applied yet' };
  const rendered = await readStoredRender(home, release, renderRef, signal);
  if ('problem' in rendered) return rendered;
  const entries = entriesOf(pages).filter((entry) => countsForHealth(entry) && entry.renderRef === renderRef);
  // Which installation the marks are of is the operator's to know.
  return { objects: await compareRelease({ cluster: target, release, entries, rendered, owner: undefined, signal }) };
}
