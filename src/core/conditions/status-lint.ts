import { asList, asMap, asString, asTime, field, type JsonMap } from '../object/fields.ts';
import type { KubernetesObject } from '../object/kubernetes-object.ts';

/** A broken law and where. */
export interface StatusFault {
  /** The number of the law in `STATUS_LAWS`. */
  readonly law: number;
  /** For a person: type or field, and what is wrong with it. */
  readonly what: string;
}

/** What holds for every status that convoy writes, whatever the situation. Numbers are never given to another law. */
export const STATUS_LAWS: Readonly<Record<number, string>> = {
  1: 'a condition type is there once',
  2: 'a condition is True, False or Unknown',
  3: 'a reason is one CamelCase word',
  4: 'a lastTransitionTime is an RFC 3339 time',
  5: 'Reconciling and Stalled are there only while True',
  6: 'Ready is not True while Stalled or Reconciling is',
  7: 'no observedGeneration is ahead of the generation',
  8: 'a message is at most 4,096 characters, that of Healthy at most 1,024',
  9: 'the counts of healthSummary add up to its total, and suspended is not set',
  10: 'the history is no longer than historyLimit, newest first',
  11: 'what succeeded is done with its phases, and every outcome has a history row',
  12: 'nothing in the status is a secret',
  13: 'Ready is RolledBack only while status.held says what is kept out',
  20: 'lastTransitionTime moves only with the status of its condition',
  21: 'observedGeneration does not go back',
  22: 'lastTransitionTime does not go back',
};

const LONGEST = 4096;
const LONGEST_HEALTHY = 1024;
/** Shorter texts are found everywhere by chance. */
const SHORTEST_SECRET = 6;

/** The laws that the object as it is stored breaks. `secrets` are texts that must not be found in its status. */
export function lintStatus(object: KubernetesObject, secrets: readonly string[] = []): readonly StatusFault[] {
  const status = asMap(object['status']);
  const conditions = asList(status['conditions']).map(asMap);
  return [
    ...lintConditions(conditions),
    ...lintTogether(conditions),
    ...lintGenerations(object, status, conditions),
    ...lintSummary(asMap(status['healthSummary'])),
    ...lintAttempt(status),
    ...lintHistory(object, status),
    ...lintHeld(status, conditions),
    ...lintSecrets(status, secrets),
  ];
}

/** The laws that the step from one stored state to the next breaks. */
export function lintStatusChange(before: KubernetesObject, after: KubernetesObject): readonly StatusFault[] {
  const [old, now] = [asMap(before['status']), asMap(after['status'])];
  const faults: StatusFault[] = [];
  if (generationOf(now) < generationOf(old)) faults.push({ law: 21, what: 'status.observedGeneration' });
  const known = new Map(asList(old['conditions']).map((one) => [asString(field(one, 'type')), asMap(one)] as const));
  for (const condition of asList(now['conditions']).map(asMap)) {
    const earlier = known.get(asString(condition['type']));
    if (earlier === undefined) continue;
    const [was, is] = [earlier['lastTransitionTime'], condition['lastTransitionTime']];
    const [moved, changed] = [was !== is, earlier['status'] !== condition['status']];
    const what = `${asString(condition['type'])}: ${asString(was)} became ${asString(is)}`;
    // Two changes within one second carry the same time.
    if (moved && !changed) faults.push({ law: 20, what });
    if ((asTime(is) ?? 0) < (asTime(was) ?? 0)) faults.push({ law: 22, what });
  }
  return faults;
}

function lintConditions(conditions: readonly JsonMap[]): StatusFault[] {
  const faults: StatusFault[] = [];
  const seen = new Set<string>();
  for (const { type: given, status, reason, message, lastTransitionTime } of conditions) {
    const type = asString(given);
    if (seen.has(type)) faults.push({ law: 1, what: type });
    seen.add(type);
    if (status !== 'True' && status !== 'False' && status !== 'Unknown') {
      faults.push({ law: 2, what: `${type}: ${String(status)}` });
    }
    if (!/^[A-Z][A-Za-z0-9]*$/.test(asString(reason))) faults.push({ law: 3, what: `${type}: "${asString(reason)}"` });
    if (asTime(lastTransitionTime) === undefined) faults.push({ law: 4, what: type });
    const longest = type === 'Healthy' ? LONGEST_HEALTHY : LONGEST;
    const length = [...asString(message)].length;
    if (length > longest) faults.push({ law: 8, what: `${type}: ${length} characters` });
  }
  return faults;
}

