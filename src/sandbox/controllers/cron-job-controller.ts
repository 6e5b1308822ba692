import { asMap } from '../../core/object/fields.ts';
import { timestamp } from '../objects/api-object.ts';
import { type CronSchedule, parseSchedule } from '../resources/cron-schedule.ts';
import type { StoreEvent } from '../store/store.ts';
import { ownerReference, type SimulatedCluster, workloadKeys } from './simulated-cluster.ts';
import type { Again, Controller } from './simulation.ts';
import type { CronJob, Job } from './workload-types.ts';

const SCHEDULED = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
const COMPONENT = 'cronjob-controller';
/** Times that are missed at once before the controller of Kubernetes warns. */
const TOO_MANY = 100;

function ended(job: Job): 'Complete' | 'Failed' | undefined {
  const found = job.status?.conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
  return found === undefined ? undefined : found.type === 'Complete' ? 'Complete' : 'Failed';
}

/** Makes Jobs when CronJobs are due, by the rules of k8s.io/kubernetes/pkg/controller/cronjob. */
export class CronJobController implements Controller {
  readonly #cluster: SimulatedCluster;

  constructor(cluster: SimulatedCluster) {
    this.#cluster = cluster;
  }

  keys({ object, previous }: StoreEvent): readonly string[] {
    return workloadKeys('CronJob', 'Job', object, previous);
  }

  reconcile(key: string, again: Again): void {
    const [namespace = '', name = ''] = key.split('/');
    const cron = this.#cluster.get<CronJob>('CronJob', namespace, name);
    if (cron === undefined || cron.metadata.deletionTimestamp !== undefined) return;
    this.#tidy(cron);
    const schedule = this.#schedule(cron);
    const started = schedule === undefined || cron.spec.suspend ? undefined : this.#startDue(cron, schedule, again);
    this.#writeStatus(key, started);
  }

