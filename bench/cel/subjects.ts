/** The rules and objects that every engine is measured on. */

const same = (field: string): string =>
  `(has(obj.spec.replicas) ? obj.spec.replicas : 1) == (has(obj.status.${field}) ? obj.status.${field} : 0)`;

/** A Deployment that has rolled out. */
export const R1 = `has(obj.status.observedGeneration) && obj.status.observedGeneration >= obj.metadata.generation && ${same('readyReplicas')} && ${same('updatedReplicas')}`;

const sameOptional = (field: string): string => `obj.spec.?replicas.orValue(1) == obj.status.?${field}.orValue(0)`;

/** The same with optionals. */
export const R1O = `obj.status.?observedGeneration.orValue(0) >= obj.metadata.generation && ${sameOptional('readyReplicas')} && ${sameOptional('updatedReplicas')}`;

/** A Pod that is ready. */
export const R2 = `has(obj.status.conditions) && obj.status.conditions.exists(c, c.type == "Ready" && c.status == "True")`;

/** R1 with another default, so that no cache of programs answers. */
export function variantOfR1(number: number): string {
  return R1.replace(': 1)', `: ${number})`);
}

type Json = Readonly<Record<string, unknown>>;

const metadata = { name: 'web', namespace: 'shop', generation: 3 };

export const DEPLOYMENT: Json = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata,
  spec: { replicas: 3, selector: { matchLabels: { app: 'web' } } },
  status: { observedGeneration: 3, replicas: 3, readyReplicas: 3, updatedReplicas: 3, availableReplicas: 3 },
};

/** As many hidden classes as objects: a cluster never has one. */
export const DEPLOYMENTS: readonly Json[] = [
  DEPLOYMENT,
  {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: { ...metadata, labels: { app: 'web' } },
    spec: { minReadySeconds: 5, ...(DEPLOYMENT['spec'] as Json) },
    status: { conditions: [], ...(DEPLOYMENT['status'] as Json) },
  },
  {
    metadata: { generation: 3, name: 'web', annotations: {} },
    spec: { paused: false, replicas: 3 },
    status: { updatedReplicas: 3, readyReplicas: 3, observedGeneration: 3, collisionCount: 0 },
  },
  {
    apiVersion: 'apps/v1',
    metadata: { uid: '1', generation: 3 },
    status: { replicas: 3, observedGeneration: 3, readyReplicas: 3, updatedReplicas: 3 },
    spec: { strategy: {}, replicas: 3 },
  },
];

const CONDITIONS: readonly Json[] = [
  { type: 'Initialized', status: 'True' },
  { type: 'Ready', status: 'True' },
  { type: 'ContainersReady', status: 'True' },
  { type: 'PodScheduled', status: 'True' },
];

export const POD: Json = { kind: 'Pod', metadata, status: { phase: 'Running', conditions: CONDITIONS } };

export const PODS: readonly Json[] = [
  POD,
  { metadata, status: { conditions: CONDITIONS.map((one) => ({ lastProbeTime: null, ...one })), phase: 'Running' } },
  { kind: 'Pod', status: { hostIP: '10.0.0.1', conditions: CONDITIONS.map((one) => ({ ...one, reason: '' })) } },
  {
    spec: {},
    kind: 'Pod',
    status: { qosClass: 'Burstable', conditions: CONDITIONS.map((one) => ({ message: '', ...one })) },
  },
];

/** R1 fails on it: the condition guards no `status`. */
export const WITHOUT_STATUS: Json = { kind: 'Deployment', metadata, spec: { replicas: 3 } };

/** No element is ready. */
export const THOUSAND: Json = {
  status: { conditions: Array.from({ length: 1000 }, (_, index) => ({ type: `Type${index % 7}`, status: 'True' })) },
};

/** What every engine has to say of a subject before it is measured. */
export const EXPECTED = { r1: true, r1o: true, r2: true, miss: false } as const;