function lintTogether(conditions: readonly JsonMap[]): StatusFault[] {
  const status = (type: string): unknown => conditions.find((one) => one['type'] === type)?.['status'];
  const faults: StatusFault[] = [];
  for (const type of ['Reconciling', 'Stalled']) {
    const value = status(type);
    if (value !== undefined && value !== 'True') faults.push({ law: 5, what: `${type} is ${String(value)}` });
    if (value === 'True' && status('Ready') === 'True') faults.push({ law: 6, what: `Ready beside ${type}` });
  }
  return faults;
}

function generationOf(map: JsonMap): number {
  return Number(map['observedGeneration'] ?? 0);
}

function lintGenerations(object: KubernetesObject, status: JsonMap, conditions: readonly JsonMap[]): StatusFault[] {
  const generation = Number(field(object['metadata'], 'generation') ?? 0);
  return [status, ...conditions]
    .filter((one) => generationOf(one) > generation)
    .map((one) => ({ law: 7, what: `${asString(one['type']) || 'status'}: ${generationOf(one)} > ${generation}` }));
}

function lintSummary(summary: JsonMap): StatusFault[] {
  const { total, healthy, progressing, degraded, unknown, suspended } = summary;
  if (total === undefined) return [];
  const sum = [healthy, progressing, degraded, unknown].reduce<number>((all, one) => all + Number(one ?? 0), 0);
  const faults: StatusFault[] = [];
  if (sum !== Number(total)) faults.push({ law: 9, what: `${sum} of ${String(total)}` });
  if (suspended !== undefined) faults.push({ law: 9, what: 'suspended is set' });
  return faults;
}

function lintAttempt(status: JsonMap): StatusFault[] {
  const { outcome, phase, renderRef } = asMap(status['lastAttempted']);
  const faults: StatusFault[] = [];
  if (outcome === 'Succeeded' && phase !== 'Done') faults.push({ law: 11, what: `phase ${String(phase)}` });
  const rows = asList(status['history']).map(asMap);
  if (outcome !== undefined && !rows.some((row) => row['renderRef'] === renderRef)) {
    faults.push({ law: 11, what: `no row for ${String(renderRef)}` });
  }
  return faults;
}

function lintHistory(object: KubernetesObject, status: JsonMap): StatusFault[] {
  const times = asList(status['history']).map((row) => asTime(field(row, 'appliedAt')) ?? 0);
  const limit = Number(field(object['spec'], 'historyLimit') ?? 10);
  const faults: StatusFault[] = [];
  if (times.length > limit) faults.push({ law: 10, what: `${times.length} rows, limit ${limit}` });
  if (times.some((time, index) => index > 0 && time > (times[index - 1] ?? 0))) {
    faults.push({ law: 10, what: 'not newest first' });
  }
  return faults;
}

function lintHeld(status: JsonMap, conditions: readonly JsonMap[]): StatusFault[] {
  const rolledBack = conditions.some((one) => one['type'] === 'Ready' && one['reason'] === 'RolledBack');
  if (rolledBack && status['held'] === undefined) return [{ law: 13, what: 'RolledBack without held' }];
  return [];
}

function lintSecrets(status: JsonMap, secrets: readonly string[]): StatusFault[] {
  const long = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
  return textsIn(status, 'status')
    .filter(([, text]) => long.some((secret) => text.includes(secret)))
    .map(([path]) => ({ law: 12, what: path }));
}

function textsIn(value: unknown, path: string): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  if (Array.isArray(value)) return value.flatMap((item, index) => textsIn(item, `${path}[${index}]`));
  return Object.entries(asMap(value)).flatMap(([name, item]) => textsIn(item, `${path}.${name}`));
}
