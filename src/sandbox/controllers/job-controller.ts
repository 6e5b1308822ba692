import { asMap } from '../../core/object/fields.ts';
import type { StoreEvent } from '../store/store.ts';
import { ownerReference, type SimulatedCluster, workloadKeys } from './simulated-cluster.ts';
import type { Again, Controller } from './simulation.ts';
import { BURST, isActive, type Job, type Pod, podFrom, withCondition } from './workload-types.ts';

/** Runs the pods of Jobs until enough of them have succeeded or too many have failed. */
export class JobController implements Controller {
  readonly #cluster: SimulatedCluster;

  constructor(cluster: SimulatedCluster) {
    this.#cluster = cluster;
  }

  keys({ object, previous }: StoreEvent): readonly string[] {
    return workloadKeys('Job', 'Pod', object, previous);
  }

  reconcile(key: string, again: Again): void {
    const [namespace = '', name = ''] = key.split('/');
    const job = this.#cluster.get<Job>('Job', namespace, name);
    if (job === undefined || job.metadata.deletionTimestamp !== undefined) return;
    const { conditions = [] } = job.status ?? {};
    if (conditions.some(({ type, status }) => ['Complete', 'Failed'].includes(type) && status === 'True')) {
      this.#forget(job, again);
      return;
    }
    this.#run(job);
  }

  #run(job: Job): void {
    const { completions, parallelism, backoffLimit, suspend } = job.spec;
    const pods = this.#cluster.controlledBy<Pod>(job, 'Pod');
    const succeeded = pods.filter(({ status }) => status?.phase === 'Succeeded').length;
    const failed = pods.filter(({ status }) => status?.phase === 'Failed').length;
    const active = pods.filter(isActive);
    const tooMany = failed > backoffLimit;
    const wanted = suspend || tooMany ? 0 : Math.min(parallelism, completions - succeeded);
    for (const pod of active.slice(wanted)) this.#cluster.remove(pod);
    const missing = Math.min(wanted - active.length, BURST);
    for (let made = 0; made < missing; made += 1) this.#create(job);
    const now = this.#cluster.timestamp();
    const counts = { active: active.length + missing, succeeded, failed };
    const base = {
      startTime: job.status?.startTime ?? now,
      ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
      ready: active.filter(({ status }) => status?.phase === 'Running').length,
    };
    let conditions = job.status?.conditions ?? [];
    if (tooMany) {
      const message = 'Job has reached the specified backoff limit';
      conditions = withCondition(
        conditions,
        { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message },
        now,
      );
      this.#cluster.tell(job, 'Warning', 'BackoffLimitExceeded', message, 'job-controller');
    } else if (succeeded >= completions) {
      const message = 'Reached expected number of succeeded pods';
      conditions = withCondition(
        conditions,
        { type: 'SuccessCriteriaMet', status: 'True', reason: 'CompletionsReached', message },
        now,
      );
      conditions = withCondition(
        conditions,
        { type: 'Complete', status: 'True', reason: 'CompletionsReached', message },
        now,
      );
      this.#cluster.tell(job, 'Normal', 'Completed', 'Job completed', 'job-controller');
    } else if (suspend) {
      const condition = {
        type: 'Suspended',
        status: 'True',
        reason: 'JobSuspended',
        message: 'Job suspended',
      } as const;
      conditions = withCondition(conditions, condition, now);
    }
    const isDone = !tooMany && succeeded >= completions;
    this.#cluster.setStatus(job, {
      ...base,
      ...(conditions.length > 0 ? { conditions } : {}),
      ...(isDone ? { completionTime: now } : {}),
    });
  }

  #create(job: Job): void {
    const { namespace = '', name, uid } = job.metadata;
    const labels = {
      'batch.kubernetes.io/job-name': name,
      'batch.kubernetes.io/controller-uid': uid,
      'job-name': name,
    };
    const pod = podFrom(job.spec.template, [ownerReference(job)], labels);
    this.#cluster.create('Pod', namespace, {
      ...pod,
      metadata: { ...asMap(pod['metadata']), generateName: `${name}-` },
    });
  }

  /** A Job that has ended goes when it asked to. */
  #forget(job: Job, again: Again): void {
    const { ttlSecondsAfterFinished: seconds } = job.spec;
    if (seconds === undefined) return;
    const ended = job.status?.conditions?.find(({ type }) => type === 'Complete' || type === 'Failed');
    const due = Date.parse(ended?.lastTransitionTime ?? '') + seconds * 1000;
    if (this.#cluster.now() < due) again(due - this.#cluster.now());
    else this.#cluster.remove(job);
  }
}
