import { asList, asMap, asString, field, isMap, type JsonMap } from '../object/fields.ts';
import { type KindSchemas, kindKey } from './kind-schemas.ts';

/** The type of `metadata`, of which a CRD says nothing: the API server knows it. */
const OBJECT_META = 'meta.v1.ObjectMeta';

/** What says of a definition which kinds it is, in the documents of an API server. */
const KINDS = 'x-kubernetes-group-version-kind';

/**
 * The kinds that a document describes: a CustomResourceDefinition, an OpenAPI document (v2 or v3), or a JSON schema that
 * names its kind. Undefined when it is none of these.
 */
export function reduceSchemaDocument(document: unknown): KindSchemas | undefined {
  if (field(document, 'kind') === 'CustomResourceDefinition') return reduceDefinition(asMap(field(document, 'spec')));
  const definitions = field(document, 'definitions') ?? field(field(document, 'components'), 'schemas');
  if (isMap(definitions) && !isMap(field(document, 'properties'))) return reduceDefinitions(definitions);
  return isMap(document) ? reduceJsonSchema(document) : undefined;
}

/** Collects types while schemas are walked. */
class Reducer {
  readonly types: Record<string, Record<string, string>> = {};
  readonly #definitions: JsonMap;
  readonly #open = new Set<string>();

  constructor(definitions: JsonMap) {
    this.#definitions = definitions;
  }

  /** The type of a schema as text; `name` is what an object type that stands in place is called. */
  typeOf(schema: unknown, name: string): string {
    if (!isMap(schema)) return 'any';
    const reference = asString(schema['$ref']);
    if (reference !== '') return this.#named(reference.slice(reference.lastIndexOf('/') + 1));
    const [only, ...more] = asList(schema['allOf']);
    if (only !== undefined && more.length === 0 && !isMap(schema['properties'])) return this.typeOf(only, name);
    if (isOpen(schema)) return 'any';
    switch (typeName(schema)) {
      case 'string':
        return 'string';
      case 'integer':
        return 'int';
      case 'number':
        return 'number';
      case 'boolean':
        return 'bool';
      case 'array':
        return `[${this.typeOf(schema['items'], `${name}.item`)}]`;
      default:
        return this.#objectType(schema, name);
    }
  }

  #objectType(schema: JsonMap, name: string): string {
    const { properties, additionalProperties } = schema;
    if (isMap(properties)) {
      this.#define(name, schema);
      return name;
    }
    return isMap(additionalProperties) ? `{${this.typeOf(additionalProperties, `${name}.value`)}}` : 'any';
  }

  #named(reference: string): string {
    const name = shortName(reference);
    const schema = this.#definitions[reference];
    if (name in this.types || this.#open.has(name)) return name;
    if (!isMap(schema)) return 'any';
    this.#open.add(name);
    const type = this.typeOf(schema, name);
    this.#open.delete(name);
    return type;
  }

  #define(name: string, schema: JsonMap): void {
    const required = new Set(asList(schema['required']));
    const fields: Record<string, string> = {};
    this.types[name] = fields;
    for (const [property, each] of Object.entries(asMap(schema['properties']))) {
      const type = this.typeOf(each, `${name}.${property}`);
      fields[property] = required.has(property) ? `${type}!` : type;
    }
  }
}

/** Fields beside the named ones are kept, or a whole object of any kind stands there: nothing can be called misspelt. */
function isOpen(schema: JsonMap): boolean {
  return (
    schema['x-kubernetes-int-or-string'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] === true ||
    schema['x-kubernetes-embedded-resource'] === true ||
    (isMap(schema['properties']) && (schema['additionalProperties'] === true || isMap(schema['additionalProperties'])))
  );
}

function typeName(schema: JsonMap): string {
  const { type } = schema;
  return asString(Array.isArray(type) ? type.find((one) => one !== 'null') : type);
}

/** `io.k8s.api.apps.v1.Deployment` → `apps.v1.Deployment`: the prefixes say nothing and are a third of the text. */
function shortName(name: string): string {
  return name
    .replace(/^io\.k8s\.api\./, '')
    .replace(
      /^io\.k8s\.(?:apimachinery\.pkg\.(?:apis\.)?|apiextensions-apiserver\.pkg\.apis\.|kube-aggregator\.pkg\.apis\.)/,
      '',
    );
}

function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

function reduceDefinitions(definitions: JsonMap): KindSchemas {
  const reducer = new Reducer(definitions);
  const kinds: Record<string, string> = {};
  for (const [name, schema] of Object.entries(definitions)) {
    const [only, ...more] = asList(field(schema, KINDS));
    // DeleteOptions, Status and the like belong to every group; lists are opened up before they are judged.
    if (only === undefined || more.length > 0 || isMap(field(field(schema, 'properties'), 'items'))) continue;
    const apiVersion = apiVersionOf(asString(field(only, 'group')), asString(field(only, 'version')));
    kinds[kindKey(apiVersion, asString(field(only, 'kind')))] = reducer.typeOf(
      { $ref: `#/definitions/${name}` },
      shortName(name),
    );
  }
  return { kinds, types: reducer.types };
}

function reduceDefinition(spec: JsonMap): KindSchemas {
  const reducer = new Reducer({});
  const kinds: Record<string, string> = {};
  const group = asString(spec['group']);
  const kind = asString(field(spec['names'], 'kind'));
  for (const version of asList(spec['versions'])) {
    const name = asString(field(version, 'name'));
    const schema =
      field(field(version, 'schema'), 'openAPIV3Schema') ?? field(field(spec, 'validation'), 'openAPIV3Schema');
    kinds[kindKey(`${group}/${name}`, kind)] = rootType(reducer, schema, `${group}.${name}.${kind}`);
  }
  return { kinds, types: reducer.types };
}

/** The type of a whole object, with the fields that every object has. */
function rootType(reducer: Reducer, schema: unknown, name: string): string {
  const type = reducer.typeOf(schema, name);
  const fields = reducer.types[type];
  if (fields === undefined) return type;
  reducer.types[type] = { ...fields, apiVersion: 'string', kind: 'string', metadata: OBJECT_META };
  return type;
}

/** A JSON schema of one kind: by the extension of Kubernetes, or by the only values of its apiVersion and kind. */
function reduceJsonSchema(schema: JsonMap): KindSchemas | undefined {
  const [gvk] = asList(schema[KINDS]);
  const apiVersion = gvk
    ? apiVersionOf(asString(field(gvk, 'group')), asString(field(gvk, 'version')))
    : onlyValue(field(schema['properties'], 'apiVersion'));
  const kind = gvk ? asString(field(gvk, 'kind')) : onlyValue(field(schema['properties'], 'kind'));
  if (apiVersion === '' || kind === '') return undefined;
  const reducer = new Reducer(asMap(schema['definitions'] ?? schema['$defs']));
  return {
    kinds: { [kindKey(apiVersion, kind)]: rootType(reducer, schema, `${apiVersion} ${kind}`) },
    types: reducer.types,
  };
}

function onlyValue(schema: unknown): string {
  const [only, ...more] = asList(field(schema, 'enum'));
  return asString(field(schema, 'const')) || (more.length === 0 ? asString(only) : '');
}
