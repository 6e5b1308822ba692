import type { Issue } from '../issue.ts';
import { nameSince } from './kubernetes-since.ts';
import { librariesOf } from './version-sets.ts';

/** The issues of an environment of Kubernetes; an unknown function or namespace that another version has tells which. */
export function withVersionHints(issues: readonly Issue[]): Issue[] {
  return issues.map((issue) => {
    if (issue.code !== 'undeclared_reference') return issue;
    const [, what, name = ''] = /(function|reference to) '([\w.]+)'/.exec(issue.message) ?? [];
    const names = knownNames().filter((known) => (what === 'function' ? known === name : known.startsWith(`${name}.`)));
    if (names.length === 0) return issue;
    const shown = what === 'function' ? `${name}()` : `${name}.…`;
    const versions = names.map(nameSince).filter((minor) => minor !== undefined);
    const hint =
      versions.length === 0
        ? `no Kubernetes version has ${shown}`
        : `${shown} came with Kubernetes 1.${Math.min(...versions)}`;
    return { ...issue, hint };
  });
}

/** Every name that some library has. */
function knownNames(): readonly string[] {
  const { libraries } = librariesOf('spec', []);
  const names = libraries.flatMap(({ functions, macros = [] }) => [
    ...functions.map(({ name }) => name),
    ...macros.map((macro) => macro.replace(/2$/, '')),
  ]);
  return [...new Set(names)];
}
