import { createHash } from 'node:crypto';
import type { KubernetesObject } from '../object/kubernetes-object.ts';
import type { KindLookup } from './normalise.ts';
import { type Render, type RenderOptions, renderOf, type SourceObject } from './render.ts';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const KINDS: Readonly<Record<string, string>> = {
  '/v1/ConfigMap': 'configmaps',
  '/v1/Namespace': 'namespaces',
  '/v1/PersistentVolumeClaim': 'persistentvolumeclaims',
  '/v1/Secret': 'secrets',
  '/v1/Service': 'services',
  '/v1/ServiceAccount': 'serviceaccounts',
  'admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration': 'validatingwebhookconfigurations',
  'apiextensions.k8s.io/v1/CustomResourceDefinition': 'customresourcedefinitions',
  'apps/v1/Deployment': 'deployments',
  'autoscaling/v2/HorizontalPodAutoscaler': 'horizontalpodautoscalers',
  'batch/v1/Job': 'jobs',
  'rbac.authorization.k8s.io/v1/ClusterRole': 'clusterroles',
  'rbac.authorization.k8s.io/v1/RoleBinding': 'rolebindings',
};
const CLUSTER_SCOPED = /Namespace|ClusterRole|Webhook|CustomResourceDefinition/;

export const kinds: KindLookup = (group, version, kind) => {
  const resource = KINDS[`${group}/${version}/${kind}`];
  return resource === undefined ? undefined : { resource, namespaced: !CLUSTER_SCOPED.test(kind) };
};

export const OPTIONS: RenderOptions = { namespace: 'shop', kinds, sha256 };

/** An object of a source; `more` is what stands beside its metadata. */
export function object(
  apiVersion: string,
  kind: string,
  name: string,
  annotations: Record<string, string> = {},
  more: KubernetesObject = {},
): KubernetesObject {
  return { apiVersion, kind, metadata: { name, annotations }, ...more };
}

export function config(name: string, annotations: Record<string, string> = {}): KubernetesObject {
  return object('v1', 'ConfigMap', name, annotations);
}

export function documents(...objects: readonly unknown[]): readonly SourceObject[] {
  return objects.map((one, index) => ({
    // A document may hold anything.
    object: one as KubernetesObject,
    source: 'web.yaml',
    document: index + 1,
    line: index * 10 + 1,
  }));
}

/** The render of objects that have no fault. */
export function rendered(...objects: readonly KubernetesObject[]): Render {
  const render = renderOf(documents(...objects), OPTIONS);
  if ('problems' in render) throw new Error(render.problems.map(({ message }) => message).join('\n'));
  return render;
}
