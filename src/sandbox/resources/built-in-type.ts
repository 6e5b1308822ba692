import { BUILT_IN_SCHEMAS_JSON } from './built-in-schemas.gen.ts';
import type { ListShape, MergeShape } from './resource.ts';

/** How a value stands in JSON that is no map or list. */
export type Scalar =
  | 'any'
  | 'bool'
  | 'bytes'
  | 'int'
  | 'int|string'
  | 'microtime'
  | 'number'
  | 'quantity'
  | 'string'
  | 'time';

const ATOMIC: ListShape = { kind: 'atomic' };

/** Where nothing is known: maps are merged field by field, lists replaced. */
export const OPEN_SHAPE: MergeShape = { list: ATOMIC, atomicMap: false, child: () => OPEN_SHAPE };

interface BuiltInSchemas {
  /** `GROUP/VERSION KIND` to the name of a type. */
  readonly kinds: Readonly<Record<string, string>>;
  /** Fields as written by scripts/generate-sandbox-schemas.ts; the field `~` marks a type that is merged as a whole. */
  readonly types: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

let schemas: BuiltInSchemas | undefined;
const read = new Map<string, BuiltInType>();

function builtInSchemas(): BuiltInSchemas {
  schemas ??= JSON.parse(BUILT_IN_SCHEMAS_JSON) as BuiltInSchemas;
  return schemas;
}

/** `name`, `containerPort,protocol`, `*` for a set, `^ip` for the key of strategic patches where it is another one. */
function listShape(written: string): ListShape {
  if (written === '*') return { kind: 'set' };
  const [listed = '', patchKey] = written.split('^');
  const patch = patchKey === undefined ? {} : { patchKey };
  if (listed === '') return { kind: 'atomic', ...patch };
  const keys = listed.split(',');
  // The one key that the API server fills in before it tells items apart.
  return { kind: 'map', keys, defaults: keys.includes('protocol') ? { protocol: 'TCP' } : {}, ...patch };
}

/** A type of k8s.io/api: what may stand there, and how it is merged. */
export class BuiltInType implements MergeShape {
  /** `int`, `core.v1.Container`, `[core.v1.Container]name`, `{string}`; `~` at the end marks a map that is merged as a whole. */
  readonly written: string;
  readonly list: ListShape;
  readonly atomicMap: boolean;
  /** Fields by name; undefined for what is no struct. */
  readonly fields: Readonly<Record<string, string>> | undefined;
  /** Of a list or map, what its items or values are. */
  readonly element: 'list' | 'map' | undefined;
  readonly #element: string;
  readonly #children = new Map<string, BuiltInType>();

  constructor(written: string) {
    this.written = written;
    const [, item = '', keys = ''] = /^\[(.*)\]([^\]]*)$/.exec(written) ?? [];
    const [, value = ''] = /^\{(.*)\}~?$/.exec(written) ?? [];
    this.element = item !== '' ? 'list' : value !== '' ? 'map' : undefined;
    this.#element = item || value;
    this.fields = builtInSchemas().types[written.replace(/~$/, '')];
    this.list = item === '' ? ATOMIC : listShape(keys);
    this.atomicMap = written.endsWith('~') || this.fields?.['~'] !== undefined;
  }

  /** The items of a list or the values of a map; undefined for any other type. */
  get of(): BuiltInType | undefined {
    return this.element === undefined ? undefined : typeOf(this.#element);
  }

  /** The name of a Go struct, or the scalar. */
  get shortName(): string {
    return this.written.replace(/~$/, '').split('.').at(-1) ?? '';
  }

  /** What a field holds; undefined for one that there is not. */
  field(name: string): BuiltInType | undefined {
    const known = this.#children.get(name);
    if (known !== undefined) return known;
    const { fields } = this;
    if (name === '~' || fields === undefined || !Object.hasOwn(fields, name)) return undefined;
    const written = fields[name];
    if (written === undefined) return undefined;
    const type = typeOf(written);
    this.#children.set(name, type);
    return type;
  }

  child(name: string): MergeShape {
    if (this.element === 'map') return this.of ?? OPEN_SHAPE;
    if (this.element === 'list') return this.of?.child(name) ?? OPEN_SHAPE;
    return this.field(name) ?? OPEN_SHAPE;
  }
}

function typeOf(written: string): BuiltInType {
  let type = read.get(written);
  if (type === undefined) {
    type = new BuiltInType(written);
    read.set(written, type);
  }
  return type;
}

/** The type of a built-in kind. @throws Error for one that the table lacks */
export function builtInType(group: string, version: string, kind: string): BuiltInType {
  const written = builtInSchemas().kinds[`${group}/${version} ${kind}`];
  if (written === undefined) throw new Error(`no schema of ${kind}: run scripts/generate-sandbox-schemas.ts`);
  return typeOf(written);
}

/** `metadata` of every object. */
export function objectMetaType(): BuiltInType {
  return typeOf('meta.v1.ObjectMeta');
}
