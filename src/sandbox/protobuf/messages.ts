/**
 * How a field stands in JSON: `text`, `bytes` (base64), `flag`, `number` (0 means absent), `count` (0 is a value), `time`,
 * `text or number` (IntOrString; with `count` 0 is a value), a list of texts, a map to texts or bytes, a message or a list of them.
 */
export type FieldType =
  | 'text'
  | 'bytes'
  | 'flag'
  | 'number'
  | 'count'
  | 'time'
  | 'text or number'
  | 'text or count'
  | 'texts'
  | 'text map'
  | 'bytes map'
  | { readonly message: Message }
  | { readonly messages: Message };

/** Fields by their number in the .proto files of Kubernetes. */
export type Message = Readonly<Record<number, readonly [name: string, type: FieldType]>>;

const OWNER_REFERENCE: Message = {
  1: ['kind', 'text'],
  3: ['name', 'text'],
  4: ['uid', 'text'],
  5: ['apiVersion', 'text'],
  6: ['controller', 'flag'],
  7: ['blockOwnerDeletion', 'flag'],
};

const OBJECT_META: Message = {
  1: ['name', 'text'],
  2: ['generateName', 'text'],
  3: ['namespace', 'text'],
  5: ['uid', 'text'],
  6: ['resourceVersion', 'text'],
  7: ['generation', 'number'],
  8: ['creationTimestamp', 'time'],
  11: ['labels', 'text map'],
  12: ['annotations', 'text map'],
  13: ['ownerReferences', { messages: OWNER_REFERENCE }],
  14: ['finalizers', 'texts'],
  // 17, managedFields: an update does not change them.
  17: ['', 'text'],
};
const METADATA = ['metadata', { message: OBJECT_META }] as const;

const CONTAINER: Message = {
  1: ['name', 'text'],
  2: ['image', 'text'],
  3: ['command', 'texts'],
  4: ['args', 'texts'],
  6: ['ports', { messages: { 1: ['name', 'text'], 3: ['containerPort', 'number'], 4: ['protocol', 'text'] } }],
};

const POD_TEMPLATE: Message = {
  1: METADATA,
  2: ['spec', { message: { 2: ['containers', { messages: CONTAINER }], 3: ['restartPolicy', 'text'] } }],
};

const ACCESS: Message = {
  1: ['namespace', 'text'],
  2: ['verb', 'text'],
  3: ['group', 'text'],
  4: ['version', 'text'],
  5: ['resource', 'text'],
  6: ['subresource', 'text'],
  7: ['name', 'text'],
};
const ACCESS_REVIEW: Message = {
  1: METADATA,
  2: [
    'spec',
    {
      message: {
        1: ['resourceAttributes', { message: ACCESS }],
        2: ['nonResourceAttributes', { message: { 1: ['path', 'text'], 2: ['verb', 'text'] } }],
        3: ['user', 'text'],
        4: ['groups', 'texts'],
        6: ['uid', 'text'],
      },
    },
  ],
};

const SERVICE_PORT: Message = {
  1: ['name', 'text'],
  2: ['protocol', 'text'],
  3: ['port', 'number'],
  4: ['targetPort', 'text or number'],
  5: ['nodePort', 'number'],
};

const JOB_SPEC: Message = {
  1: ['parallelism', 'count'],
  2: ['completions', 'count'],
  3: ['activeDeadlineSeconds', 'count'],
  6: ['template', { message: POD_TEMPLATE }],
  7: ['backoffLimit', 'count'],
  8: ['ttlSecondsAfterFinished', 'count'],
  9: ['completionMode', 'text'],
  10: ['suspend', 'flag'],
  14: ['podReplacementPolicy', 'text'],
};

const SELECTOR: Message = {
  1: ['matchLabels', 'text map'],
  2: ['matchExpressions', { messages: { 1: ['key', 'text'], 2: ['operator', 'text'], 3: ['values', 'texts'] } }],
};

const METRIC: Message = {
  1: ['type', 'text'],
  4: [
    'resource',
    {
      message: {
        1: ['name', 'text'],
        2: ['target', { message: { 1: ['type', 'text'], 4: ['averageUtilization', 'count'] } }],
      },
    },
  ],
};

const POLICY_RULE: Message = {
  1: ['verbs', 'texts'],
  2: ['apiGroups', 'texts'],
  3: ['resources', 'texts'],
  4: ['resourceNames', 'texts'],
  5: ['nonResourceURLs', 'texts'],
};

