/**
 * Field names and types of kinds, small enough to be checked in. A type is written as
 * - `any` (also what nothing is known of), `string`, `int`, `number`, `bool`;
 * - the name of another type in `types`;
 * - `[T]` for a list, `{T}` for a map from string;
 * with `!` behind it where the field is required.
 */
export interface KindSchemas {
  /** `apps/v1 Deployment` → the name of its type. */
  readonly kinds: Readonly<Record<string, string>>;
  /** Fields of each type. */
  readonly types: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The key of a kind in `kinds`. */
export function kindKey(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}

/** Schemas of several sources as one; a later source replaces a kind or a type of an earlier one. */
export function mergeKindSchemas(sources: readonly KindSchemas[]): KindSchemas {
  return {
    kinds: Object.fromEntries(sources.flatMap(({ kinds }) => Object.entries(kinds))),
    types: Object.fromEntries(sources.flatMap(({ types }) => Object.entries(types))),
  };
}
