import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Release, ReleaseInventory } from '../../core/api/index.ts';
import { type HealthState, STATES_WORST_FIRST } from '../../core/health/index.ts';
import { countsForHealth } from '../../core/release/inventory/index.ts';
import type { Counters, Histograms, Telemetry } from '../../ports/telemetry.ts';

/** Numbers of a work queue, as the queue itself counts them. */
export interface QueueNumbers {
  readonly depth: number;
  readonly running: number;
  readonly delayed: number;
  readonly adds: number;
  readonly retries: number;
}

/** What gauges are read from when somebody asks. */
export interface Gauged {
  releases(): Iterable<Release>;
  inventories(): Iterable<ReleaseInventory>;
  /** By the name of the controller. */
  queues(): ReadonlyMap<string, QueueNumbers>;
}

const COUNTERS: Readonly<Record<keyof Counters, { readonly help: string; readonly labels: readonly string[] }>> = {
  convoy_rule_errors_total: {
    help: 'Health rules that could not be evaluated.',
    labels: ['ruleset', 'rule', 'reason'],
  },
  convoy_api_requests_total: { help: 'Requests to API servers.', labels: ['verb', 'code'] },
  convoy_watch_restarts_total: { help: 'Watches that had to begin again with a list.', labels: [] },
};

/** Seconds, from a millisecond to a minute. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const HISTOGRAMS: Readonly<Record<keyof Histograms, { readonly help: string; readonly labels: readonly string[] }>> = {
  convoy_reconcile_seconds: { help: 'Reconciles, by how they ended.', labels: ['controller', 'result'] },
  convoy_assess_seconds: { help: 'Passes of the health loop over one Release, reads apart.', labels: [] },
  convoy_verdict_latency_seconds: {
    help: 'From the change of an object on the cluster to the Healthy condition that tells it.',
    labels: [],
  },
};

const QUEUE_GAUGES = { depth: 'wait', running: 'are worked on', delayed: 'wait for their time' } as const;
const QUEUE_COUNTERS = { adds: 'became due', retries: 'were tried again' } as const;

/** Telemetry that Prometheus reads. */
export class PrometheusTelemetry implements Telemetry {
  readonly #registry = new Registry();
  readonly #counters = new Map<string, Counter>();
  readonly #histograms = new Map<string, Histogram>();

  constructor(gauged: Gauged) {
    const registers = [this.#registry];
    for (const [name, { help, labels }] of Object.entries(COUNTERS)) {
      this.#counters.set(name, new Counter({ name, help, labelNames: labels, registers }));
    }
    for (const [name, { help, labels }] of Object.entries(HISTOGRAMS)) {
      this.#histograms.set(name, new Histogram({ name, help, labelNames: labels, buckets: BUCKETS, registers }));
    }
    addReleases(registers, gauged);
    addQueues(registers, gauged);
    collectDefaultMetrics({ register: this.#registry });
  }

  count(name: string, labels: Readonly<Record<string, string>>, by = 1): void {
    this.#counters.get(name)?.inc({ ...labels }, by);
  }

  observe(name: string, labels: Readonly<Record<string, string>>, seconds: number): void {
    this.#histograms.get(name)?.observe({ ...labels }, seconds);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All that is known, as text. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }
}

function statusOf({ status }: Release, type: string): string {
  return status.conditions?.find((condition) => condition.type === type)?.status ?? 'Unknown';
}

function addReleases(registers: Registry[], gauged: Gauged): void {
  new Gauge({
    name: 'convoy_release_info',
    help: 'Always 1: a Release, and the status of its conditions Healthy and Ready.',
    labelNames: ['namespace', 'name', 'healthy', 'ready'],
    registers,
    collect() {
      this.reset();
      for (const release of gauged.releases()) {
        const { namespace, name } = release.metadata;
        this.set({ namespace, name, healthy: statusOf(release, 'Healthy'), ready: statusOf(release, 'Ready') }, 1);
      }
    },
  });
  new Gauge({
    name: 'convoy_release_resources',
    help: 'Objects of Releases, by their state.',
    labelNames: ['state'],
    registers,
    collect() {
      const counts = new Map<HealthState, number>(STATES_WORST_FIRST.map((state) => [state, 0]));
      for (const { spec } of gauged.inventories()) {
        for (const entry of spec.entries.filter(countsForHealth)) {
          const state = entry.state ?? 'Unknown';
          counts.set(state, (counts.get(state) ?? 0) + 1);
        }
      }
      for (const [state, count] of counts) this.set({ state }, count);
    },
  });
}

function addQueues(registers: Registry[], gauged: Gauged): void {
  for (const [part, what] of Object.entries(QUEUE_GAUGES)) {
    new Gauge({
      name: `convoy_workqueue_${part}`,
      help: `Keys that ${what}.`,
      labelNames: ['name'],
      registers,
      collect() {
        this.reset();
        for (const [name, numbers] of gauged.queues()) this.set({ name }, numbers[part as keyof QueueNumbers]);
      },
    });
  }
  for (const [part, what] of Object.entries(QUEUE_COUNTERS)) {
    new Counter({
      name: `convoy_workqueue_${part}_total`,
      help: `Keys that ${what}.`,
      labelNames: ['name'],
      registers,
      collect() {
        // The queue counts; a counter of this library can only be brought there.
        this.reset();
        for (const [name, numbers] of gauged.queues()) this.inc({ name }, numbers[part as keyof QueueNumbers]);
      },
    });
  }
}
