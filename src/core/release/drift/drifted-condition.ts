import type { InventoryEntry } from '../../api/index.ts';
import { fitMessage } from '../../health/message.ts';
import { CORRECTIONS, type DriftRecord, FIGHT_WINDOW } from './drift-record.ts';

/** What the condition Drifted says. */
export interface DriftedCondition {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: 'Drifted' | 'DriftFight' | 'InSync' | 'NotCompared' | DriftFault;
  readonly message: string;
}

/** Why a Release cannot be compared at all. */
export type DriftFault = 'ClusterUnreachable' | 'KubeConfigInvalid' | 'RenderMissing' | 'InventoryUnreadable';

/** An object and what is known of it. */
export interface ComparedObject {
  readonly entry: Pick<InventoryEntry, 'kind' | 'namespace' | 'name'>;
  readonly record: DriftRecord;
}

/** Objects that a message names, and paths of each. */
const NAMED = 3;
const LONGEST_MESSAGE = 1024;

/** The condition of a Release whose objects were compared; no value of a field is in it, so that no secret can be. */
export function driftedCondition(objects: readonly ComparedObject[]): DriftedCondition {
  const fights = objects.filter(({ record: { fight } }) => fight !== undefined && fight.endedAt === undefined);
  if (fights.length > 0) {
    return condition('True', 'DriftFight', `corrections have stopped: ${listed(fights, fightText)}`);
  }
  const drifted = objects.filter(
    ({ record }) => record.finding.kind === 'drifted' || record.finding.kind === 'missing',
  );
  if (drifted.length > 0) {
    const count = `${drifted.length} of ${objects.length} resources ${drifted.length === 1 ? 'differs' : 'differ'}`;
    return condition('True', 'Drifted', `${count}: ${listed(drifted, driftText)}`);
  }
  const failed = objects.filter(({ record }) => record.finding.kind === 'failed');
  if (failed.length > 0) {
    return condition('Unknown', 'NotCompared', `not compared: ${listed(failed, failureText)}`);
  }
  return condition(
    'False',
    'InSync',
    `${objects.length} ${objects.length === 1 ? 'resource is' : 'resources are'} as rendered`,
  );
}

/** The condition of a Release that could not be compared. */
export function notCompared(reason: DriftFault, cause: string): DriftedCondition {
  return condition('Unknown', reason, cause);
}

function condition(
  status: DriftedCondition['status'],
  reason: DriftedCondition['reason'],
  message: string,
): DriftedCondition {
  return { status, reason, message: fitMessage(message, LONGEST_MESSAGE) };
}

function listed(objects: readonly ComparedObject[], text: (object: ComparedObject) => string): string {
  const more = objects.length > NAMED ? `; and ${objects.length - NAMED} more` : '';
  return `${objects.slice(0, NAMED).map(text).join('; ')}${more}`;
}

/** `Deployment shop/web`, as messages name an object. */
function nameOf({ entry: { kind, namespace, name } }: ComparedObject): string {
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
}

/** `Deployment shop/web: .spec.replicas (kubectl-edit), .spec.paused`. */
export function driftText(object: ComparedObject): string {
  const { finding, webhook } = object.record;
  if (finding.kind !== 'drifted') return `${nameOf(object)} is missing`;
  const paths = finding.paths
    .slice(0, NAMED)
    .map(({ path, manager }) => (manager === '' ? path : `${path} (${manager})`));
  const more = finding.paths.length > NAMED ? `, and ${finding.paths.length - NAMED} more` : '';
  const why = webhook ? ' (changed by the cluster as it is applied, e.g. by an admission webhook)' : '';
  return `${nameOf(object)}: ${paths.join(', ')}${more}${why}`;
}

function fightText(object: ComparedObject): string {
  const { finding, fight } = object.record;
  const where = finding.kind === 'drifted' ? ` ${finding.paths[0]?.path ?? ''}` : '';
  const who = fight?.manager || 'somebody';
  const what = finding.kind === 'missing' ? 'deleted it' : `changed${where}`;
  return `${nameOf(object)}: ${who} ${what} after each of ${CORRECTIONS} corrections in ${FIGHT_WINDOW / 60_000} minutes`;
}

function failureText(object: ComparedObject): string {
  const { finding } = object.record;
  return `${nameOf(object)}: ${finding.kind === 'failed' ? finding.message : ''}`;
}
