import { MESSAGES_JSON } from './messages.gen.ts';

/** How a field stands in JSON. */
export interface FieldType {
  /** `string`, `int`, `bool`, `bytes`, `time`, `microtime`, `quantity`, `int|string`, `any` (JSON as it is), or the name of a message. */
  readonly base: string;
  /** From the outside in: `[` a list, `{` a map, `(` a message that holds nothing but what follows; '' for the thing itself. */
  readonly forms: string;
  /** Whether a zero value says something: Go writes them all. */
  readonly keepsZero: boolean;
}

export interface Field extends FieldType {
  /** '' for a message whose fields are those of the one around it. */
  readonly name: string;
}

/** Fields by their number in the .proto files of Kubernetes. */
export type Message = ReadonlyMap<number, Field>;

interface Table {
  /** `GROUP/VERSION KIND` to the name of a message; `DeleteOptions` is of every group. */
  readonly kinds: Readonly<Record<string, string>>;
  /** `NUMBER:NAME:TYPE` joined by commas, as scripts/generate-sandbox-protobuf.ts writes them. */
  readonly types: Readonly<Record<string, string>>;
}

let table: Table | undefined;
const read = new Map<string, Message>();

function messages(): Table {
  table ??= JSON.parse(MESSAGES_JSON) as Table;
  return table;
}

function fieldOf(written: string): [number, Field] {
  const [number = '', name = '', type = ''] = written.split(':');
  const [, keeps = '', forms = '', base = ''] = /^(!?)([[{(]*)(.*)$/.exec(type) ?? [];
  return [Number(number), { name, base, forms, keepsZero: keeps !== '' }];
}

/** A message by its name; undefined for a scalar. */
export function messageNamed(name: string): Message | undefined {
  const known = read.get(name);
  if (known !== undefined) return known;
  const written = messages().types[name];
  if (written === undefined) return undefined;
  const message = new Map(written === '' ? [] : written.split(',').map(fieldOf));
  read.set(name, message);
  return message;
}

/** The message of a kind; undefined for one that the sandbox does not read from protobuf. */
export function messageOf(apiVersion: string, kind: string): Message | undefined {
  const { kinds } = messages();
  const name = kinds[`${apiVersion} ${kind}`] ?? kinds[kind];
  return name === undefined ? undefined : messageNamed(name);
}
