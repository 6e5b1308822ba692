import { expect, it } from 'vitest';
import { guessResource } from './resource-name.ts';

it.each([
  ['Deployment', 'deployments'],
  ['Ingress', 'ingresses'],
  ['NetworkPolicy', 'networkpolicies'],
  ['Gateway', 'gateways'],
  ['Proxy', 'proxies'],
  ['Box', 'boxes'],
  ['Patch', 'patches'],
  ['Mesh', 'meshes'],
  ['StorageClass', 'storageclasses'],
  ['Endpoints', 'endpoints'],
  ['', ''],
])('the resource of kind %s is guessed as %s', (kind, resource) => {
  expect(guessResource(kind)).toBe(resource);
});
