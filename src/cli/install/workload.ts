import { SUBRESOURCES_GROUP, VERSION } from '../../core/api/index.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { InstallOptions } from './options.ts';

const LABELS = { 'app.kubernetes.io/name': 'convoy', 'app.kubernetes.io/component': 'operator' };
const PORTS = { aggregatedApi: 6443, health: 8080 } as const;
/** Shards are cheap to have and laborious to change: enough for as many replicas as anybody runs. */
const SHARDS = 16;

/** The processes of the operator, and how the API server reaches them. */
export function workloadObjects(options: InstallOptions): readonly KubernetesObject[] {
  const { namespace, replicas, aggregatedApi } = options;
  return [
    deployment(options),
    ...(replicas > 1 ? [disruptionBudget(namespace)] : []),
    ...(aggregatedApi ? [service(namespace), apiService(namespace)] : []),
  ];
}

function argumentsOf(options: InstallOptions): readonly string[] {
  const { namespace, replicas, controllers, aggregatedApi, defaultServiceAccount } = options;
  return [
    'operator',
    `--controllers=${[...controllers].join(',')}`,
    `--namespace=${namespace}`,
    `--health-bind-address=:${PORTS.health}`,
    '--cache-dir=/cache',
    ...(replicas > 1 ? [`--shards=${SHARDS}`] : ['--leader-elect']),
    ...(aggregatedApi ? [`--aggregated-api-bind-address=:${PORTS.aggregatedApi}`] : ['--no-aggregated-api']),
    ...(defaultServiceAccount === undefined ? [] : [`--default-service-account=${defaultServiceAccount}`]),
  ];
}

function deployment(options: InstallOptions): KubernetesObject {
  const { namespace, image, replicas, aggregatedApi } = options;
  const probe = (path: string): object => ({ httpGet: { path, port: 'health' } });
  const container = {
    name: 'operator',
    image,
    args: argumentsOf(options),
    ports: [
      { name: 'health', containerPort: PORTS.health },
      ...(aggregatedApi ? [{ name: 'api', containerPort: PORTS.aggregatedApi }] : []),
    ],
    startupProbe: { ...probe('/livez'), periodSeconds: 2, failureThreshold: 30 },
    livenessProbe: { ...probe('/livez'), periodSeconds: 20 },
    readinessProbe: { ...probe('/readyz'), periodSeconds: 5 },
    resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '1Gi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'cache', mountPath: '/cache' },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'convoy', namespace, labels: LABELS },
    spec: {
      replicas,
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: LABELS },
        spec: {
          serviceAccountName: 'convoy',
          terminationGracePeriodSeconds: 45,
          securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [container],
          volumes: [
            { name: 'cache', emptyDir: { sizeLimit: '4Gi' } },
            { name: 'tmp', emptyDir: {} },
          ],
        },
      },
    },
  };
}

/** An aggregated API that is down keeps namespaces from being deleted. */
function disruptionBudget(namespace: string): KubernetesObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'convoy', namespace },
    spec: { minAvailable: 1, selector: { matchLabels: LABELS } },
  };
}

function service(namespace: string): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'convoy', namespace, labels: LABELS },
    spec: { selector: LABELS, ports: [{ name: 'api', port: 443, targetPort: 'api' }] },
  };
}

/** Its caBundle is the operator's to fill in and to renew. */
function apiService(namespace: string): KubernetesObject {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${VERSION}.${SUBRESOURCES_GROUP}` },
    spec: {
      group: SUBRESOURCES_GROUP,
      version: VERSION,
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      service: { name: 'convoy', namespace, port: 443 },
    },
  };
}
