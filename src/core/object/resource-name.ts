/** Kinds whose plural the rule below gets wrong; apimachinery has the same exception (meta.UnsafeGuessKindToResource). */
const IRREGULAR: Readonly<Record<string, string>> = { endpoints: 'endpoints' };

/**
 * The plural resource name that a kind most likely has: lower case; …s, …x, …ch, …sh take `es`; …y becomes `ies`, but `ys`
 * after a vowel; else `s`. That is English, as generators of CRDs write it. apimachinery's own guess knows only …s and …y, and
 * calls a Gateway's resource `gatewaies`.
 */
export function guessResource(kind: string): string {
  const singular = kind.toLowerCase();
  const irregular = IRREGULAR[singular];
  if (irregular !== undefined) return irregular;
  if (/(s|x|ch|sh)$/.test(singular)) return `${singular}es`;
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return singular === '' ? '' : `${singular}s`;
}
