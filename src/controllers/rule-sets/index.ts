import { GLOBAL_HEALTH_RULE_SETS, HEALTH_RULE_SETS, readMetadata } from '../../core/api/index.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { Controller, type Outcome } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import type { Runnable } from '../../runtime/manager.ts';
import { keyOf } from '../../runtime/object-key.ts';
import { WorkQueue } from '../../runtime/work-queue.ts';
import { RuleSetReconciler } from './rule-set-reconciler.ts';

export interface RuleSetControllerOptions {
  readonly cluster: Pick<Cluster, 'apply'>;
  readonly clock: Clock;
  /** Of HealthRuleSets and GlobalHealthRuleSets; their owner runs them. */
  readonly informers: { readonly local: Informer; readonly global: Informer };
  /** Whether this process answers for the set with this uid; default: for all. */
  readonly owns?: (uid: string) => boolean;
  readonly onOutcome?: (controller: string, key: string, outcome: Outcome, duration: number) => void;
}

/** What keeps the condition Ready of both kinds of rule sets, until its signal aborts. May be run again. */
export function ruleSetControllers(options: RuleSetControllerOptions): readonly Runnable[] {
  const { local, global } = options.informers;
  return [
    runnable('healthrulesets', 'HealthRuleSet', HEALTH_RULE_SETS, local, options),
    runnable('globalhealthrulesets', 'GlobalHealthRuleSet', GLOBAL_HEALTH_RULE_SETS, global, options),
  ];
}

function runnable(
  name: string,
  kind: 'HealthRuleSet' | 'GlobalHealthRuleSet',
  type: typeof HEALTH_RULE_SETS | typeof GLOBAL_HEALTH_RULE_SETS,
  informer: Informer,
  { cluster, clock, owns = () => true, onOutcome }: RuleSetControllerOptions,
): Runnable {
  return {
    name,
    run: async (signal) => {
      const queue = new WorkQueue<string>({ clock });
      const reconciler = new RuleSetReconciler({ cluster, clock, kind, type, store: informer.store });
      const add = (object: KubernetesObject): void => {
        if (owns(readMetadata(object).uid)) queue.add(keyOf(object));
      };
      const remove = informer.addHandler({
        added: add,
        updated: add,
        deleted: (object) => reconciler.forget(readMetadata(object).uid),
      });
      const controller = new Controller<string>({
        name,
        clock,
        queue,
        reconciler,
        ready: (ending) => informer.synced(ending),
        ...(onOutcome === undefined
          ? {}
          : { onOutcome: (key, outcome, duration) => onOutcome(name, key, outcome, duration) }),
      });
      try {
        await controller.run(signal);
      } finally {
        remove();
      }
    },
  };
}
