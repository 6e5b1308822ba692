import { EVENT_ID, type Event } from 'js-yaml';

/** Position where the node of a parser event starts; 0 for the events that start none. */
export function startOf(event: Event): number {
  switch (event.type) {
    case EVENT_ID.SCALAR:
      return Math.max(event.valueStart, 0);
    case EVENT_ID.SEQUENCE:
    case EVENT_ID.MAPPING:
      return event.start;
    case EVENT_ID.ALIAS:
      return event.anchorStart;
    default:
      return 0;
  }
}
