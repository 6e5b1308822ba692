import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  LIST,
  list,
  MAP,
  map,
  NULL,
  optional,
  STRING,
  TIMESTAMP,
  TYPE,
  typeOfType,
  UINT,
} from './value/cel-type.ts';

/** A type as text: `dyn`, `int`, `list(string)`, `map(string, dyn)`, `timestamp`, or the name of a library type. */
export type TypeSpec = string;

const NAMED: Readonly<Record<string, CelType>> = {
  dyn: DYN,
  any: DYN,
  null_type: NULL,
  null: NULL,
  bool: BOOL,
  int: INT,
  uint: UINT,
  double: DOUBLE,
  string: STRING,
  bytes: BYTES,
  timestamp: TIMESTAMP,
  duration: DURATION,
  'google.protobuf.Timestamp': TIMESTAMP,
  'google.protobuf.Duration': DURATION,
  list: list(DYN),
  map: map(DYN, DYN),
};

/** The names of the standard types, which every environment knows as values of type `type`. */
export const STANDARD_TYPES: readonly CelType[] = [
  BOOL,
  INT,
  UINT,
  DOUBLE,
  STRING,
  BYTES,
  NULL,
  TIMESTAMP,
  DURATION,
  LIST,
  MAP,
  TYPE,
];

const GENERIC: Readonly<Record<string, { readonly arity: number; readonly make: (...params: CelType[]) => CelType }>> =
  {
    list: { arity: 1, make: (element) => list(element ?? DYN) },
    map: { arity: 2, make: (key, value) => map(key ?? DYN, value ?? DYN) },
    optional_type: { arity: 1, make: (of) => optional(of ?? DYN) },
    optional: { arity: 1, make: (of) => optional(of ?? DYN) },
    type: { arity: 1, make: (of) => typeOfType(of ?? DYN) },
  };

/** No type that means something is longer; it bounds the depth of the nesting. */
const LONGEST_SPEC = 500;

/** Reads a type; throws an `Error` that quotes the text when it is none. `known` are library types by name. */
export function parseTypeSpec(spec: TypeSpec, known: ReadonlyMap<string, CelType>): CelType {
  if (spec.length > LONGEST_SPEC)
    throw new Error(`a type of ${spec.length} characters: at most ${LONGEST_SPEC} are read`);
  const tokens = spec.match(/[A-Za-z_][\w.]*|[(),]/g) ?? [];
  let position = 0;
  const fail = (): never => {
    throw new Error(`'${spec}' is no CEL type: write dyn, int, string, list(string), map(string, dyn) or the like`);
  };
  const read = (): CelType => {
    const name = tokens[position] ?? fail();
    position += 1;
    const generic = GENERIC[name];
    if (tokens[position] !== '(') return NAMED[name] ?? known.get(name) ?? fail();
    const params: CelType[] = [];
    do {
      position += 1;
      params.push(read());
    } while (tokens[position] === ',');
    if (tokens[position] !== ')' || params.length !== generic?.arity) return fail();
    position += 1;
    return generic.make(...params);
  };
  const type = read();
  return position === tokens.length && tokens.join('') === spec.replaceAll(/\s/g, '') ? type : fail();
}
