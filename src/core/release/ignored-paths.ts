import type { ReleaseSpec } from '../api/index.ts';
import type { ObjectRef } from '../object/kubernetes-object.ts';

/**
 * The JSON pointers of an object that belong to somebody else, by `spec.syncPolicy.drift.ignore`; a part of a rule that is unset fits
 * everything.
 */
export function ignoredPaths(
  drift: ReleaseSpec['syncPolicy']['drift'],
  ref: Pick<ObjectRef, 'group' | 'kind' | 'namespace' | 'name'>,
): readonly string[] {
  const fits = (wanted: string | undefined, is: string): boolean => wanted === undefined || wanted === is;
  return (drift.ignore ?? [])
    .filter(
      ({ group, kind, namespace, name }) =>
        fits(group, ref.group) && fits(kind, ref.kind) && fits(namespace, ref.namespace) && fits(name, ref.name),
    )
    .flatMap(({ paths }) => paths);
}
