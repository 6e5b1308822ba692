import type { JsonMap } from '../object/fields.ts';

/**
 * One description of a field gives three things: what the CustomResourceDefinition says, the TypeScript type, and the reader of an
 * object that a cluster returned. Structural schemas only (the dialect of CustomResourceDefinitions): no `$ref`, no `anyOf`.
 */
export interface Schema<Type> {
  /** OpenAPI v3, structural. */
  readonly openApi: JsonMap;
  readonly optional: boolean;
  /** The type alone; no value has it. */
  readonly type?: Type;
}

interface Optional<Type> extends Schema<Type> {
  readonly optional: true;
}

/** The TypeScript type of what a schema describes, as it is read: defaults are filled in. */
export type Infer<Described> = Described extends Schema<infer Type> ? Type : never;

type Fields = Readonly<Record<string, Schema<unknown>>>;
type OptionalNames<All extends Fields> = {
  [Name in keyof All]: All[Name] extends Optional<unknown> ? Name : never;
}[keyof All];
type Flat<Type> = { readonly [Name in keyof Type]: Type[Name] };
type ObjectOf<All extends Fields> = Flat<
  { readonly [Name in Exclude<keyof All, OptionalNames<All>>]: Infer<All[Name]> } & {
    readonly [Name in OptionalNames<All>]?: Infer<All[Name]>;
  }
>;

/** A CEL rule of the API server; `message` says what is wrong and how to mend it. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
}

interface Described {
  readonly description?: string;
  readonly rules?: readonly ValidationRule[];
}

function described({ description, rules, ...rest }: Described & JsonMap): JsonMap {
  return {
    ...(description === undefined ? {} : { description }),
    ...rest,
    ...(rules === undefined ? {} : { 'x-kubernetes-validations': rules }),
  };
}

function required<Type>(openApi: JsonMap): Schema<Type> & { readonly optional: false } {
  return { openApi, optional: false };
}

export function text(
  description: string,
  options: Described & {
    readonly maxLength?: number;
    readonly minLength?: number;
    readonly pattern?: string;
    readonly default?: string;
  } = {},
): Schema<string> & { readonly optional: false } {
  return required(described({ description, type: 'string', maxLength: 253, ...options }));
}

/** One of a few words. */
export function choice<const Word extends string>(
  words: readonly Word[],
  description: string,
  options: { readonly default?: Word } = {},
): Schema<Word> & { readonly optional: false } {
  return required(described({ description, type: 'string', enum: words, ...options }));
}

/** RFC 3339. */
export function time(description: string): Schema<string> & { readonly optional: false } {
  return required(described({ description, type: 'string', format: 'date-time' }));
}

export function integer(
  description: string,
  options: Described & { readonly minimum?: number; readonly maximum?: number; readonly default?: number } = {},
): Schema<number> & { readonly optional: false } {
  return required(described({ description, type: 'integer', format: 'int64', ...options }));
}

export function truth(
  description: string,
  options: Described & { readonly default?: boolean } = {},
): Schema<boolean> & { readonly optional: false } {
  return required(described({ description, type: 'boolean', ...options }));
}

export function list<Type>(
  items: Schema<Type>,
  description: string,
  options: Described & { readonly maxItems: number; readonly mapKeys?: readonly string[] },
): Schema<readonly Type[]> & { readonly optional: false } {
  const { mapKeys, ...rest } = options;
  return required({
    ...described({ description, type: 'array', ...rest }),
    items: items.openApi,
    ...(mapKeys === undefined
      ? { 'x-kubernetes-list-type': 'atomic' }
      : { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': mapKeys }),
  });
}

/** Texts by name. */
export function texts(
  description: string,
  options: Described & { readonly maxProperties: number },
): Schema<Readonly<Record<string, string>>> & { readonly optional: false } {
  const values = { type: 'string', maxLength: 4096 };
  return required({ ...described({ description, type: 'object', ...options }), additionalProperties: values });
}

/** A map whose fields are somebody else's business: Helm values, whole Kubernetes objects. */
export function anyMap(description: string): Schema<JsonMap> & { readonly optional: false } {
  return required({ ...described({ description, type: 'object' }), 'x-kubernetes-preserve-unknown-fields': true });
}

export function object<const All extends Fields>(
  fields: All,
  description = '',
  options: Described & { readonly default?: JsonMap; readonly atomic?: boolean } = {},
): Schema<ObjectOf<All>> & { readonly optional: false } {
  const { atomic, ...rest } = options;
  const names = Object.keys(fields);
  // The API server fills a default in, so a field that has one need not be written.
  const needed = names.filter(
    (name) => fields[name]?.optional === false && !('default' in (fields[name]?.openApi ?? {})),
  );
  return required({
    ...described({ ...(description === '' ? {} : { description }), type: 'object', ...rest }),
    ...(atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    properties: Object.fromEntries(names.map((name) => [name, fields[name]?.openApi] as const)),
    ...(needed.length === 0 ? {} : { required: needed }),
  });
}

export function optional<Type>(schema: Schema<Type>): Optional<Type> {
  return { openApi: schema.openApi, optional: true };
}
