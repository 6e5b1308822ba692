/** What a person would write instead of the rules, with the same absence checks; undefined stands for an error. */

type Fields = { readonly [field: string]: unknown };

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function deploymentIsReady(obj: unknown): boolean | undefined {
  if (!isFields(obj)) return undefined;
  const { status } = obj;
  if (!isFields(status)) return undefined;
  const observed = status['observedGeneration'];
  if (observed === undefined) return false;
  const { metadata } = obj;
  if (!isFields(metadata)) return undefined;
  const { generation } = metadata;
  if (typeof observed !== 'number' || typeof generation !== 'number') return undefined;
  if (observed < generation) return false;
  const { spec } = obj;
  if (!isFields(spec)) return undefined;
  const replicas = spec['replicas'] === undefined ? 1 : spec['replicas'];
  const ready = status['readyReplicas'] === undefined ? 0 : status['readyReplicas'];
  if (replicas !== ready) return false;
  const updated = status['updatedReplicas'] === undefined ? 0 : status['updatedReplicas'];
  return replicas === updated;
}

export function podIsReady(obj: unknown): boolean | undefined {
  if (!isFields(obj)) return undefined;
  const { status } = obj;
  if (!isFields(status)) return undefined;
  const { conditions } = status;
  if (conditions === undefined) return false;
  if (!Array.isArray(conditions)) return undefined;
  let failed = false;
  for (const condition of conditions as readonly unknown[]) {
    if (!isFields(condition) || condition['type'] === undefined) {
      failed = true;
      continue;
    }
    if (condition['type'] !== 'Ready') continue;
    if (condition['status'] === 'True') return true;
    if (condition['status'] === undefined) failed = true;
  }
  return failed ? undefined : false;
}
