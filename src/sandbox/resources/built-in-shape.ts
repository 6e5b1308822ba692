import type { ListShape, MergeShape } from './resource.ts';

/** A list whose items are told apart by keys, and the fields it may stand under (none named: anywhere). */
interface Row {
  readonly list: string;
  readonly under?: readonly string[];
  readonly keys: readonly string[];
}

const CONTAINERS = ['containers', 'initContainers', 'ephemeralContainers'];
const PORT_DEFAULTS = { protocol: 'TCP' };

/** `+listType=map` and `+listMapKey` of k8s.io/api, for the types that people apply. What is in no row is atomic there too, or rare. */
const ROWS: readonly Row[] = [
  ...CONTAINERS.map((list) => ({ list, keys: ['name'] })),
  { list: 'ports', under: CONTAINERS, keys: ['containerPort', 'protocol'] },
  { list: 'env', under: CONTAINERS, keys: ['name'] },
  { list: 'volumeMounts', under: CONTAINERS, keys: ['mountPath'] },
  { list: 'volumeDevices', under: CONTAINERS, keys: ['devicePath'] },
  { list: 'volumes', keys: ['name'] },
  { list: 'imagePullSecrets', keys: ['name'] },
  { list: 'hostAliases', keys: ['ip'] },
  { list: 'topologySpreadConstraints', keys: ['topologyKey', 'whenUnsatisfiable'] },
  { list: 'conditions', keys: ['type'] },
  { list: 'ownerReferences', under: ['metadata'], keys: ['uid'] },
  { list: 'secrets', keys: ['name'] },
  { list: 'webhooks', keys: ['name'] },
];

/** Maps that are written as a whole: `+mapType=atomic`. */
const ATOMIC_MAPS = new Set([
  'selector',
  'labelSelector',
  'namespaceSelector',
  'podSelector',
  'nodeSelector',
  'scaleTargetRef',
  'claimRef',
  'configMapKeyRef',
  'secretKeyRef',
  'fieldRef',
  'resourceFieldRef',
  'roleRef',
  'involvedObject',
]);

const ATOMIC: ListShape = { kind: 'atomic' };
const SET: ListShape = { kind: 'set' };

function listShape(path: readonly string[]): ListShape {
  const name = path.at(-1);
  if (name === 'finalizers' && path[0] === 'metadata') return SET;
  const row = ROWS.find(
    ({ list, under }) => list === name && (under === undefined || under.includes(path.at(-2) ?? '')),
  );
  if (row === undefined) return ATOMIC;
  return { kind: 'map', keys: row.keys, defaults: row.keys.includes('protocol') ? PORT_DEFAULTS : {} };
}

/** How objects of built-in kinds are merged. */
export const BUILT_IN_SHAPE: MergeShape = {
  list: listShape,
  isAtomicMap: (path) => ATOMIC_MAPS.has(path.at(-1) ?? ''),
};

/** As BUILT_IN_SHAPE, with the ports of a Service, which share their name with the ports of a container. */
export const SERVICE_SHAPE: MergeShape = {
  list: (path) =>
    path.join('.') === 'spec.ports'
      ? { kind: 'map', keys: ['port', 'protocol'], defaults: PORT_DEFAULTS }
      : listShape(path),
  isAtomicMap: BUILT_IN_SHAPE.isAtomicMap,
};
