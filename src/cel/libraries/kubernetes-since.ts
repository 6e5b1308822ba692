import type { Library, Overload } from '../declarations.ts';
import { KUBERNETES_MINORS, librariesOf } from './version-sets.ts';

/** What Kubernetes brought when: the minor version of 1 by overload (`name parameters`) and by macro (`macro name`). */
type Since = ReadonlyMap<string, number>;

let known: Since | undefined;

function sinceTable(): Since {
  if (known) return known;
  const table = new Map<string, number>();
  for (const minor of KUBERNETES_MINORS) {
    const note = (key: string): void => {
      if (!table.has(key)) table.set(key, minor);
    };
    for (const library of librariesOf(`1.${minor}`, []).libraries) noteLibrary(library, note);
  }
  known = table;
  return table;
}

function keyOf(name: string, { member, params }: Overload): string {
  return `${name} ${member ? '.' : ''}${params.join()}`;
}

function noteLibrary(library: Library, note: (key: string) => void): void {
  for (const fn of library.functions) for (const overload of fn.overloads) note(keyOf(fn.name, overload));
  for (const macro of library.macros ?? []) note(`macro ${macro}`);
}

/** The first minor version of Kubernetes 1 that has an overload of a function; undefined when none has it. */
export function overloadSince(name: string, overload: Overload): number | undefined {
  return sinceTable().get(keyOf(name, overload));
}

/** The first minor version of Kubernetes 1 that has a macro, by its name in `macros`; undefined when none has it. */
export function macroSince(macro: string): number | undefined {
  return sinceTable().get(`macro ${macro}`);
}

/** The first minor version of Kubernetes 1 in which anything of this name can be called; undefined when none has it. */
export function nameSince(name: string): number | undefined {
  let first: number | undefined;
  for (const [key, minor] of sinceTable()) {
    const [what = '', macro = ''] = key.split(' ');
    const own = what === 'macro' ? macro.replace(/2$/, '') : what;
    if (own === name && (first === undefined || minor < first)) first = minor;
  }
  return first;
}
