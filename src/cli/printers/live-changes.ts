import { withCause } from '../../core/health/assess-objects.ts';
import type { HealthItem, HealthReport } from '../report.ts';
import { oneLine } from './table.ts';

function keyOf({ apiVersion, kind, namespace, name }: HealthItem): string {
  return `${apiVersion}/${kind}/${namespace}/${name}`;
}

/** What counts as news: everything but the place in the report. */
function newsOf({ index: _index, ...item }: HealthItem): string {
  return JSON.stringify(item);
}

function line(item: HealthItem, gone: boolean, time: string, json: boolean): string {
  if (json) return `${JSON.stringify({ type: gone ? 'Deleted' : 'Changed', time, item })}\n`;
  const { kind, namespace, name, state, message, cause } = item;
  const place = namespace === '' ? name : `${namespace}/${name}`;
  const text = gone ? '' : oneLine(withCause(message, cause));
  return `${`${time} ${gone ? 'Deleted' : state} ${kind} ${oneLine(place)} ${text}`.trimEnd()}\n`;
}

/**
 * One line for each object that is new, has another verdict or is gone: `TIME STATE KIND NAMESPACE/NAME MESSAGE`, or a JSON object
 * `{type: Changed|Deleted, time, item}`. `now`: ms since 1970.
 */
export function changedItems(before: HealthReport, after: HealthReport, now: number, json: boolean): string {
  const time = new Date(now).toISOString();
  const known = new Map(before.items.map((item) => [keyOf(item), item]));
  let text = '';
  for (const item of after.items) {
    const old = known.get(keyOf(item));
    known.delete(keyOf(item));
    if (old === undefined || newsOf(old) !== newsOf(item)) text += line(item, false, time, json);
  }
  for (const item of known.values()) text += line(item, true, time, json);
  return text;
}
