import type { RelatedReference, Rule, RuleSet } from '../../core/health/rule.ts';
import { splitApiVersion } from '../../core/object/fields.ts';
import { guessResource } from '../../core/object/resource-name.ts';
import type { ResourceType } from '../../ports/cluster.ts';
import { apiVersionOf, fitsVersion } from './targets.ts';

function speaksOf(rule: Rule, type: Pick<ResourceType, 'group' | 'version' | 'kind' | 'resource'>): boolean {
  const fits = rule.kinds?.includes(type.kind) ?? rule.resources.includes(guessResource(type.kind));
  return fits && rule.apiVersions.some((pattern) => fitsVersion(pattern, apiVersionOf(type)));
}

/** Groups that CustomResourceDefinitions bring: the others are the API server's, and their kinds without a rule have no health. */
function isCustom({ group }: ResourceType): boolean {
  return group.includes('.') && !/(?:^|\.)k8s\.io$/.test(group);
}

function canBeRead({ verbs }: ResourceType): boolean {
  return verbs.includes('list') && verbs.includes('watch');
}

/**
 * The served types that rules speak of, in one version each: one that a rule knows, else the preferred one. Where a generic set
 * is a fallback, custom resources without a rule of their own count too.
 */
export function typesWithRules(types: readonly ResourceType[], sets: readonly RuleSet[]): readonly ResourceType[] {
  const rules = sets.filter((set) => !set.generic).flatMap((set) => set.rules);
  const generic = sets.some((set) => set.generic);
  const chosen = new Map<string, ResourceType>();
  const take = (type: ResourceType): void => {
    const key = `${type.group}/${type.resource}`;
    if (!chosen.has(key)) chosen.set(key, type);
  };
  const readable = types.filter(canBeRead);
  for (const type of readable) if (rules.some((rule) => speaksOf(rule, type))) take(type);
  if (generic) for (const type of readable) if (isCustom(type)) take(type);
  return [...chosen.values()];
}

/** What the rules of a type want to see beside its objects. */
export function relatedOf(
  type: Pick<ResourceType, 'group' | 'version' | 'kind' | 'resource'>,
  sets: readonly RuleSet[],
): readonly RelatedReference[] {
  return sets.flatMap((set) => set.rules.filter((rule) => speaksOf(rule, type)).flatMap((rule) => rule.related));
}

/** A kind of which no served version is known to a rule. */
export interface UnknownVersions {
  readonly kind: string;
  readonly served: readonly string[];
  readonly known: readonly string[];
}

/** Kinds that rules of their own speak of and that are served in other versions alone. */
export function unknownVersions(types: readonly ResourceType[], sets: readonly RuleSet[]): readonly UnknownVersions[] {
  const rules = sets.filter((set) => !set.generic).flatMap((set) => set.rules);
  const found = new Map<string, UnknownVersions>();
  for (const { group, kind, resource } of types.filter(canBeRead)) {
    const ofKind = rules.filter(
      (rule) =>
        (rule.kinds?.includes(kind) ?? rule.resources.includes(resource)) &&
        rule.apiVersions.some((pattern) => splitApiVersion(pattern).group === group),
    );
    const versions = types.filter((type) => type.group === group && type.resource === resource);
    if (ofKind.length === 0 || versions.some((type) => ofKind.some((rule) => speaksOf(rule, type)))) continue;
    found.set(`${group}/${resource}`, {
      kind,
      served: versions.map(apiVersionOf),
      known: [...new Set(ofKind.flatMap((rule) => rule.apiVersions))],
    });
  }
  return [...found.values()];
}
