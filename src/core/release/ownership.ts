import { asMap, asString, field } from '../object/fields.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';
import { MANAGED_BY, MANAGED_BY_LABEL, RELEASE_ID, RELEASE_LABEL } from './names.ts';

/** Hex digits of the SHA-256 of a text in UTF-8. */
export type Sha256 = (text: string) => string;

/** Which Release an object belongs to. */
export interface Owner {
  /** `<installation>/<namespace>/<name>`. */
  readonly id: string;
  /** 16 hex digits of the id's digest: what fits a label. */
  readonly label: string;
}

/** `installation` keeps the objects of two home clusters apart that share a target. */
export function ownerOf(installation: string, namespace: string, name: string, sha256: Sha256): Owner {
  const id = `${installation}/${namespace}/${name}`;
  return { id, label: sha256(id).slice(0, 16) };
}

/** The label selector that finds an owner's objects on the server. */
export function selectorOf(owner: Owner): string {
  return `${RELEASE_LABEL}=${owner.label}`;
}

/** Finds the objects of every Release. */
export const ANY_RELEASE = RELEASE_LABEL;

/** The object as it is applied: with the labels and the annotation of its owner. */
export function withOwner(object: KubernetesObject, owner: Owner): KubernetesObject {
  const metadata = asMap(object['metadata']);
  return {
    ...object,
    metadata: {
      ...metadata,
      labels: { ...asMap(metadata['labels']), [MANAGED_BY_LABEL]: MANAGED_BY, [RELEASE_LABEL]: owner.label },
      annotations: { ...asMap(metadata['annotations']), [RELEASE_ID]: owner.id },
    },
  };
}

/** The id that a live object carries; '' when it belongs to no Release. The label is a filter and proves nothing. */
export function releaseIdOf(live: KubernetesObject): string {
  return asString(field(field(live['metadata'], 'annotations'), RELEASE_ID));
}

export type Ownership = 'ours' | 'nobody' | 'another';

export function ownershipOf(live: KubernetesObject, owner: Owner): Ownership {
  const id = releaseIdOf(live);
  if (id === '') return 'nobody';
  return id === owner.id ? 'ours' : 'another';
}

/** A merge patch that makes a live object nobody's: what stays on the cluster must not look managed. */
export function disownPatch(live: KubernetesObject): KubernetesObject {
  const labels = asMap(field(live['metadata'], 'labels'));
  return {
    metadata: {
      labels: {
        [RELEASE_LABEL]: null,
        ...(labels[MANAGED_BY_LABEL] === MANAGED_BY ? { [MANAGED_BY_LABEL]: null } : {}),
      },
      annotations: { [RELEASE_ID]: null },
    },
  };
}
