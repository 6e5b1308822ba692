import type { ApiObject } from '../objects/api-object.ts';
import { BUILT_IN_KINDS, type KindRow } from './built-in-kinds.ts';
import { type BuiltInType, builtInType } from './built-in-type.ts';
import { columnsOf } from './columns.ts';
import { decodeBuiltIn } from './decode-built-in.ts';
import { applyDefaults } from './defaults.ts';
import { EVENTS_AS_STORED } from './event-versions.ts';
import type { Decoded, Resource } from './resource.ts';
import { validateBuiltIn } from './validation.ts';

/** Kinds without a count of generations: they have no controller that must keep up, or never had the field (Pod, Service). */
const COUNTED = new Set(['apps', 'batch', 'policy', 'networking.k8s.io', 'apiextensions.k8s.io', 'autoscaling']);

/** What k8s.io/kubernetes 1.35 lets its kinds be selected by. */
const SELECTABLE: Readonly<Record<string, readonly string[]>> = {
  Pod: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  Event: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  Secret: ['type'],
  Namespace: ['status.phase'],
  Node: ['spec.unschedulable'],
  ReplicaSet: ['status.replicas'],
  ReplicationController: ['status.replicas'],
  Job: ['status.successful'],
  Service: ['spec.clusterIP', 'spec.type'],
};

const BUILT_IN_SCALE = {
  specReplicas: 'spec.replicas',
  statusReplicas: 'status.replicas',
  selector: 'spec.selector.matchLabels',
};

/** The fields of core Events under their names in events.k8s.io; the same ones can be selected by. */
const EVENTS_GROUP = 'events.k8s.io';
const RENAMED: Readonly<Record<string, string>> = {
  involvedObject: 'regarding',
  reportingComponent: 'reportingController',
};

function selectableFields({ group, kind }: KindRow): readonly string[] {
  const fields = SELECTABLE[kind] ?? [];
  if (group !== EVENTS_GROUP) return fields;
  return fields
    .filter((path) => path !== 'source')
    .map((path) => path.replace(/^\w+/, (name) => RENAMED[name] ?? name));
}

function decode(object: ApiObject, type: BuiltInType): Decoded {
  const { value, unknown } = decodeBuiltIn(object, type);
  // It has the fields of its type: apiVersion and kind were there, and metadata is a struct of every kind.
  return { value: value as unknown as ApiObject, unknown };
}

function builtIn(row: KindRow): Resource {
  const type = builtInType(row.group, row.version, row.kind);
  const isEvent = row.group === EVENTS_GROUP;
  const columns = columnsOf(row.kind);
  return {
    group: row.group,
    version: row.version,
    resource: row.resource,
    singular: row.kind.toLowerCase(),
    kind: row.kind,
    namespaced: row.scope === 'namespaced',
    shortNames: row.shortNames ?? [],
    categories: row.inAll === true ? ['all'] : [],
    subresources: row.subresources ?? [],
    columns: isEvent
      ? columns.map((one) => ({ ...one, cell: (object, now) => one.cell(EVENTS_AS_STORED.write(object), now) }))
      : columns,
    shape: type,
    counted: COUNTED.has(row.group),
    selectableFields: selectableFields(row),
    ...(row.subresources?.includes('scale') ? { scale: BUILT_IN_SCALE } : {}),
    strategic: true,
    decode: (object) => decode(object, type),
    ...(isEvent ? { stored: EVENTS_AS_STORED } : {}),
    prepare: applyDefaults,
    validate: (object, old) => validateBuiltIn(object, old, row.group),
  };
}

/** What is served: built-in kinds, and those that CRDs bring and take. */
export class Registry {
  readonly #resources = new Map<string, Resource>();

  constructor() {
    for (const row of BUILT_IN_KINDS) this.add(builtIn(row));
  }

  add(resource: Resource): void {
    this.#resources.set(`${resource.group}/${resource.version}/${resource.resource}`, resource);
  }

  /** Takes away what a group serves under a plural name, in all versions. */
  remove(group: string, plural: string): void {
    for (const [key, { group: its, resource }] of this.#resources) {
      if (its === group && resource === plural) this.#resources.delete(key);
    }
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#resources.get(`${group}/${version}/${plural}`);
  }

  /** The first version that serves what is stored under a key. */
  byKey(key: string): Resource | undefined {
    return this.all().find(({ group, resource }) => `${group}/${resource}` === key);
  }

  byKind(apiVersion: string, kind: string): Resource | undefined {
    return this.all().find(
      (one) => one.kind === kind && (one.group === '' ? one.version : `${one.group}/${one.version}`) === apiVersion,
    );
  }

  all(): readonly Resource[] {
    return [...this.#resources.values()];
  }
}
