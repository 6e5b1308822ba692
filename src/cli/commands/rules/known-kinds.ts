import type { Rule, RuleSet } from '../../../core/health/index.ts';
import { splitApiVersion } from '../../../core/object/fields.ts';
import { guessResource } from '../../../core/object/resource-name.ts';
import { closestName } from '../../options/closest-name.ts';

/** A rule with its set. */
export interface ListedRule {
  readonly set: RuleSet;
  readonly rule: Rule;
}

/** Short names that the API server (or the CRD) gives its resources, as `kubectl api-resources` lists them. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  cj: 'cronjobs',
  cm: 'configmaps',
  crd: 'customresourcedefinitions',
  crds: 'customresourcedefinitions',
  deploy: 'deployments',
  ds: 'daemonsets',
  ep: 'endpoints',
  gtw: 'gateways',
  hpa: 'horizontalpodautoscalers',
  ing: 'ingresses',
  no: 'nodes',
  ns: 'namespaces',
  pdb: 'poddisruptionbudgets',
  po: 'pods',
  pv: 'persistentvolumes',
  pvc: 'persistentvolumeclaims',
  rc: 'replicationcontrollers',
  rs: 'replicasets',
  sc: 'storageclasses',
  sts: 'statefulsets',
  svc: 'services',
};

/** Every rule of the sets, in their order. */
export function rulesOf(sets: readonly RuleSet[]): readonly ListedRule[] {
  return sets.flatMap((set) => set.rules.map((rule) => ({ set, rule })));
}

/** What a rule is about: its kinds where it knows them, else its resources; `*` for every kind. */
export function subjectOf({ rule }: ListedRule): string {
  return (rule.kinds ?? rule.resources).join(', ');
}

/** The API groups of a rule: '' is the core group, `*` any. */
export function groupsOf({ rule }: ListedRule): readonly string[] {
  const groups = rule.apiVersions.map((apiVersion) => (apiVersion === '*' ? '*' : splitApiVersion(apiVersion).group));
  return [...new Set(groups)];
}

/** A kind as a person names it: `deploy`, `Deployment`, `deployments.apps`, `apps/Deployment`, `apps/v1/Deployment`. */
interface KindName {
  readonly resource: string;
  /** Undefined: any. */
  readonly group: string | undefined;
}

function parseKindName(text: string): KindName {
  const slash = text.lastIndexOf('/');
  const [name = '', ...dotted] = slash < 0 ? text.split('.') : [text.slice(slash + 1)];
  const group = slash < 0 ? dotted.join('.') : text.slice(0, slash).replace(/\/?v\d\w*$/, '');
  const lower = name.toLowerCase();
  const resource = SHORT_NAMES[lower] ?? lower;
  return {
    resource,
    group: group === '' && dotted.length === 0 && slash < 0 ? undefined : group === 'core' ? '' : group,
  };
}

function namesOf({ rule }: ListedRule): readonly string[] {
  return [...rule.resources, ...(rule.kinds ?? []).map((kind) => kind.toLowerCase())];
}

/** The rules that speak about a kind by name; those of generic sets only for `*`. */
export function rulesOfKind(listed: readonly ListedRule[], name: string): readonly ListedRule[] {
  if (name === '*' || name === '_') return listed.filter(({ rule }) => rule.resources.includes('*'));
  const { resource, group } = parseKindName(name);
  return listed.filter(
    (one) =>
      (namesOf(one).includes(resource) || one.rule.resources.includes(guessResource(resource))) &&
      (group === undefined || groupsOf(one).includes(group)),
  );
}

/** The kind that was probably meant, as a person writes it. */
export function suggestKind(listed: readonly ListedRule[], name: string): string | undefined {
  const { resource } = parseKindName(name);
  const meant = closestName(resource, [...listed.flatMap(namesOf), ...Object.keys(SHORT_NAMES)]);
  if (meant === undefined) return undefined;
  const [found] = rulesOfKind(listed, meant);
  return found === undefined ? undefined : (found.rule.kinds?.[0] ?? found.rule.resources[0]);
}

/** Whether a word names a kind: itself in any case, its plural or its short name, with or without a group. */
export function isKindNamed(word: string, kind: string, group: string): boolean {
  const name = parseKindName(word);
  return (
    (name.resource === kind.toLowerCase() || name.resource === guessResource(kind)) &&
    (name.group === undefined || name.group === group)
  );
}
