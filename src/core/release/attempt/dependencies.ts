import type { Release } from '../../api/index.ts';

/**
 * - `ready` all that it depends on runs as it was asked for
 * - `waiting` something does not yet: a change of that Release decides again
 * - `impossible` only a change of a spec helps: a circle, a namespace that may not be named
 */
export type Dependencies =
  | { readonly kind: 'ready' }
  | { readonly kind: 'waiting'; readonly message: string }
  | { readonly kind: 'impossible'; readonly message: string };

/** `namespace/name` of what a Release depends on, in its order. */
export function dependencyKeys({ metadata, spec }: Pick<Release, 'metadata' | 'spec'>): readonly string[] {
  return (spec.dependsOn ?? []).map(({ namespace = metadata.namespace, name }) => `${namespace}/${name}`);
}

export interface DependencyOptions {
  /** Finds a Release by `namespace/name`; undefined: it is not there. */
  readonly find: (key: string) => Release | undefined;
  /** Whether a Release may depend on one of another namespace. */
  readonly crossNamespace: boolean;
}

/** Whether a Release may be attempted, as far as those that it depends on are concerned. */
export function checkDependencies(release: Release, { find, crossNamespace }: DependencyOptions): Dependencies {
  const { namespace, name } = release.metadata;
  const keys = dependencyKeys(release);
  const foreign = keys.find((key) => !key.startsWith(`${namespace}/`));
  if (foreign !== undefined && !crossNamespace) {
    const message = `dependsOn names ${foreign}: this operator allows only Releases of the namespace ${namespace}`;
    return { kind: 'impossible', message };
  }
  const circle = circleFrom(`${namespace}/${name}`, release, find);
  if (circle !== undefined) {
    return { kind: 'impossible', message: `dependsOn goes in a circle: ${circle.join(' → ')}; remove one of them` };
  }
  const reasons = keys.flatMap((key) => {
    const reason = whyNotReady(find(key));
    return reason === undefined ? [] : [`Release ${key} ${reason}`];
  });
  if (reasons.length === 0) return { kind: 'ready' };
  const shown = reasons.slice(0, 3).join('; ');
  const more = reasons.length > 3 ? `, and ${reasons.length - 3} more` : '';
  return { kind: 'waiting', message: `waiting: ${shown}${more}` };
}

/** Undefined: what was asked for last runs, and works where that is assessed. */
function whyNotReady(release: Release | undefined): string | undefined {
  if (release === undefined) return 'is not there';
  const { metadata, spec, status } = release;
  if (metadata.deletionTimestamp !== '') return 'is being deleted';
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') return `is not ready${ready === undefined ? '' : ` (${ready.reason})`}`;
  if (ready.observedGeneration !== metadata.generation || status.observedGeneration !== metadata.generation) {
    return 'is not ready for its latest spec';
  }
  const wanted = status.lastAttempted?.renderRef;
  const reached = spec.healthAssessment === undefined ? status.lastApplied : status.lastHealthy;
  if (wanted !== undefined && reached?.renderRef === wanted) return undefined;
  return spec.healthAssessment === undefined ? 'is not applied' : 'is not healthy';
}

/** The way from a Release back to itself; undefined: there is none. Circles that it only leads to are those Releases' fault. */
function circleFrom(start: string, release: Release, find: DependencyOptions['find']): readonly string[] | undefined {
  const seen = new Set<string>();
  const search = (current: Release | undefined, way: readonly string[]): readonly string[] | undefined => {
    for (const key of current === undefined ? [] : dependencyKeys(current)) {
      if (key === start) return [...way, key];
      if (seen.has(key)) continue;
      seen.add(key);
      const found = search(find(key), [...way, key]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(release, [start]);
}
