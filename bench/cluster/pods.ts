import { asList, asMap } from '../../src/core/object/fields.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';

export const PODS = { group: '', version: 'v1', resource: 'pods' };

const AT = '2026-03-02T09:58:04Z';

function condition(type: string): unknown {
  return { type, status: 'True', observedGeneration: 1, lastProbeTime: null, lastTransitionTime: AT };
}

/** 2.6 KB as JSON, a fifth of it managed fields, with the depth and the repetitions of a Pod of a ReplicaSet. */
export function pod(index: number, version: number): KubernetesObject {
  const name = `web-7f9c6b5d48-${index.toString(36).padStart(5, '0')}`;
  const digits = index.toString(16).padStart(12, '0');
  const image = 'registry.example.com/shop/web:2.14.3';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      generateName: 'web-7f9c6b5d48-',
      namespace: `shop-${index % 20}`,
      uid: `2f0c1a64-5e3d-4a7b-9c11-${digits}`,
      resourceVersion: String(version),
      generation: 1,
      creationTimestamp: AT,
      labels: { app: 'web', tier: 'front', 'pod-template-hash': '7f9c6b5d48' },
      annotations: { 'example.com/checksum': `c0ffee${digits}` },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'web-7f9c6b5d48',
          uid: '7d1be0c2-90a3-4f0e-8d55-1a2b3c4d5e6f',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [
        {
          manager: 'kubelet',
          operation: 'Update',
          apiVersion: 'v1',
          time: AT,
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:status': {
              'f:conditions': Object.fromEntries(
                ['ContainersReady', 'Initialized', 'Ready'].map((type) => [
                  `k:{"type":"${type}"}`,
                  { '.': {}, 'f:lastTransitionTime': {}, 'f:status': {}, 'f:type': {} },
                ]),
              ),
              'f:containerStatuses': {},
              'f:hostIP': {},
              'f:phase': {},
              'f:podIP': {},
              'f:startTime': {},
            },
          },
          subresource: 'status',
        },
      ],
    },
    spec: {
      containers: [
        {
          name: 'web',
          image,
          ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
          env: [{ name: 'LOG_LEVEL', value: 'info' }],
          resources: { limits: { memory: '128Mi' }, requests: { cpu: '100m', memory: '64Mi' } },
          imagePullPolicy: 'IfNotPresent',
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'web',
      nodeName: `node-${index % 50}`,
      schedulerName: 'default-scheduler',
    },
    status: {
      phase: 'Running',
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(condition),
      hostIP: '192.0.2.1',
      podIP: `198.51.100.${index % 250}`,
      startTime: AT,
      containerStatuses: [
        {
          name: 'web',
          state: { running: { startedAt: AT } },
          lastState: {},
          ready: true,
          restartCount: version % 7,
          image,
          imageID: `${image}@sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae`,
          started: true,
        },
      ],
      qosClass: 'Burstable',
    },
  };
}

/** 2 KB as JSON: a Pod with less to tell. */
export function smallPod(index: number, version: number): KubernetesObject {
  const { metadata, spec, status, ...rest } = pod(index, version);
  const { ownerReferences: _owners, annotations: _annotations, ...named } = asMap(metadata);
  const { conditions, ...told } = asMap(status);
  return { ...rest, metadata: named, spec, status: { ...told, conditions: asList(conditions).slice(0, 3) } };
}

/** One event of a watch as the server writes it. */
export function eventLine(type: string, object: KubernetesObject): string {
  return `${JSON.stringify({ type, object })}\n`;
}
