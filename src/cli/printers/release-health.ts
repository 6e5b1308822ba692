import { type HealthState, STATES_WORST_FIRST } from '../../core/health/verdict.ts';
import type { ReleaseHealth, ResourceHealth } from '../../core/release/view/release-health.ts';
import { ageOf } from './age.ts';
import { colourOf, layOut, oneLine, summaryLine } from './table.ts';

const HEADER = ['KIND', 'NAMESPACE', 'NAME', 'STATE', 'SINCE', 'MESSAGE'];
const STATE_COLUMN = HEADER.indexOf('STATE');

/** What runs as a hook, or will be deleted, is in no count: a reader has to know. */
function nameOf({ name, hook, prune }: ResourceHealth): string {
  if (hook !== undefined) return `${name} (${hook} hook)`;
  return prune === true ? `${name} (to be deleted)` : name;
}

/** That nobody judged it: a selector that selects no rule set must not look like health. */
function messageOf({ reason, message }: ResourceHealth): string {
  return message === '' && reason === 'NoRule' ? 'no rule speaks of it' : message;
}

function cellsOf(resource: ResourceHealth, now: number): string[] {
  const { kind, namespace, state, stateSince } = resource;
  return [kind, namespace, nameOf(resource), state, ageOf(stateSince, now), messageOf(resource)].map(oneLine);
}

/**
 * What the condition Healthy says, as a sentence; behind it what Ready says where that is news: what waits to be applied may wait for
 * something that has failed.
 */
export function conditionLines({ healthy, ready, metadata }: ReleaseHealth): readonly string[] {
  const release = `release ${metadata.name}`;
  const state = healthy?.status === 'True' ? 'Healthy' : healthy?.reason;
  const lines = [
    healthy === undefined ? `${release} has not been assessed yet` : `${release} is ${state}: ${healthy.message}`,
  ];
  if (ready?.status === 'False' && healthy?.status !== 'False') {
    lines.push(`${release} is not ready: ${ready.reason}: ${ready.message}`);
  }
  return lines.map(oneLine);
}

/** The lines of a table, worst first, with the sum and the conditions behind it. */
export function healthLines(health: ReleaseHealth, now: number, colour: boolean): readonly string[] {
  const rows = health.resources.map((resource) => cellsOf(resource, now));
  const lines = rows.length > 0 ? layOut([HEADER, ...rows]) : [];
  const shown = colour
    ? lines.map((line, index) => inColour(line, lines[0] ?? '', health.resources[index - 1]?.state))
    : lines;
  return [...shown, summaryLine(health), ...conditionLines(health)];
}

/** The state stands below its title. */
function inColour(line: string, header: string, state: HealthState | undefined): string {
  if (state === undefined) return line;
  const place = header.indexOf(HEADER[STATE_COLUMN] ?? '');
  return `${line.slice(0, place)}${colourOf(state)}${line.slice(place + state.length)}`;
}

/** A line, or a JSON object, for each object whose health is another than before, and one for each condition. */
export function healthChanges(
  before: ReleaseHealth | undefined,
  after: ReleaseHealth,
  now: number,
  json: boolean,
): readonly string[] {
  const time = new Date(now).toISOString();
  const known = new Map(before?.resources.map((resource) => [keyOf(resource), resource]));
  const lines: string[] = [];
  for (const resource of after.resources) {
    const old = known.get(keyOf(resource));
    known.delete(keyOf(resource));
    if (old === undefined || newsOf(old) !== newsOf(resource))
      lines.push(changeLine(resource, resource.state, time, json));
  }
  for (const gone of known.values()) lines.push(changeLine(gone, 'Deleted', time, json));
  if (json) return lines;
  const told = before === undefined ? [] : conditionLines(before);
  for (const line of conditionLines(after)) if (!told.includes(line)) lines.push(`${time} ${line}`);
  return lines;
}

function keyOf({ group, kind, namespace, name }: ResourceHealth): string {
  return `${group}|${kind}|${namespace}|${name}`;
}

function newsOf({ state, reason, message }: ResourceHealth): string {
  return JSON.stringify([state, reason, message]);
}

function changeLine(resource: ResourceHealth, state: HealthState | 'Deleted', time: string, json: boolean): string {
  if (json) return JSON.stringify({ type: state === 'Deleted' ? 'Deleted' : 'Changed', time, resource });
  const { kind, namespace, name } = resource;
  const message = messageOf(resource);
  const place = namespace === '' ? name : `${namespace}/${name}`;
  return oneLine(`${time} ${state} ${kind} ${place} ${state === 'Deleted' ? '' : message}`);
}

/** States a filter may name. */
export function isState(text: string): text is HealthState {
  return STATES_WORST_FIRST.some((state) => state === text);
}
