import type { ObjectRef } from '../core/object/kubernetes-object.ts';

/** Something that happened to an object, as `kubectl describe` shows it. */
export interface HappenedEvent {
  readonly regarding: ObjectRef & { readonly uid?: string };
  readonly type: 'Normal' | 'Warning';
  /** Why, in one word that machines know: `RolledBack`. */
  readonly reason: string;
  /** What was done or not done: `RollBack`. */
  readonly action: string;
  /** For people; no secrets. */
  readonly note: string;
  /** What it is about, where the same reason comes for several things: the render that an attempt applies. Not shown. */
  readonly about?: string;
}

/**
 * Tells the cluster what happened. Best effort: recording never fails and is never waited for, and what cannot be told is dropped.
 * The same thing again and again becomes one Event with a count,
 * and keeps the note of its first time; what is the same is decided by object, type, reason, action and
 * `about`.
 */
export interface EventRecorder {
  record(event: HappenedEvent): void;
  /** Resolves when all that was recorded so far has been told or dropped. */
  flush(): Promise<void>;
}
