import { asList, asString, field } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import { canonicalJson } from '../../core/release/canonical.ts';
import type { ObjectReader } from '../../runtime/indexer.ts';
import type { InformerHandler } from '../../runtime/informer.ts';
import { keyOf } from '../../runtime/object-key.ts';
import type { Memories } from './memory.ts';
import { namedBySource } from './source/credentials.ts';

/** Index of Releases by those that they depend on. */
export const BY_DEPENDENCY = 'dependency';
/** Index of Releases by what their source reads: `namespace/Kind/name`. */
export const BY_SOURCE = 'source';

/** Indexes that the informer of Releases has to have. They look at a few fields: they are asked at each write of each Release. */
export const RELEASE_INDEXES = {
  [BY_DEPENDENCY]: (object: KubernetesObject) =>
    asList(field(object['spec'], 'dependsOn')).map(
      (one) => `${asString(field(one, 'namespace')) || namespaceOf(object)}/${asString(field(one, 'name'))}`,
    ),
  [BY_SOURCE]: (object: KubernetesObject) =>
    namedBySource(field(object['spec'], 'source')).map((name) => `${namespaceOf(object)}/${name}`),
} as const;

function namespaceOf(object: KubernetesObject): string {
  return asString(field(object['metadata'], 'namespace'));
}

type Enqueue = (key: string) => void;

/** A Release counts when what is asked for changed; those that depend on it when what it came to did. */
export function releaseHandler(releases: ObjectReader, enqueue: Enqueue): InformerHandler {
  const dependents = (object: KubernetesObject): void => {
    for (const dependent of releases.indexed(BY_DEPENDENCY, keyOf(object))) enqueue(keyOf(dependent));
  };
  return {
    added: (object) => {
      enqueue(keyOf(object));
      dependents(object);
    },
    updated: (object, before) => {
      if (asked(object) !== asked(before)) enqueue(keyOf(object));
      const awaited = releases.indexed(BY_DEPENDENCY, keyOf(object)).length > 0;
      if (awaited && reached(object) !== reached(before)) dependents(object);
    },
    deleted: (object) => {
      enqueue(keyOf(object));
      dependents(object);
    },
  };
}

/** Our own status is no news to us. */
function asked(object: KubernetesObject): string {
  const metadata = object['metadata'];
  const parts = ['uid', 'generation', 'annotations', 'finalizers', 'deletionTimestamp'].map((name) =>
    field(metadata, name),
  );
  return canonicalJson(parts);
}

function reached(object: KubernetesObject): string {
  const status = object['status'];
  const parts = ['observedGeneration', 'conditions', 'lastAttempted', 'lastApplied', 'lastHealthy'];
  return canonicalJson([field(object['metadata'], 'generation'), ...parts.map((name) => field(status, name))]);
}

/** What the observer found out wakes the Release; what we wrote ourselves does not. */
export function inventoryHandler(enqueue: Enqueue): InformerHandler {
  const wake = (page: KubernetesObject): void => {
    const release = asString(field(page['spec'], 'release'));
    enqueue(`${asString(field(page['metadata'], 'namespace'))}/${release}`);
  };
  return {
    updated: (object, before) => {
      if (isGoing(object) !== isGoing(before) || observedPart(object) !== observedPart(before)) wake(object);
    },
    deleted: wake,
  };
}

function isGoing(page: KubernetesObject): boolean {
  return field(page['metadata'], 'deletionTimestamp') !== undefined;
}

/** Fields of an entry that the observer writes and a decision looks at; the page was validated when it was written. */
const OBSERVED = ['group', 'kind', 'namespace', 'name', 'state', 'reason', 'assessedRenderRef', 'assessedUid'];

function observedPart(page: KubernetesObject): string {
  return asList(field(page['spec'], 'entries')).map(observedText).sort().join('\n');
}

/** An entry that comes or goes without a state is the controller's own doing. */
function observedText(entry: unknown): string {
  if (field(entry, 'state') === undefined) return '';
  return OBSERVED.map((name) => asString(field(entry, name))).join('|');
}

/** A change of what sources read: they are read again. */
export function sourceHandler(
  kind: 'ConfigMap' | 'Secret',
  releases: ObjectReader,
  memories: Memories,
  enqueue: Enqueue,
): InformerHandler {
  const wake = (object: KubernetesObject): void => {
    const metadata = object['metadata'];
    const name = `${asString(field(metadata, 'namespace'))}/${kind}/${asString(field(metadata, 'name'))}`;
    for (const release of releases.indexed(BY_SOURCE, name)) {
      memories.known(keyOf(release))?.forgetSource();
      enqueue(keyOf(release));
    }
  };
  return { added: (object, initial) => initial || wake(object), updated: wake, deleted: wake };
}
