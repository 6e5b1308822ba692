import { asMap } from '../object/fields.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';
import { type ResourceMetadata, readMetadata } from './metadata.ts';
import { type Read, read } from './read.ts';
import { type ReleaseSpec, type ReleaseStatus, releaseSpec, releaseStatus } from './release.ts';
import { type InventorySpec, inventorySpec } from './release-inventory.ts';

export interface Release {
  readonly metadata: ResourceMetadata;
  readonly spec: ReleaseSpec;
  /** Empty until something was written. */
  readonly status: ReleaseStatus;
}

/** One page of an inventory. */
export interface ReleaseInventory {
  readonly metadata: ResourceMetadata;
  readonly spec: InventorySpec;
}

/** The Release that a cluster returned, or what does not fit (an object older than its definition, say). */
export function readRelease(object: KubernetesObject): Read<Release> {
  const spec = read(releaseSpec, object['spec'], 'spec');
  if ('problem' in spec) return spec;
  const status = read(releaseStatus, asMap(object['status']), 'status');
  if ('problem' in status) return status;
  return { value: { metadata: readMetadata(object), spec: spec.value, status: status.value } };
}

export function readInventory(object: KubernetesObject): Read<ReleaseInventory> {
  const spec = read(inventorySpec, object['spec'], 'spec');
  return 'problem' in spec ? spec : { value: { metadata: readMetadata(object), spec: spec.value } };
}
