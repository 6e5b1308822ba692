import { asInteger, asList, asMap, asString, field, type JsonMap } from '../object/fields.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';
import { eventTime, type ObjectIndex } from '../object/object-index.ts';
import { CAUSE_LIMIT, fitMessage } from './message.ts';

/** Owner references are followed this deep: a custom resource → Deployment → ReplicaSet → Pod. */
const MOST_LEVELS = 4;
/** At most this many pods of one workload are looked at: one bad pod is enough for a cause. */
const MOST_PODS = 500;
/** At most this many objects below one workload are walked: owner references of a hostile input form any graph. */
const MOST_OBJECTS = 2000;

/**
 * Why an unhealthy object is so, from the objects beside it: the worst container state of the pods it owns (those of the
 * current revision), else the newest Warning Event about one of them, about what stands between, or about itself. At most
 * 200 bytes; undefined when nothing is known.
 */
export function findCause(object: KubernetesObject, index: ObjectIndex): string | undefined {
  const text = object['kind'] === 'Pod' ? causeOfPod(object, index) : causeBelow(object, index);
  return text === undefined ? undefined : fitMessage(text, CAUSE_LIMIT);
}

/** The pods that an object owns, those of its current revision; of a pod, itself. */
export function podsBelow(object: KubernetesObject, index: ObjectIndex): readonly KubernetesObject[] {
  if (object['kind'] === 'Pod') return [object];
  return below(object, index).pods;
}

function causeBelow(object: KubernetesObject, index: ObjectIndex): string | undefined {
  const { pods, seen } = below(object, index);
  return worstPodState(pods) ?? warningOf([...seen], index);
}

/** The pods below an object, and everything that was met on the way, the object itself first. */
function below(
  object: KubernetesObject,
  index: ObjectIndex,
): { readonly pods: readonly KubernetesObject[]; readonly seen: ReadonlySet<KubernetesObject> } {
  const pods: KubernetesObject[] = [];
  const seen = new Set([object]);
  collectPods(object, index, pods, 1, seen);
  return { pods, seen };
}

/** A pod's own message names the state of its containers; the cause adds an earlier exit, or what the kubelet complains of. */
function causeOfPod(pod: KubernetesObject, index: ObjectIndex): string | undefined {
  const finding = podFinding(pod);
  if (finding === undefined) return warningOf([pod], index);
  return finding.weight === RESTARTED ? finding.text : undefined;
}

function collectPods(
  owner: KubernetesObject,
  index: ObjectIndex,
  pods: KubernetesObject[],
  level: number,
  seen: Set<KubernetesObject>,
): void {
  for (const child of ofCurrentRevision(owner, index.ownedBy(owner))) {
    if (pods.length >= MOST_PODS || seen.size >= MOST_OBJECTS) return;
    // Owner references of an input can form a circle, though those of a cluster cannot.
    if (seen.has(child)) continue;
    seen.add(child);
    if (child['kind'] === 'Pod') pods.push(child);
    else if (level < MOST_LEVELS) collectPods(child, index, pods, level + 1, seen);
  }
}

const REVISION = 'deployment.kubernetes.io/revision';

/** Children that belong to what the owner wants now: what is left of an older revision is on its way out and explains nothing. */
function ofCurrentRevision(
  owner: KubernetesObject,
  children: readonly KubernetesObject[],
): readonly KubernetesObject[] {
  switch (owner['kind']) {
    case 'Deployment': {
      const revisionOf = (object: KubernetesObject): number =>
        Number(asInteger(field(field(object['metadata'], 'annotations'), REVISION)) ?? 0n);
      const newest = children.reduce((most, child) => Math.max(most, revisionOf(child)), 0);
      return children.filter((child) => revisionOf(child) === newest);
    }
    case 'StatefulSet': {
      const revision = field(owner['status'], 'updateRevision');
      const current = children.filter((child) => field(labelsOf(child), 'controller-revision-hash') === revision);
      return current.length > 0 ? current : children;
    }
    case 'DaemonSet': {
      const generation = String(field(owner['metadata'], 'generation'));
      const current = children.filter((child) => field(labelsOf(child), 'pod-template-generation') === generation);
      return current.length > 0 ? current : children;
    }
    default:
      return children;
  }
}

function labelsOf(object: KubernetesObject): JsonMap {
  return asMap(field(object['metadata'], 'labels'));
}

/** The weight of a container that runs again after an error. */
const RESTARTED = 2;

/** How much a finding explains; the highest is told. */
interface PodFinding {
  readonly weight: number;
  readonly text: string;
}

