import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster, ResourcePath } from '../../ports/cluster.ts';
import { ApiError } from '../../ports/errors.ts';
import type { EventRecorder, HappenedEvent } from '../../ports/events.ts';

/** ms after which the same thing is a new Event, and ms between two updates of a count: 6 min as in client-go, and a minute. */
const SERIES_ENDS = 360_000;
const UPDATE_EVERY = 60_000;
/** Most series that are remembered, and most tellings that wait: both are dropped beyond it, oldest first. */
const MOST = 1000;
/** Longest note and longest name in bytes (validation of events.k8s.io/v1). */
const LONGEST_NOTE = 1024;
const LONGEST_NAME = 253;

interface Series {
  readonly path: ResourcePath;
  readonly name: string;
  readonly event: HappenedEvent;
  count: number;
  readonly first: number;
  last: number;
  /** When the cluster was told last, and how often it was told that it happened. */
  told: number;
  toldCount: number;
}

export interface EventRecorderOptions {
  readonly cluster: Pick<Cluster, 'create' | 'patch'>;
  readonly clock: Clock;
  /** Who tells: `convoy.kumodo.io/release-controller`. */
  readonly controller: string;
  /** Which one of its processes: the name of the pod. */
  readonly instance: string;
}

function keyOf({ regarding, type, reason, action, about = '' }: HappenedEvent): string {
  const { group, kind, namespace, name, uid = '' } = regarding;
  return JSON.stringify([group, kind, namespace, name, uid, type, reason, action, about]);
}

/** metav1.MicroTime. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

/** As many whole characters as fit into so many bytes of UTF-8: the server says characters and counts bytes. */
function cut(text: string, bytes: number): string {
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read);
}

/** Events of events.k8s.io/v1. The first one is told at once, its repetitions as a count that grows. */
export class KubeEventRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #series = new Map<string, Series>();
  readonly #waiting = new Set<Series>();
  #telling: Promise<void> | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  record(event: HappenedEvent): void {
    const now = this.#options.clock.now();
    const key = keyOf(event);
    const known = this.#series.get(key);
    // Taken out and put in again, so that the map is ordered by use.
    this.#series.delete(key);
    if (known && now - known.last < SERIES_ENDS) {
      known.count += 1;
      known.last = now;
      this.#series.set(key, known);
      if (known.count === 2 || now - known.told >= UPDATE_EVERY) this.#tell(known);
      return;
    }
    if (known) this.#tell(known);
    const series = this.#begin(event, now);
    this.#series.set(key, series);
    this.#tell(series);
    this.#forget(now);
  }

  async flush(): Promise<void> {
    for (const series of this.#series.values()) this.#tell(series);
    await this.#telling;
  }

  #begin(event: HappenedEvent, now: number): Series {
    const { regarding } = event;
    const suffix = `.${now.toString(16)}${Math.floor(this.#options.clock.random() * 0x10000).toString(16)}`;
    return {
      path: {
        type: { group: 'events.k8s.io', version: 'v1', resource: 'events' },
        namespace: regarding.namespace || 'default',
      },
      name: cut(regarding.name, LONGEST_NAME - suffix.length) + suffix,
      event,
      count: 1,
      first: now,
      last: now,
      told: 0,
      toldCount: 0,
    };
  }

  /** Lets go of what has ended; the last counts of it are told. */
  #forget(now: number): void {
    for (const [key, series] of this.#series) {
      if (now - series.last < SERIES_ENDS && this.#series.size <= MOST) return;
      this.#series.delete(key);
      this.#tell(series);
    }
  }

  #tell(series: Series): void {
    if (series.count === series.toldCount || this.#waiting.size >= MOST) return;
    this.#waiting.add(series);
    this.#telling ??= this.#tellAll().finally(() => {
      this.#telling = undefined;
    });
  }

  async #tellAll(): Promise<void> {
    for (const series of this.#waiting) {
      this.#waiting.delete(series);
      try {
        await this.#tellOne(series);
      } catch {
        // Best effort: the cluster may be gone, or the namespace be ending; what matters stands in a status.
      }
    }
  }

  async #tellOne(series: Series): Promise<void> {
    const before = series.toldCount;
    series.told = this.#options.clock.now();
    // Before the answer: whoever flushes meanwhile must not tell it twice.
    series.toldCount = series.count;
    try {
      await this.#send(series, before > 0);
    } catch (error) {
      series.toldCount = before;
      throw error;
    }
  }

  async #send(series: Series, again: boolean): Promise<void> {
    const { cluster } = this.#options;
    const { path, name } = series;
    if (again) {
      try {
        await cluster.patch({ ...path, name }, 'merge', this.#repetition(series), { fieldValidation: 'Ignore' });
        return;
      } catch (error) {
        // The server keeps Events for an hour.
        if (!(error instanceof ApiError) || error.code !== 404) throw error;
      }
    }
    await cluster.create(path, this.#object(series), { fieldValidation: 'Ignore' });
  }

  /** The server lets nothing but the series change: the note stays that of the first. */
  #repetition({ count, last }: Series): KubernetesObject {
    return { series: { count, lastObservedTime: microTime(last) } };
  }

  #object(series: Series): KubernetesObject {
    const { regarding, type, reason, action, note } = series.event;
    const { group, version, kind, name, namespace, uid } = regarding;
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: series.name, namespace: series.path.namespace },
      eventTime: microTime(series.first),
      reportingController: this.#options.controller,
      reportingInstance: this.#options.instance,
      type,
      reason,
      action,
      note: cut(note, LONGEST_NOTE),
      regarding: {
        apiVersion: group === '' ? version : `${group}/${version}`,
        kind,
        name,
        ...(namespace === '' ? {} : { namespace }),
        ...(uid === undefined ? {} : { uid }),
      },
      ...(series.count > 1 ? { series: { count: series.count, lastObservedTime: microTime(series.last) } } : {}),
    };
  }
}
