import { type Deployment, type ReplicaSet, resolved } from './workload-types.ts';

/** How many replicas a ReplicaSet shall have. */
export interface Scaling {
  readonly set: ReplicaSet;
  readonly replicas: number;
}

const available = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0;
const current = ({ status }: ReplicaSet): number => status?.replicas ?? 0;

/** maxSurge and maxUnavailable as numbers: surge rounds up, unavailable down, and both cannot be 0. */
export function budget({ spec }: Deployment): { readonly surge: number; readonly unavailable: number } {
  const { maxSurge, maxUnavailable } = spec.strategy.rollingUpdate ?? {};
  const surge = resolved(maxSurge, spec.replicas, Math.ceil);
  const unavailable = resolved(maxUnavailable, spec.replicas, Math.floor);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, spec.replicas) };
}

/**
 * The next step of a rolling update, as pkg/controller/deployment/rolling.go takes it: first the new ReplicaSet grows as far as
 * the surge allows; else the old ones shrink, those of their pods that do not work first, as far as enough stay available.
 */
export function rollingStep(deployment: Deployment, fresh: ReplicaSet, old: readonly ReplicaSet[]): Scaling[] {
  const { replicas } = deployment.spec;
  const { surge, unavailable } = budget(deployment);
  if (fresh.spec.replicas > replicas) return [{ set: fresh, replicas }];
  const total = [fresh, ...old].reduce((sum, { spec }) => sum + spec.replicas, 0);
  const growth = Math.min(replicas + surge - total, replicas - fresh.spec.replicas);
  if (growth > 0) return [{ set: fresh, replicas: fresh.spec.replicas + growth }];
  return shrink(old, fresh, total, replicas - unavailable);
}

function shrink(old: readonly ReplicaSet[], fresh: ReplicaSet, total: number, minimum: number): Scaling[] {
  let cleanable = total - minimum - (fresh.spec.replicas - available(fresh));
  if (cleanable <= 0) return [];
  const planned = new Map(old.map((set) => [set, set.spec.replicas]));
  for (const set of old) {
    const broken = Math.min(cleanable, set.spec.replicas - available(set));
    if (broken <= 0) continue;
    planned.set(set, set.spec.replicas - broken);
    cleanable -= broken;
  }
  let spare = [fresh, ...old].reduce((sum, set) => sum + available(set), 0) - minimum;
  for (const set of old) {
    const wanted = planned.get(set) ?? 0;
    const down = Math.min(spare, wanted);
    if (down <= 0) continue;
    planned.set(set, wanted - down);
    spare -= down;
  }
  return old.flatMap((set) => {
    const replicas = planned.get(set) ?? 0;
    return replicas === set.spec.replicas ? [] : [{ set, replicas }];
  });
}

/** Recreate: nothing new before everything old is gone. */
export function recreateStep({ spec }: Deployment, fresh: ReplicaSet, old: readonly ReplicaSet[]): Scaling[] {
  const running = old.filter((set) => set.spec.replicas > 0);
  if (running.length > 0) return running.map((set) => ({ set, replicas: 0 }));
  const gone = old.every((set) => current(set) === 0);
  return gone && fresh.spec.replicas !== spec.replicas ? [{ set: fresh, replicas: spec.replicas }] : [];
}
