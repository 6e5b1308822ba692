import type { FunctionDeclaration, Library, Overload } from '../declarations.ts';
import { macroSince, overloadSince } from '../libraries/kubernetes-since.ts';
import type { Example } from './library-docs.ts';
import { LIBRARY_DOCS } from './library-tables.ts';

/** One overload of a function, or one form of a macro. */
export interface FunctionDoc {
  readonly kind: 'function' | 'macro';
  /** `size`, `math.abs`, `exists`. */
  readonly name: string;
  /** The library by the name that `libraries` of an environment uses; `own` for functions of the caller. */
  readonly library: string;
  /** `string.charAt(int) → string`; macros name their parts. */
  readonly signature: string;
  /** Called on a value: `x.f()`. */
  readonly member: boolean;
  /** One sentence; empty for a function of the caller that has none. */
  readonly documentation: string;
  readonly examples: readonly { readonly expression: string; readonly result: string }[];
  /** The first Kubernetes version that has it, `1.28`; undefined when no version has it. */
  readonly since: string | undefined;
  /** What a call costs beside its arguments, in words. */
  readonly cost: string;
}

const ONE_UNIT = 'one unit';

/** The call as an author writes it, with types in place of values. */
export function signatureOf(name: string, { member, params, result }: Overload): string {
  const [receiver, ...rest] = params;
  if (member && receiver) return `${receiver}.${name}(${rest.join(', ')}) → ${result}`;
  return `${name}(${params.join(', ')}) → ${result}`;
}

function sinceText(minor: number | undefined): string | undefined {
  return minor === undefined ? undefined : `1.${minor}`;
}

function exampleObjects(examples: readonly Example[]): FunctionDoc['examples'] {
  return examples.map(([expression, result]) => ({ expression, result }));
}

function functionDocs(library: string, fn: FunctionDeclaration): readonly FunctionDoc[] {
  const entry = LIBRARY_DOCS[library]?.entries[fn.name];
  return fn.overloads.map((overload) => ({
    kind: 'function',
    name: fn.name,
    library,
    signature: signatureOf(fn.name, overload),
    member: overload.member,
    documentation: entry?.doc ?? fn.doc ?? '',
    examples: exampleObjects(entry?.examples ?? []),
    since: sinceText(overloadSince(fn.name, overload)),
    cost: entry?.cost ?? ONE_UNIT,
  }));
}

/** Macros that are functions as well (`math.least`) are told as functions. */
function macroDocs(library: Library): readonly FunctionDoc[] {
  const functions = new Set(library.functions.map(({ name }) => name));
  return (library.macros ?? [])
    .filter((macro) => !functions.has(macro))
    .flatMap((macro) => {
      const entry = LIBRARY_DOCS[library.name]?.entries[macro];
      const name = macro.replace(/2$/, '');
      return (entry?.forms ?? [name]).map(
        (signature): FunctionDoc => ({
          kind: 'macro',
          name,
          library: library.name,
          signature,
          member: !signature.startsWith(name),
          documentation: entry?.doc ?? '',
          examples: exampleObjects(entry?.examples ?? []),
          since: sinceText(macroSince(macro)),
          cost: entry?.cost ?? ONE_UNIT,
        }),
      );
    });
}

/** Every overload of every function and every form of every macro of these libraries, then the caller's own functions. */
export function describeLibraries(
  libraries: readonly Library[],
  own: readonly FunctionDeclaration[],
): readonly FunctionDoc[] {
  return [
    ...libraries.flatMap((library) => [
      ...macroDocs(library),
      ...library.functions.flatMap((fn) => functionDocs(library.name, fn)),
    ]),
    ...own.flatMap((fn) => functionDocs('own', fn)),
  ];
}
