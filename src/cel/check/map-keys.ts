import type { MapExpr } from '../syntax/ast.ts';
import { type MapKey, mapKey } from '../value/map.ts';
import type { Checker } from './checker.ts';

const KEY_TYPES = ['bool', 'int', 'uint', 'string'];

/** Reports keys of a map literal that can be no key, and constant keys that stand twice (`0` and `0u` are one key). */
export function keyIssues(checker: Checker, expr: MapExpr): void {
  const seen = new Set<MapKey>();
  for (const { key } of expr.entries) {
    const type = checker.types.get(key.id);
    if (type && !['dyn', 'error', 'parameter'].includes(type.kind) && !KEY_TYPES.includes(type.name)) {
      checker.report('type_mismatch', `a map key is a bool, int, uint or string, this is ${type}`, key);
      continue;
    }
    if (key.kind !== 'literal') continue;
    const canonical = mapKey(key.value);
    if (canonical === undefined) continue;
    if (seen.has(canonical))
      checker.report('duplicate_key', `the key ${JSON.stringify(String(canonical))} stands twice`, key);
    seen.add(canonical);
  }
}
