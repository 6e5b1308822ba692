import { asMap } from '../../core/object/fields.ts';
import { type ApiObject, clone } from '../objects/api-object.ts';
import { invalid } from '../objects/status-error.ts';
import { OPEN_SHAPE, objectMetaType } from '../resources/built-in-type.ts';
import { decodeBuiltIn } from '../resources/decode-built-in.ts';
import type { Decoded, ListShape, MergeShape, Resource } from '../resources/resource.ts';
import type { Fault } from '../resources/validation.ts';
import { columnsOfDefinition, type PrinterColumn } from './printer-columns.ts';
import { structuralFaults } from './structural-faults.ts';
import { fillDefaults, propertyOf, prune, type StructuralSchema } from './structural-schema.ts';
import { schemaFaults } from './validate-schema.ts';
import { compileRules, ruleFaults } from './validation-rules.ts';

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema?: { readonly openAPIV3Schema?: StructuralSchema };
  readonly subresources?: {
    readonly status?: object;
    readonly scale?: {
      readonly specReplicasPath?: string;
      readonly statusReplicasPath?: string;
      readonly labelSelectorPath?: string;
    };
  };
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
}

/** A CustomResourceDefinition of apiextensions.k8s.io/v1. */
export interface Definition extends ApiObject {
  spec: {
    readonly group: string;
    readonly scope: 'Namespaced' | 'Cluster';
    readonly names: {
      readonly plural: string;
      readonly singular?: string;
      readonly kind: string;
      readonly listKind?: string;
      readonly shortNames?: readonly string[];
      readonly categories?: readonly string[];
    };
    readonly versions: readonly DefinitionVersion[];
  };
}

/** What the API server knows of the root without the schema saying so. */
const ROOT: Readonly<Record<string, StructuralSchema>> = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
};

function rootSchema({ schema }: DefinitionVersion): StructuralSchema {
  const own = schema?.openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  // A definition may restrict the name, and nothing else of the metadata.
  const { name = {}, generateName = {} } = own.properties?.['metadata']?.properties ?? {};
  const names = { name: { ...name, type: 'string' }, generateName: { ...generateName, type: 'string' } };
  return { ...own, properties: { ...own.properties, ...ROOT, metadata: { type: 'object', properties: names } } };
}

function listShape(schema: StructuralSchema): ListShape {
  if (schema['x-kubernetes-list-type'] === 'set') return { kind: 'set' };
  if (schema['x-kubernetes-list-type'] !== 'map') return { kind: 'atomic' };
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const defaults = keys.map((key) => [key, schema.items?.properties?.[key]?.default] as const);
  return { kind: 'map', keys, defaults: Object.fromEntries(defaults.filter(([, value]) => value !== undefined)) };
}

/** How objects of a schema are merged: as its list and map types say; atomic where nothing is said, or nothing known. */
function shapeOf(schema: StructuralSchema, isObject = true): MergeShape {
  const children = new Map<string, MergeShape>();
  const inner = schema.items ?? schema;
  const childOf = (name: string): MergeShape => {
    if (isObject && name === 'metadata') return objectMetaType();
    const property = propertyOf(inner, name);
    return property === undefined ? OPEN_SHAPE : shapeOf(property, false);
  };
  return {
    list: listShape(schema),
    atomicMap: schema['x-kubernetes-map-type'] === 'atomic',
    child: (name) => {
      const shape = children.get(name) ?? childOf(name);
      children.set(name, shape);
      return shape;
    },
  };
}

/** Reads an object of a schema: its metadata as those of every kind, of the rest only what the schema knows. */
function decode(object: ApiObject, schema: StructuralSchema): Decoded {
  const metadata = decodeBuiltIn(object.metadata, objectMetaType(), 'metadata');
  // A struct becomes a map with the same fields.
  const value = clone({ ...object, metadata: metadata.value as unknown as ApiObject['metadata'] });
  return { value, unknown: [...metadata.unknown, ...prune(value, schema, true)] };
}

/** The schema of what the two do not share: what is stored has passed it already. */
function ofChanges(schema: StructuralSchema, object: ApiObject, old: ApiObject): StructuralSchema {
  // Each name has a schema there.
  if (typeof schema.additionalProperties === 'object') return schema;
  const changed = Object.entries(schema.properties ?? {}).filter(([name]) => object[name] !== old[name]);
  return { ...schema, properties: Object.fromEntries(changed) };
}

function resourceOf(definition: Definition, version: DefinitionVersion): Resource {
  const { group, scope, names } = definition.spec;
  const schema = rootSchema(version);
  const rules = compileRules(schema, 'schema', []);
  const scale = version.subresources?.scale;
  const path = (dotted = ''): string => dotted.replace(/^\./, '');
  return {
    group,
    version: version.name,
    resource: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    kind: names.kind,
    namespaced: scope === 'Namespaced',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    subresources: [
      ...(version.subresources?.status === undefined ? [] : ['status']),
      ...(scale === undefined ? [] : ['scale']),
    ],
    ...(scale === undefined
      ? {}
      : {
          scale: {
            specReplicas: path(scale.specReplicasPath),
            statusReplicas: path(scale.statusReplicasPath),
            selector: path(scale.labelSelectorPath),
          },
        }),
    columns: columnsOfDefinition(version.additionalPrinterColumns),
    shape: shapeOf(schema),
    counted: true,
    selectableFields: (version.selectableFields ?? []).map(({ jsonPath }) => path(jsonPath)),
    strategic: false,
    decode: (object) => decode(object, schema),
    prepare: (object) => {
      prune(object, schema, true);
      fillDefaults(object, schema);
    },
    validate: (object, old) => {
      let faults: Fault[] = schemaFaults(object, old === undefined ? schema : ofChanges(schema, object, old), '');
      if (faults.length === 0 && rules !== undefined) faults = ruleFaults(rules, object, old, '');
      if (faults.length > 0) throw invalid(names.kind, group, object.metadata.name, faults);
    },
    schema: asMap(schema),
  };
}

/** What a definition serves, one resource for each served version. */
export function resourcesOf(definition: Definition): Resource[] {
  return definition.spec.versions.filter(({ served }) => served).map((version) => resourceOf(definition, version));
}

/** Throws 422 for a definition that cannot be served, with the place of each rule that does not compile. */
export function validateDefinition(object: ApiObject): void {
  // The fields are checked here, before anything reads them.
  const { spec, metadata } = object as Definition;
  const faults: Fault[] = [];
  const { group = '', names, versions = [] } = asMap(spec) as Partial<Definition['spec']>;
  const required = (field: string, value: unknown): void => {
    if (value === undefined || value === '')
      faults.push({ field, message: 'Required value', reason: 'FieldValueRequired' });
  };
  required('spec.group', group);
  required('spec.names.plural', names?.plural);
  required('spec.names.kind', names?.kind);
  if (names?.plural !== undefined && metadata.name !== `${names.plural}.${group}`) {
    const message = `Invalid value: "${metadata.name}": must be spec.names.plural+"."+spec.group`;
    faults.push({ field: 'metadata.name', message });
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    faults.push({
      field: 'spec.versions',
      message: 'Invalid value: must have exactly one version marked as storage version',
    });
  }
  versions.forEach((version, place) => {
    const path = `spec.versions[${place}].schema.openAPIV3Schema`;
    const schema = version.schema?.openAPIV3Schema;
    required(path, schema);
    if (schema !== undefined) faults.push(...structuralFaults(schema, path));
    compileRules(rootSchema(version), path, faults);
  });
  if (faults.length > 0) throw invalid('CustomResourceDefinition', 'apiextensions.k8s.io', metadata.name, faults);
}
