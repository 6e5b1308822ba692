/**
 * How a field stands in JSON: `text`, `bytes` (base64), `flag`, `number` (0 means absent), `count` (0 is a value), `time`,
 * `text or number` (IntOrString), a list of texts, a map to texts or bytes, a message or a list of them.
 */
export type FieldType =
  | 'text'
  | 'bytes'
  | 'flag'
  | 'number'
  | 'count'
  | 'time'
  | 'text or number'
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
  Job: { 1: METADATA, 2: ['spec', { message: { 6: ['template', { message: POD_TEMPLATE }] } }] },
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
  DeleteOptions: {
    1: ['gracePeriodSeconds', 'count'],
    2: ['preconditions', { message: { 1: ['uid', 'text'], 2: ['resourceVersion', 'text'] } }],
    4: ['propagationPolicy', 'text'],
    5: ['dryRun', 'texts'],
  },
  LocalSubjectAccessReview: ACCESS_REVIEW,
  SelfSubjectAccessReview: ACCESS_REVIEW,
  SubjectAccessReview: ACCESS_REVIEW,
  SelfSubjectReview: { 1: METADATA },
  TokenReview: { 1: METADATA, 2: ['spec', { message: { 1: ['token', 'text'] } }] },
};