function worstPodState(pods: readonly KubernetesObject[]): string | undefined {
  let worst: PodFinding | undefined;
  for (const pod of pods) {
    const finding = podFinding(pod);
    if (finding === undefined || (worst !== undefined && finding.weight <= worst.weight)) continue;
    worst = { weight: finding.weight, text: `pod ${asString(field(pod['metadata'], 'name'))} ${finding.text}` };
  }
  return worst?.text;
}

function podFinding(pod: KubernetesObject): PodFinding | undefined {
  const status = asMap(pod['status']);
  const containers = [...asList(status['initContainerStatuses']), ...asList(status['containerStatuses'])];
  let worst: PodFinding | undefined;
  for (const container of containers) {
    const finding = containerFinding(container);
    if (finding !== undefined && (worst === undefined || finding.weight > worst.weight)) worst = finding;
  }
  worst ??= phaseFinding(status);
  return worst;
}

/** Waiting states that every container passes through. */
const ORDINARY_WAITS = ['ContainerCreating', 'PodInitializing'];

function containerFinding(container: unknown): PodFinding | undefined {
  const waiting = field(field(container, 'state'), 'waiting');
  const last = field(field(container, 'lastState'), 'terminated');
  const reason = asString(field(waiting, 'reason'));
  if (reason !== '' && !ORDINARY_WAITS.includes(reason)) {
    // The kubelet's message of a crash loop only says how long it waits; how the container ended says more.
    const detail = reason === 'CrashLoopBackOff' ? exitText(last) : asString(field(waiting, 'message'));
    return { weight: 4, text: detail === '' ? reason : `${reason}: ${detail}` };
  }
  const terminated = field(field(container, 'state'), 'terminated');
  const code = asInteger(field(terminated, 'exitCode'));
  if (code !== undefined && code !== 0n) return { weight: 3, text: exitText(terminated) };
  const lastCode = asInteger(field(last, 'exitCode'));
  if (lastCode !== undefined && lastCode !== 0n && field(container, 'ready') === false) {
    return { weight: RESTARTED, text: `restarted after ${exitText(last)}` };
  }
  return undefined;
}

/** `exit code 137 (OOMKilled)`, with the container's termination message when it left one. */
function exitText(terminated: unknown): string {
  const code = asInteger(field(terminated, 'exitCode'));
  if (code === undefined) return '';
  const reason = asString(field(terminated, 'reason'));
  const message = asString(field(terminated, 'message'));
  const named = reason === '' || reason === 'Error' || reason === 'Completed' ? '' : ` (${reason})`;
  return `exit code ${code}${named}${message === '' ? '' : `: ${message}`}`;
}

function phaseFinding(status: JsonMap): PodFinding | undefined {
  if (status['phase'] === 'Failed') {
    const reason = asString(status['reason']) || 'Failed';
    const message = asString(status['message']);
    return { weight: 3, text: message === '' ? reason : `${reason}: ${message}` };
  }
  for (const condition of asList(status['conditions'])) {
    if (field(condition, 'type') === 'PodScheduled' && field(condition, 'status') === 'False') {
      const reason = asString(field(condition, 'reason')) || 'Unschedulable';
      const message = asString(field(condition, 'message'));
      return { weight: 3, text: message === '' ? reason : `${reason}: ${message}` };
    }
  }
  return undefined;
}

/** The newest Warning Event of an object or of something below it; a pod that works has none that counts. */
function warningOf([object, ...below]: readonly KubernetesObject[], index: ObjectIndex): string | undefined {
  let newest = object === undefined ? undefined : index.newestWarning(object);
  let about = '';
  for (const part of below) {
    const warning = works(part) ? undefined : index.newestWarning(part);
    if (warning === undefined || (newest !== undefined && eventTime(warning) < eventTime(newest))) continue;
    newest = warning;
    const kind = part['kind'] === 'Pod' ? 'pod' : asString(part['kind']);
    about = `${kind} ${asString(field(part['metadata'], 'name'))} `;
  }
  return newest === undefined ? undefined : `${about}${warningText(newest)}`;
}

/** What a pod met on its way to where it should be explains nothing any more. */
function works(object: KubernetesObject): boolean {
  if (object['kind'] !== 'Pod') return false;
  const status = asMap(object['status']);
  const isReady = (condition: unknown): boolean =>
    field(condition, 'type') === 'Ready' && field(condition, 'status') === 'True';
  return status['phase'] === 'Succeeded' || asList(status['conditions']).some(isReady);
}

function warningText(event: KubernetesObject): string {
  const text = asString(event['message']) || asString(event['note']);
  const reason = asString(event['reason']);
  if (reason === '') return text;
  return text === '' ? reason : `${reason}: ${text}`;
}