const ROLE_BINDING: Message = {
  1: METADATA,
  2: [
    'subjects',
    { messages: { 1: ['kind', 'text'], 2: ['apiGroup', 'text'], 3: ['name', 'text'], 4: ['namespace', 'text'] } },
  ],
  3: ['roleRef', { message: { 1: ['apiGroup', 'text'], 2: ['kind', 'text'], 3: ['name', 'text'] } }],
};

const DELETE_OPTIONS: Message = {
  1: ['gracePeriodSeconds', 'count'],
  2: ['preconditions', { message: { 1: ['uid', 'text'], 2: ['resourceVersion', 'text'] } }],
  4: ['propagationPolicy', 'text'],
  5: ['dryRun', 'texts'],
};

/** The kinds that kubectl and helm send in protobuf, as far as their commands fill them in (k8s.io/api 0.35, generated.proto). */
export const MESSAGES: Readonly<Record<string, Message>> = {
  Secret: {
    1: METADATA,
    2: ['data', 'bytes map'],
    3: ['type', 'text'],
    4: ['stringData', 'text map'],
    5: ['immutable', 'flag'],
  },
  ConfigMap: { 1: METADATA, 2: ['data', 'text map'], 3: ['binaryData', 'bytes map'], 4: ['immutable', 'flag'] },
  Namespace: { 1: METADATA, 2: ['spec', { message: { 1: ['finalizers', 'texts'] } }] },
  ServiceAccount: { 1: METADATA, 4: ['automountServiceAccountToken', 'flag'] },
  Deployment: {
    1: METADATA,
    2: [
      'spec',
      {
        message: {
          1: ['replicas', 'count'],
          2: ['selector', { message: { 1: ['matchLabels', 'text map'] } }],
          3: ['template', { message: POD_TEMPLATE }],
          4: ['strategy', { message: { 1: ['type', 'text'] } }],
        },
      },
    ],
  },
  Job: { 1: METADATA, 2: ['spec', { message: JOB_SPEC }] },
  CronJob: {
    1: METADATA,
    2: [
      'spec',
      {
        message: {
          1: ['schedule', 'text'],
          2: ['startingDeadlineSeconds', 'count'],
          3: ['concurrencyPolicy', 'text'],
          4: ['suspend', 'flag'],
          5: ['jobTemplate', { message: { 1: METADATA, 2: ['spec', { message: JOB_SPEC }] } }],
          6: ['successfulJobsHistoryLimit', 'count'],
          7: ['failedJobsHistoryLimit', 'count'],
          8: ['timeZone', 'text'],
        },
      },
    ],
  },
  HorizontalPodAutoscaler: {
    1: METADATA,
    2: [
      'spec',
      {
        message: {
          1: ['scaleTargetRef', { message: { 1: ['kind', 'text'], 2: ['name', 'text'], 3: ['apiVersion', 'text'] } }],
          2: ['minReplicas', 'count'],
          3: ['maxReplicas', 'count'],
          4: ['metrics', { messages: METRIC }],
        },
      },
    ],
  },
  PodDisruptionBudget: {
    1: METADATA,
    2: [
      'spec',
      {
        message: {
          1: ['minAvailable', 'text or count'],
          2: ['selector', { message: SELECTOR }],
          3: ['maxUnavailable', 'text or count'],
          4: ['unhealthyPodEvictionPolicy', 'text'],
        },
      },
    ],
  },
  Role: { 1: METADATA, 2: ['rules', { messages: POLICY_RULE }] },
  ClusterRole: { 1: METADATA, 2: ['rules', { messages: POLICY_RULE }] },
  RoleBinding: ROLE_BINDING,
  ClusterRoleBinding: ROLE_BINDING,
  Eviction: { 1: METADATA, 2: ['deleteOptions', { message: DELETE_OPTIONS }] },
  Service: {
    1: METADATA,
    2: [
      'spec',
      {
        message: {
          1: ['ports', { messages: SERVICE_PORT }],
          2: ['selector', 'text map'],
          3: ['clusterIP', 'text'],
          4: ['type', 'text'],
        },
      },
    ],
  },
  DeleteOptions: DELETE_OPTIONS,
  LocalSubjectAccessReview: ACCESS_REVIEW,
  SelfSubjectAccessReview: ACCESS_REVIEW,
  SubjectAccessReview: ACCESS_REVIEW,
  SelfSubjectReview: { 1: METADATA },
  TokenReview: { 1: METADATA, 2: ['spec', { message: { 1: ['token', 'text'] } }] },
};
