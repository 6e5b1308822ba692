import { asList, asMap, asString, field, type JsonMap } from '../../core/object/fields.ts';
import { type ApiObject, asApiObject, timestamp } from '../objects/api-object.ts';
import { StatusError } from '../objects/status-error.ts';
import { matchesSelector } from '../store/selectors.ts';
import { notFound } from './names.ts';
import type { ObjectApi } from './object-api.ts';
import type { DeleteOptions } from './write-options.ts';

const BUDGETS = 'policy/poddisruptionbudgets';
const SYSTEM = { manager: 'convoy-sandbox', subresource: 'status' };
/** Seconds after which a refused client should try again while the budget's status is behind its spec. */
const BEHIND = 10;

/** Whether a budget speaks about a pod: an empty selector is about all, none about no pod (policy/v1). */
export function isBudgetOf(budget: ApiObject, pod: ApiObject): boolean {
  const selector = field(budget['spec'], 'selector');
  return selector !== undefined && matchesSelector(selector, pod.metadata.labels);
}

function number(status: JsonMap, name: string): number {
  const value = status[name];
  return typeof value === 'number' ? value : 0;
}

function refused(cause: string, retryAfterSeconds: number): StatusError {
  const message = "Cannot evict pod as it would violate the pod's disruption budget.";
  const causes = [{ reason: 'DisruptionBudget', message: cause, field: '' }];
  return new StatusError('TooManyRequests', message, {
    causes,
    ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
  });
}

function whyNone(name: string, status: JsonMap): string {
  const [condition] = asList(status['conditions']).filter((one) => field(one, 'type') === 'DisruptionAllowed');
  const [reason, message] = [asString(field(condition, 'reason')), asString(field(condition, 'message'))];
  const start = `The disruption budget ${name}`;
  if (reason === 'SyncFailed' && message !== '') {
    return `${start} does not allow evicting pods currently because it failed sync: ${message}`;
  }
  const [needs, has] = [number(status, 'desiredHealthy'), number(status, 'currentHealthy')];
  return has <= needs
    ? `${start} needs ${needs} healthy pods and has ${has} currently`
    : `${start} does not allow evicting pods currently`;
}

/** Whether nobody is served by the pod, so that no budget is asked. */
function isIdle({ metadata, status }: ApiObject): boolean {
  return metadata.deletionTimestamp !== undefined || asString(field(status, 'phase')) !== 'Running';
}

function isReady({ status }: ApiObject): boolean {
  return asList(field(status, 'conditions')).some(
    (one) => field(one, 'type') === 'Ready' && field(one, 'status') === 'True',
  );
}

/** Takes one disruption off a budget. Throws 429 where it has none. */
function take(api: ObjectApi, budget: ApiObject, pod: ApiObject, dryRun: boolean): void {
  const { name, namespace = '', generation = 0 } = budget.metadata;
  const status = asMap(budget['status']);
  if (!isReady(pod)) {
    const policy = field(budget['spec'], 'unhealthyPodEvictionPolicy');
    const [needs, has] = [number(status, 'desiredHealthy'), number(status, 'currentHealthy')];
    if (policy === 'AlwaysAllow' || (has >= needs && needs > 0)) return;
  }
  if (number(status, 'observedGeneration') < generation) {
    throw refused(`The disruption budget ${name} is still being processed by the server.`, BEHIND);
  }
  const allowed = number(status, 'disruptionsAllowed');
  if (allowed === 0) throw refused(whyNone(name, status), 0);
  const resource = api.registry.byKey(BUDGETS);
  if (dryRun || resource === undefined) return;
  const disruptedPods = { ...asMap(status['disruptedPods']), [pod.metadata.name]: timestamp(api.world.now()) };
  const next = { ...status, disruptionsAllowed: allowed - 1, disruptedPods };
  api.change(resource, namespace, name, (draft) => ({ ...draft, status: next }), SYSTEM);
}

/**
 * Evicts a pod, as the registry of kube-apiserver does. Throws 429 with the budget's cause where a disruption budget allows none,
 * 404 for no pod, 500 for a pod of two budgets.
 */
export function evictPod(
  api: ObjectApi,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  body: unknown,
  options: DeleteOptions,
): void {
  const pods = api.registry.byKind('v1', 'Pod');
  if (pods === undefined) return;
  const pod = api.find(pods, namespace, name);
  if (pod === undefined) throw notFound(pods, name);
  const { metadata } = asApiObject(body);
  if ((metadata.name ?? name) !== name) {
    throw new StatusError('BadRequest', 'name in URL does not match name in Eviction object');
  }
  const budgets = isIdle(pod) ? [] : [...api.store.all(BUDGETS, namespace)].filter((one) => isBudgetOf(one, pod));
  if (budgets.length > 1) {
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw new StatusError('InternalError', message);
  }
  for (const budget of budgets) take(api, budget, pod, options.dryRun === true);
  api.remove(pods, namespace, name, options);
}
