/** Pods of the list. */
export const PODS_LISTED = 5_000;
/** Events of the watch `busy`, and different pods that they are about. */
export const EVENTS = 20_000;
export const EVENT_PODS = 1_000;
