import type { InventoryEntry } from '../../api/index.ts';
import type { CompiledRule, CompiledRules } from '../../health/index.ts';
import { splitApiVersion } from '../../object/fields.ts';

/** Groups without a dot that every API server brings. */
const BUILT_IN = ['', 'apps', 'autoscaling', 'batch', 'extensions', 'policy'];

/** Groups of the API server itself: those of `k8s.io` that are no deeper; what is (`gateway.networking.k8s.io`) is somebody's CRD. */
const DEEPER_BUILT_IN = ['rbac.authorization.k8s.io', 'flowcontrol.apiserver.k8s.io', 'internal.apiserver.k8s.io'];

function isBuiltIn(group: string): boolean {
  return BUILT_IN.includes(group) || /^[^.]+\.k8s\.io$/.test(group) || DEEPER_BUILT_IN.includes(group);
}

/** The rules as a Release uses them: a generic set never speaks about built-in kinds, so that a ConfigMap or Secret stays unread. */
export function releaseRules(rules: CompiledRules): CompiledRules {
  return {
    sets: rules.sets,
    compileAll: () => rules.compileAll(),
    select: (apiVersion, kind, resource) => {
      const selected = rules.select(apiVersion, kind, resource);
      const generic = selected[0]?.set.generic === true;
      return generic && isBuiltIn(splitApiVersion(apiVersion).group) ? [] : selected;
    },
  };
}

export function apiVersionOf({ group, version }: Pick<InventoryEntry, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The rules that apply to an entry; none: its object is not read. */
export function rulesOf(
  rules: CompiledRules,
  entry: Pick<InventoryEntry, 'group' | 'version' | 'kind' | 'resource'>,
): readonly CompiledRule[] {
  return rules.select(apiVersionOf(entry), entry.kind, entry.resource);
}
