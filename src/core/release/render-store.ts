import { API_VERSION } from '../api/index.ts';
import { asMap, asString, field } from '../object/fields.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { shortRef } from './canonical.ts';
import type { InventoryOwner } from './inventory/index.ts';
import { RELEASE_LABEL, RENDER_CHUNK, RENDER_REF, RENDER_SECRET_TYPE } from './names.ts';
import type { Owner } from './ownership.ts';

/** The API server takes a Secret of 1 MiB; names, labels and encoding want their share. */
export const CHUNK_BYTES = 900 * 1024;

/** The key of a chunk in its Secret. */
const KEY = 'render.gz';

/** The name of the Secret that holds a chunk of a render, from 1. */
export function renderSecretName(release: string, renderRef: string, chunk: number): string {
  return `convoy-render-${release}-${shortRef(renderRef)}${chunk === 1 ? '' : `-${chunk}`}`;
}

/**
 * The Secrets that keep a render: its lines, compressed by the caller, in chunks. They are immutable, and go with the Release. Written
 * before the attempt is recorded; one that is there already holds the same bytes or another compression of the same lines.
 */
export function renderSecrets(
  release: InventoryOwner,
  owner: Owner,
  renderRef: string,
  compressed: Uint8Array,
  chunkBytes: number = CHUNK_BYTES,
): readonly KubernetesObject[] {
  const count = Math.max(1, Math.ceil(compressed.length / chunkBytes));
  return Array.from({ length: count }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    type: RENDER_SECRET_TYPE,
    immutable: true,
    metadata: {
      name: renderSecretName(release.name, renderRef, index + 1),
      namespace: release.namespace,
      labels: { [RELEASE_LABEL]: owner.label },
      annotations: { [RENDER_REF]: renderRef, [RENDER_CHUNK]: `${index + 1}/${count}` },
      ownerReferences: [{ apiVersion: API_VERSION, kind: 'Release', name: release.name, uid: release.uid }],
    },
    data: { [KEY]: toBase64(compressed.subarray(index * chunkBytes, (index + 1) * chunkBytes)) },
  }));
}

/** The renderRef of a stored chunk; '' for a Secret that is none. */
export function storedRenderRef(secret: KubernetesObject): string {
  if (secret['type'] !== RENDER_SECRET_TYPE) return '';
  return asString(field(field(secret['metadata'], 'annotations'), RENDER_REF));
}

/** The compressed lines of a render, or why they are not all there. Other Secrets are passed over. */
export function readRenderSecrets(
  secrets: readonly KubernetesObject[],
  renderRef: string,
): { readonly compressed: Uint8Array } | { readonly problem: string } {
  const chunks = new Map<number, Uint8Array>();
  let count = 0;
  for (const secret of secrets) {
    if (storedRenderRef(secret) !== renderRef) continue;
    const [chunk = 0, all = 0] = asString(asMap(field(secret['metadata'], 'annotations'))[RENDER_CHUNK])
      .split('/')
      .map(Number);
    const bytes = fromBase64(asString(field(secret['data'], KEY)));
    if (bytes === undefined) return { problem: `chunk ${chunk} of the render ${shortRef(renderRef)} is damaged` };
    chunks.set(chunk, bytes);
    count = Math.max(count, all);
  }
  if (count === 0) return { problem: `the render ${shortRef(renderRef)} is not stored` };
  const parts = Array.from({ length: count }, (_, index) => chunks.get(index + 1));
  const missing = parts.indexOf(undefined);
  if (missing >= 0)
    return { problem: `chunk ${missing + 1} of ${count} of the render ${shortRef(renderRef)} is missing` };
  return { compressed: joined(parts.filter((part) => part !== undefined)) };
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