  #jobsOf(cron: CronJob): Job[] {
    return this.#cluster
      .controlledBy<Job>(cron, 'Job')
      .sort((a, b) => (a.status?.startTime ?? '').localeCompare(b.status?.startTime ?? ''));
  }

  #schedule(cron: CronJob): CronSchedule | undefined {
    const { schedule, timeZone } = cron.spec;
    try {
      return parseSchedule(schedule, timeZone);
    } catch (error) {
      const isZone = error instanceof RangeError;
      const reason = isZone ? 'UnknownTimeZone' : 'UnparseableSchedule';
      const what = isZone ? `invalid timeZone: "${timeZone}"` : `unparseable schedule: "${schedule}"`;
      this.#cluster.tell(cron, 'Warning', reason, `${what}: ${String(error)}`, COMPONENT);
      return undefined;
    }
  }

  /** Removes the oldest of the Jobs that have ended, beyond what is kept of each kind. */
  #tidy(cron: CronJob): void {
    const jobs = this.#jobsOf(cron);
    const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cron.spec;
    for (const [end, limit] of [
      ['Complete', successfulJobsHistoryLimit],
      ['Failed', failedJobsHistoryLimit],
    ] as const) {
      const all = jobs.filter((job) => ended(job) === end);
      for (const job of all.slice(0, Math.max(0, all.length - limit))) {
        this.#cluster.remove(job);
        this.#cluster.tell(cron, 'Normal', 'SuccessfulDelete', `Deleted job ${job.metadata.name}`, COMPONENT);
      }
    }
  }

  /** The newest time that is due and not served yet; those before it are missed. */
  #latestDue(cron: CronJob, schedule: CronSchedule): number | undefined {
    const now = this.#cluster.now();
    const { startingDeadlineSeconds } = cron.spec;
    const since = Date.parse(cron.status?.lastScheduleTime ?? cron.metadata.creationTimestamp);
    const earliest =
      startingDeadlineSeconds === undefined ? since : Math.max(since, now - startingDeadlineSeconds * 1000);
    let latest: number | undefined;
    let missed = 0;
    for (let due = schedule.next(earliest); due !== undefined && due <= now; due = schedule.next(due)) {
      latest = due;
      missed += 1;
      if (missed > TOO_MANY) {
        // A clock that leapt: what is due next counts, not what was missed.
        const message = `too many missed start times: more than ${TOO_MANY}. Set or decrease .spec.startingDeadlineSeconds or check clock skew`;
        this.#cluster.tell(cron, 'Warning', 'TooManyMissedTimes', message, COMPONENT);
        return this.#lastBefore(schedule, now, due);
      }
    }
    return latest;
  }

  #lastBefore(schedule: CronSchedule, now: number, from: number): number {
    let span = 1;
    // Back in growing steps until a due time lies between, then forward to the last one.
    while (now - span * 60_000 > from) {
      const due = schedule.next(now - span * 60_000);
      if (due !== undefined && due <= now) {
        let latest = due;
        for (let next = schedule.next(due); next !== undefined && next <= now; next = schedule.next(next))
          latest = next;
        return latest;
      }
      span *= 2;
    }
    return from;
  }

  /** Starts the Job that is due, if one is and may run; asks to be woken when the next is. Returns the time that was served. */
  #startDue(cron: CronJob, schedule: CronSchedule, again: Again): number | undefined {
    const now = this.#cluster.now();
    const next = schedule.next(now);
    if (next !== undefined) again(next - now);
    const due = this.#latestDue(cron, schedule);
    if (due === undefined) return undefined;
    const active = this.#jobsOf(cron).filter((job) => ended(job) === undefined);
    const name = `${cron.metadata.name}-${Math.floor(due / 60_000)}`;
    if (active.length > 0 && cron.spec.concurrencyPolicy === 'Forbid') {
      const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
      this.#cluster.tell(cron, 'Normal', 'JobAlreadyActive', message, COMPONENT);
      return undefined;
    }
    if (cron.spec.concurrencyPolicy === 'Replace') {
      for (const job of active) {
        this.#cluster.remove(job);
        this.#cluster.tell(cron, 'Normal', 'SuccessfulDelete', `Deleted job ${job.metadata.name}`, COMPONENT);
      }
    }
    this.#start(cron, name, due);
    return due;
  }

  #start(cron: CronJob, name: string, due: number): void {
    const { metadata, spec } = cron.spec.jobTemplate;
    this.#cluster.create('Job', cron.metadata.namespace ?? '', {
      metadata: {
        name,
        labels: { ...metadata?.labels },
        annotations: { ...metadata?.annotations, [SCHEDULED]: timestamp(due) },
        ownerReferences: [ownerReference(cron)],
      },
      spec,
    });
    this.#cluster.tell(cron, 'Normal', 'SuccessfulCreate', `Created job ${name}`, COMPONENT);
  }

  #writeStatus(key: string, started: number | undefined): void {
    const [namespace = '', name = ''] = key.split('/');
    const cron = this.#cluster.get<CronJob>('CronJob', namespace, name);
    if (cron === undefined) return;
    const jobs = this.#jobsOf(cron);
    const known = new Set((cron.status?.active ?? []).map(({ uid }) => uid));
    for (const job of jobs) {
      const end = ended(job);
      if (end === undefined || !known.has(job.metadata.uid)) continue;
      const message = `Saw completed job: ${job.metadata.name}, condition: ${end}`;
      this.#cluster.tell(cron, 'Normal', 'SawCompletedJob', message, COMPONENT);
    }
    const active = jobs.filter((job) => ended(job) === undefined && job.metadata.deletionTimestamp === undefined);
    const succeeded = jobs.flatMap((job) => asMap(job.status)['completionTime'] ?? []).sort();
    const lastSuccessfulTime = succeeded.at(-1) ?? cron.status?.lastSuccessfulTime;
    const lastScheduleTime = started === undefined ? cron.status?.lastScheduleTime : timestamp(started);
    this.#cluster.setStatus(cron, {
      ...(active.length === 0 ? {} : { active: active.map(referenceTo) }),
      ...(lastScheduleTime === undefined ? {} : { lastScheduleTime }),
      ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }),
    });
  }
}

function referenceTo({ metadata }: Job): object {
  const { name, namespace, uid } = metadata;
  // Without the version: it would change with each step of the Job.
  return { apiVersion: 'batch/v1', kind: 'Job', name, namespace, uid };
}
