import { API_VERSION, readMetadata } from '../../core/api/index.ts';
import { readConditions } from '../../core/conditions/conditions.ts';
import { asMap } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster, ResourcePath } from '../../ports/cluster.ts';
import { ApiError } from '../../ports/errors.ts';
import { DONE, type Reconciler, type Result } from '../../runtime/controller.ts';
import type { ObjectReader } from '../../runtime/indexer.ts';
import { splitKey } from '../../runtime/object-key.ts';
import { judgeRuleSet, type RuleSetJudgement } from './judge-rule-set.ts';

/** The field manager of the status of rule sets; nobody else writes there. */
export const FIELD_MANAGER = 'convoy-rule-sets';

export interface RuleSetReconcilerOptions {
  readonly cluster: Pick<Cluster, 'apply'>;
  readonly clock: Clock;
  readonly kind: 'HealthRuleSet' | 'GlobalHealthRuleSet';
  readonly type: ResourcePath['type'];
  readonly store: ObjectReader;
}

/** Keeps the condition Ready of the rule sets of one kind; keys are `namespace/name` or `name`. Writes only what differs. */
export class RuleSetReconciler implements Reconciler<string> {
  readonly #options: RuleSetReconcilerOptions;
  /** By uid what was found out of the generation. */
  readonly #judged = new Map<string, { readonly generation: number; readonly judgement: RuleSetJudgement }>();

  constructor(options: RuleSetReconcilerOptions) {
    this.#options = options;
  }

  /** Forgets what was found out of a set that is gone. */
  forget(uid: string): void {
    this.#judged.delete(uid);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Result> {
    const { namespace, name } = splitKey(key);
    const object = this.#options.store.get(namespace, name);
    if (object === undefined || readMetadata(object).deletionTimestamp !== '') return DONE;
    const judgement = this.#judge(object);
    const status = this.#statusOf(object, judgement);
    if (status !== undefined) await this.#write(object, status, signal);
    return DONE;
  }

  #judge(object: KubernetesObject): RuleSetJudgement {
    const { uid, generation } = readMetadata(object);
    const known = this.#judged.get(uid);
    if (known?.generation === generation) return known.judgement;
    const judgement = judgeRuleSet(object);
    this.#judged.set(uid, { generation, judgement });
    return judgement;
  }

  /** The status that says so; undefined when it says so already. */
  #statusOf(object: KubernetesObject, judgement: RuleSetJudgement): Record<string, unknown> | undefined {
    const { generation } = readMetadata(object);
    const { observedGeneration, conditions } = asMap(object['status']);
    const old = readConditions(conditions).find(({ type }) => type === 'Ready');
    const same =
      Number(observedGeneration) === generation &&
      Number(old?.['observedGeneration']) === generation &&
      old?.status === judgement.status &&
      old.reason === judgement.reason &&
      old.message === judgement.message;
    if (same) return undefined;
    const now = new Date(this.#options.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    const lastTransitionTime = old?.status === judgement.status ? old.lastTransitionTime : now;
    const ready = { type: 'Ready', ...judgement, observedGeneration: generation, lastTransitionTime };
    return { observedGeneration: generation, conditions: [ready] };
  }

  async #write(object: KubernetesObject, status: Record<string, unknown>, signal: AbortSignal): Promise<void> {
    const { cluster, kind, type } = this.#options;
    const { name, namespace, resourceVersion } = readMetadata(object);
    const metadata = { name, ...(namespace === '' ? {} : { namespace }), resourceVersion };
    try {
      await cluster.apply(
        { type, namespace, name },
        { apiVersion: API_VERSION, kind, metadata, status },
        {
          fieldManager: FIELD_MANAGER,
          force: true,
          subresource: 'status',
          signal,
        },
      );
    } catch (error) {
      // It changed or went meanwhile, which is an event of its own.
      if (!(error instanceof ApiError && [404, 409].includes(error.code))) throw error;
    }
  }
}
