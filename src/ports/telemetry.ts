/** Counters by name, and the labels that each takes. No label grows with the number of objects. */
export interface Counters {
  /** Rules that could not be evaluated; `reason`: RuleError, CostLimitExceeded, … */
  readonly convoy_rule_errors_total: 'ruleset' | 'rule' | 'reason';
  /** Requests to API servers; `code`: the HTTP status, or the fault of the transport. */
  readonly convoy_api_requests_total: 'verb' | 'code';
  /** Watches that had to begin again with a list. */
  readonly convoy_watch_restarts_total: never;
}

/** Histograms of seconds by name, and the labels that each takes. */
export interface Histograms {
  /** One reconcile; `result`: done, again, after, terminal or failed. */
  readonly convoy_reconcile_seconds: 'controller' | 'result';
  /** One pass of the health loop over one Release, reads apart. */
  readonly convoy_assess_seconds: never;
  /** From the change of an object on the cluster to the Healthy condition that tells it. */
  readonly convoy_verdict_latency_seconds: never;
}

type Labels<Name extends string> = Readonly<Record<Name, string>>;

/**
 * Numbers about the work, for whoever looks after the operator. Never fails and costs next to nothing. Left out: gauges, which are
 * read from caches when somebody asks, and anything about single objects.
 */
export interface Telemetry {
  count<Name extends keyof Counters>(name: Name, labels: Labels<Counters[Name]>, by?: number): void;
  observe<Name extends keyof Histograms>(name: Name, labels: Labels<Histograms[Name]>, seconds: number): void;
}

/** Where nobody listens. */
export const SILENT: Telemetry = { count: () => {}, observe: () => {} };
