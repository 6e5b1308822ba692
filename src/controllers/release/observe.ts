import { readRelease } from '../../core/api/index.ts';
import { field } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import {
  type AttemptPlan,
  annotatedRequest,
  checkDependencies,
  type Dependencies,
  type Observed,
  type SourceFacts,
} from '../../core/release/attempt/index.ts';
import { entriesOfPlan, planOf, type Render, storedRender } from '../../core/release/index.ts';
import { entriesOf } from '../../core/release/inventory/index.ts';
import { SYNC_REQUESTED } from '../../core/release/names.ts';
import { TargetError } from '../../ports/targets.ts';
import { splitKey } from '../../runtime/object-key.ts';
import { isImpossibleName, isNotFound } from './failures.ts';
import { kindLookup } from './kind-lookup.ts';
import { NAMESPACES, SERVICE_ACCOUNTS } from './paths.ts';
import { listStored, loadStored } from './render-store.ts';
import type { Visit } from './visit.ts';

/** Everything that the next step is decided by, of which only what is missing is read. */
export async function observe(visit: Visit): Promise<Observed> {
  const { services, memory, release } = visit;
  const deleting = release.metadata.deletionTimestamp !== '';
  // What was stored for an attempt that never began is rendered again: the same render has the same Secrets.
  memory.stored ??= release.status.lastAttempted === undefined ? [] : await listStored(visit);
  const annotated = annotatedRequest(release);
  if (annotated === 'Manual') readAnew(visit);
  const namespaceTerminating = deleting && (await isGoing(visit));
  const targetLost = deleting ? await lostTarget(visit) : '';
  const plan = targetLost === '' ? await planOfAttempt(visit, deleting) : undefined;
  return {
    now: services.clock.now(),
    release,
    pages: visit.pages,
    entries: entriesOf(visit.pages),
    stored: memory.stored.map(({ renderRef, revision, inputs }) => ({ renderRef, revision, inputs: [inputs] })),
    source: sourceFacts(visit),
    dependencies: dependenciesOf(visit),
    requests: [...memory.requests, ...(annotated === undefined ? [] : [annotated])],
    plan,
    swept: visit.swept,
    namespaceTerminating,
    targetLost,
  };
}

/** Who asks for an attempt means what the source says now; once for each request. */
function readAnew({ memory, release }: Visit): void {
  const request = release.metadata.annotations[SYNC_REQUESTED] ?? '';
  if (memory.annotated !== request) memory.forgetSource();
  memory.annotated = request;
}

/** What was read counts until the interval is over, and only for the spec that it was read for. */
function sourceFacts({ memory, release, services }: Visit): SourceFacts {
  const { source } = memory;
  if (source === undefined || source.generation !== release.metadata.generation) return { kind: 'due' };
  const { facts } = source;
  const due = facts.kind === 'read' ? facts.nextAt : facts.retryAt;
  return due <= services.clock.now() ? { kind: 'due' } : facts;
}

function dependenciesOf({ services, release }: Visit): Dependencies {
  if ((release.spec.dependsOn ?? []).length === 0) return { kind: 'ready' };
  const find = (key: string) => {
    const { namespace, name } = splitKey(key);
    const object = services.releases.get(namespace, name);
    const read = object === undefined ? undefined : readRelease(object);
    return read === undefined || 'problem' in read ? undefined : read.value;
  };
  return checkDependencies(release, { find, crossNamespace: services.crossNamespace });
}

async function isGoing({ services, release, signal }: Visit): Promise<boolean> {
  const namespace = await found(() =>
    services.home.get({ type: NAMESPACES, namespace: '', name: release.metadata.namespace }, { signal }),
  );
  return namespace === undefined || field(namespace['metadata'], 'deletionTimestamp') !== undefined;
}

async function found(read: () => Promise<KubernetesObject>): Promise<KubernetesObject | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Why nobody can ever reach the objects of a Release that is being deleted. A cluster that does not answer is not lost. */
async function lostTarget(visit: Visit): Promise<string> {
  try {
    const { actsAs, reader } = await visit.target();
    if (actsAs === '') return '';
    const [, , namespace = '', name = ''] = actsAs.split(':');
    const account = await found(() =>
      reader.get({ type: SERVICE_ACCOUNTS, namespace, name }, { signal: visit.signal }),
    );
    return account === undefined ? `the ServiceAccount ${namespace}/${name} is gone` : '';
  } catch (error) {
    if (error instanceof TargetError && error.fault === 'KubeConfigMissing') return error.message;
    // A Secret or an account of a name that none can have.
    if (isImpossibleName(error)) return error.message;
    throw error;
  }
}

/** The plan is read only while something goes on that it is needed for. */
async function planOfAttempt(visit: Visit, deleting: boolean): Promise<AttemptPlan | undefined> {
  const { lastAttempted, lastApplied, held } = visit.release.status;
  if (lastAttempted === undefined) return undefined;
  const failing = lastAttempted.outcome !== 'Succeeded' && lastAttempted.phase !== 'Done';
  if (!deleting && lastAttempted.outcome !== undefined && !failing) return undefined;
  const renderRef = deleting ? (lastApplied ?? lastAttempted).renderRef : lastAttempted.renderRef;
  if (visit.plan?.renderRef === renderRef) return visit.plan;
  const render = await renderOfRef(visit, renderRef);
  if (render === undefined) return undefined;
  visit.plan = attemptPlan(render, {
    attempt: lastAttempted.attempt,
    appliedBefore: lastApplied !== undefined,
    rollback: !deleting && held !== undefined,
  });
  return visit.plan;
}

export function attemptPlan(render: Render, options: Parameters<typeof planOf>[1]): AttemptPlan {
  const plan = planOf(render, options);
  return { renderRef: render.renderRef, plan, entries: entriesOfPlan(plan) };
}

/** A stored render as it is applied; undefined: it is not stored any more, or its kinds are served no more. */
export async function renderOfRef(visit: Visit, renderRef: string): Promise<Render | undefined> {
  const { memory, services } = visit;
  if (memory.render?.renderRef === renderRef) return memory.render;
  const objects = await loadStored(visit, renderRef);
  if (objects === undefined) return undefined;
  const { cluster } = await visit.target();
  const kinds = await kindLookup(cluster.discovery, objects);
  const render = storedRender(objects, { namespace: visit.targetNamespace, kinds, sha256: services.sha256 });
  if ('problems' in render) return undefined;
  memory.render = render;
  return render;
}
