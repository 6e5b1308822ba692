import { isMap, type JsonMap } from '../object/fields.ts';

/** A condition whose texts are texts: what rules and causes read. Other fields of the original stay. */
export interface Condition extends JsonMap {
  readonly type: string;
  /** `True`, `False` or `Unknown`; whatever text the controller wrote. */
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** RFC 3339, '' when absent. */
  readonly lastTransitionTime: string;
}

/**
 * The conditions of a list that count, in its order: an element without a type or a status is left out, of several with the
 * same type the newest lastTransitionTime counts, a missing or wrong-typed reason, message or time is ''. A boolean
 * status, which no API server returns but people write by hand, reads as `True` or `False`. Everything but a list is no conditions.
 */
export function readConditions(list: unknown): readonly Condition[] {
  if (!Array.isArray(list)) return [];
  // A Map keeps the place of a type's first condition, and finds it at once in a hostile list of thousands.
  const byType = new Map<string, Condition>();
  for (const item of list) {
    const condition = readCondition(item);
    if (condition !== undefined && isNewer(condition, byType.get(condition.type)))
      byType.set(condition.type, condition);
  }
  return [...byType.values()];
}

function readCondition(item: unknown): Condition | undefined {
  if (!isMap(item)) return undefined;
  const { type, reason, message, lastTransitionTime } = item;
  const status = statusText(item['status']);
  if (typeof type !== 'string' || type === '' || status === undefined) return undefined;
  return {
    ...item,
    type,
    status,
    reason: typeof reason === 'string' ? reason : '',
    message: typeof message === 'string' ? message : '',
    lastTransitionTime: typeof lastTransitionTime === 'string' ? lastTransitionTime : '',
  };
}

function statusText(status: unknown): string | undefined {
  if (typeof status === 'string') return status;
  if (typeof status === 'boolean') return status ? 'True' : 'False';
  return undefined;
}

/** Equal times are decided by the whole content, so that the order of the list never matters. */
function isNewer(candidate: Condition, known: Condition | undefined): boolean {
  if (known === undefined) return true;
  if (candidate.lastTransitionTime !== known.lastTransitionTime) {
    return candidate.lastTransitionTime > known.lastTransitionTime;
  }
  return orderKey(candidate) < orderKey(known);
}

/** Types that are good when they are False, as far as ties need to know them. */
const TELLS_TROUBLE = /Fail|Error|Degraded|Stalled|Invalid|Unhealthy/u;

/** Of two equally new ones the less favourable sorts first: `False` before `True`, or the other way round where the type names trouble. */
function orderKey({ type, status, reason, message }: Condition): string {
  const rank = status === (TELLS_TROUBLE.test(type) ? 'True' : 'False') ? '0' : '1';
  return `${rank}${status}\n${reason}\n${message}`;
}
