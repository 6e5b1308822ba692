import { type FieldSchema, fieldSchemaOf, kindsOfResource, requiredPaths, unionOf } from '../schema/field-schema.ts';
import type { KindSchemas } from '../schema/kind-schemas.ts';
import { RULE_VARIABLES } from './bindings.ts';
import type { Rule, RuleSet } from './rule.ts';

/** What is known of the objects that a rule judges. */
export interface RuleSchema {
  /** As a person names them: `Deployment`, `HorizontalPodAutoscaler v1, v2`. */
  readonly kind: string;
  readonly fields: FieldSchema;
}

/** The schema of a rule's kind, all its known versions together; undefined for a kind that is not known and for wildcards. */
export function schemaOfRule(rule: Rule, schemas: KindSchemas): RuleSchema | undefined {
  const found = rule.apiVersions.flatMap((apiVersion) =>
    kindsOf(rule, apiVersion, schemas).flatMap((kind) => {
      const fields = fieldSchemaOf(schemas, apiVersion, kind);
      return fields?.properties === undefined ? [] : [{ kind, fields }];
    }),
  );
  const [first, ...more] = found;
  if (first === undefined) return undefined;
  return { kind: first.kind, fields: more.reduce((union, { fields }) => unionOf(union, fields), first.fields) };
}

function kindsOf(rule: Rule, apiVersion: string, schemas: KindSchemas): readonly string[] {
  return rule.kinds ?? rule.resources.flatMap((resource) => kindsOfResource(schemas, apiVersion, resource));
}

/** Variables that hold the whole object. */
const WHOLE = ['object', 'self', 'obj'] as const;
/** Variables that hold a top-level field. */
const PARTS = ['metadata', 'spec', 'status', 'data'] as const;

type VariableType = string | { readonly openapi: FieldSchema };

/** Types of the variables of a rule, as far as field names are known: of the object, of `variables` and of `related`. */
export function schemaVariables(
  set: RuleSet,
  rule: Rule,
  schema: RuleSchema | undefined,
): Readonly<Record<string, VariableType>> {
  const { fields } = schema ?? {};
  if (set.contract === 'k0rdent') return { obj: fields === undefined ? 'dyn' : { openapi: fields } };
  const types: Record<string, VariableType> = { ...RULE_VARIABLES };
  types['variables'] = { openapi: namesOnly(rule.variables) };
  types['related'] = { openapi: namesOnly(rule.related) };
  if (fields === undefined) return types;
  for (const name of WHOLE) types[name] = { openapi: fields };
  for (const name of PARTS) {
    const part = fields.properties?.[name];
    if (part?.type !== undefined) types[name] = { openapi: part };
  }
  const conditions = fields.properties?.['status']?.properties?.['conditions'];
  if (conditions?.items !== undefined) types['conditions'] = { openapi: conditions };
  return types;
}

function namesOnly(named: readonly { readonly name: string }[]): FieldSchema {
  return { type: 'object', properties: Object.fromEntries(named.map(({ name }) => [name, {}])) };
}

/** Paths that need no guard in a rule: what the engine binds, and what an accepted object of the kind always has. */
export function pathsAlwaysPresent(rule: Rule, schema: RuleSchema | undefined): readonly string[] {
  const required = schema === undefined ? [] : requiredPaths(schema.fields);
  return [
    'variables.*',
    'related.*',
    ...rule.variables.flatMap(({ name, expression }) =>
      keysWritten(expression).map((key) => `variables.${name}.${key}`),
    ),
    ...required,
    ...WHOLE.flatMap((root) => required.map((path) => `${root}.${path}`)),
  ];
}

/** Keys of the map literals in a source: a variable that is made as `{"is": …, "because": …}` has those fields. */
function keysWritten(source: string): readonly string[] {
  return [...source.matchAll(/(["'])(\w+)\1\s*:/g)].map(([, , key = '']) => key);
}
