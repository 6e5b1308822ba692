import { asMap, asString, field } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import {
  CONTROLLER_MANAGER,
  linesOf,
  objectsOf,
  RENDER_CHUNK,
  RENDER_INPUTS,
  RENDER_REF,
  RENDER_REVISION,
  type Render,
  readRenderSecrets,
  renderSecrets,
  selectorOf,
} from '../../core/release/index.ts';
import { ApiError } from '../../ports/errors.ts';
import { listAll } from '../../runtime/list-all.ts';
import { isNotFound } from './failures.ts';
import type { StoredIndex } from './memory.ts';
import { SECRETS } from './paths.ts';
import type { Visit } from './visit.ts';

/** The renders of a Release whose chunks are all there, without their bytes. */
export async function listStored({ services, release, owner, signal }: Visit): Promise<readonly StoredIndex[]> {
  const path = { type: SECRETS, namespace: release.metadata.namespace };
  const options = { labelSelector: selectorOf(owner), as: 'metadata', signal } as const;
  const { items } = await listAll(services.home, path, options);
  return indexOf(items);
}

function indexOf(secrets: readonly KubernetesObject[]): readonly StoredIndex[] {
  const byRender = new Map<string, KubernetesObject[]>();
  for (const secret of secrets) {
    const renderRef = annotation(secret, RENDER_REF);
    if (renderRef !== '') byRender.set(renderRef, [...(byRender.get(renderRef) ?? []), secret]);
  }
  return [...byRender].flatMap(([renderRef, chunks]) => {
    const [first] = chunks;
    const count = Number(annotation(first, RENDER_CHUNK).split('/')[1]);
    if (first === undefined || chunks.length !== count) return [];
    const names = chunks.map((chunk) => asString(field(chunk['metadata'], 'name')));
    const [revision, inputs] = [annotation(first, RENDER_REVISION), annotation(first, RENDER_INPUTS)];
    return [{ renderRef, revision, inputs, secrets: names }];
  });
}

function annotation(object: KubernetesObject | undefined, name: string): string {
  return asString(asMap(field(object?.['metadata'], 'annotations'))[name]);
}

/** Stores a render, or notes that other inputs gave one that is stored. Can be repeated at any point. */
export async function storeRender(visit: Visit, render: Render, revision: string, inputs: string): Promise<void> {
  const { services, release, owner, home, memory } = visit;
  const { namespace, name, uid } = release.metadata;
  const compressed = await services.compress(linesOf(render.objects.map(({ object }) => object)));
  const secrets = renderSecrets({ namespace, name, uid }, owner, render.renderRef, compressed);
  const notes = { [RENDER_INPUTS]: inputs, [RENDER_REVISION]: revision };
  const names: string[] = [];
  for (const secret of secrets) {
    const secretName = asString(field(secret['metadata'], 'name'));
    names.push(secretName);
    const path = { type: SECRETS, namespace, name: secretName };
    const annotated = withAnnotations(secret, notes);
    try {
      await home.create(path, annotated, { fieldManager: CONTROLLER_MANAGER });
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error;
      await home.patch(path, 'merge', { metadata: { annotations: notes } }, { fieldManager: CONTROLLER_MANAGER });
    }
  }
  const others = (memory.stored ?? []).filter(({ renderRef }) => renderRef !== render.renderRef);
  memory.stored = [...others, { renderRef: render.renderRef, revision, inputs, secrets: names }];
}

function withAnnotations(object: KubernetesObject, added: Readonly<Record<string, string>>): KubernetesObject {
  const metadata = asMap(object['metadata']);
  return { ...object, metadata: { ...metadata, annotations: { ...asMap(metadata['annotations']), ...added } } };
}

/** The objects of a stored render; undefined: its Secrets are not all there, or damaged, which the index is told. */
export async function loadStored(visit: Visit, renderRef: string): Promise<readonly KubernetesObject[] | undefined> {
  const { services, release, memory, signal } = visit;
  const index = memory.stored?.find((one) => one.renderRef === renderRef);
  if (index === undefined) return undefined;
  const path = { type: SECRETS, namespace: release.metadata.namespace };
  const secrets: KubernetesObject[] = [];
  for (const name of index.secrets) {
    try {
      secrets.push(await services.home.get({ ...path, name }, { signal }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  const read = readRenderSecrets(secrets, renderRef);
  if ('compressed' in read) return objectsOf(await services.decompress(read.compressed));
  memory.stored = memory.stored?.filter((one) => one.renderRef !== renderRef);
  return undefined;
}
