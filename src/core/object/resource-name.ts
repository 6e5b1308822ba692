/** Kinds whose plural the rule below gets wrong. `kubectl` has the same exception (meta.UnsafeGuessKindToResource). */
const IRREGULAR: Readonly<Record<string, string>> = { endpoints: 'endpoints' };

/**
 * The plural resource name of a kind, guessed as kubectl guesses it without asking a cluster:
 * lower case; …s, …x, …ch, …sh take `es`; …y becomes `ies` (`ays`, `eys` … after a vowel); else `s`.
 */
export function guessResource(kind: string): string {
  const singular = kind.toLowerCase();
  const irregular = IRREGULAR[singular];
  if (irregular !== undefined) return irregular;
  if (/(s|x|ch|sh)$/.test(singular)) return `${singular}es`;
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return singular === '' ? '' : `${singular}s`;
}
