import { asMap, isMap } from '../../core/object/fields.ts';

/** JSON merge patch, RFC 7386: null removes, maps merge, everything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const merged: Record<string, unknown> = { ...asMap(target) };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}
