import { ConvoyError } from '../../core/errors/index.ts';
import { splitApiVersion } from '../../core/object/fields.ts';
import type { Discovery, ResourceType } from '../../ports/cluster.ts';
import { closestName } from '../options/closest-name.ts';
import type { Query } from './connection.ts';

/** What the arguments name, before the cluster has said what its types are. */
export type Targets =
  /** `deploy/web sts/db`, `deploy web api`, `deploy,sts`. Without a name: all objects of the type. */
  | { readonly kind: 'named'; readonly wanted: readonly { readonly type: string; readonly name?: string }[] }
  /** Every kind that has a rule. */
  | { readonly kind: 'all' };

export interface TargetFlags {
  readonly selector?: string;
  readonly allKinds?: boolean;
  readonly allNamespaces?: boolean;
}

const USAGE = 'write `deploy/web`, `deploy web api`, `deploy,sts`, -l app=web or --all-kinds';

function refuse(reason: string): never {
  throw new ConvoyError('UsageInvalid', { reason, hint: USAGE });
}

function slashed(words: readonly string[]) {
  return words.map((word) => {
    const [type = '', name = '', ...more] = word.split('/');
    if (type === '' || name === '' || more.length > 0) refuse(`"${word}" is not TYPE/NAME`);
    return { type, name };
  });
}

function typesOf(word: string): readonly string[] {
  const types = word.split(',');
  if (types.includes('')) refuse(`"${word}" is no list of types`);
  return types;
}

/** Reads the arguments of `convoy health` as kubectl reads those of `kubectl get`. Throws UsageInvalid, ObjectsMissing. */
export function parseTargets(words: readonly string[], flags: TargetFlags): Targets {
  const { selector, allKinds = false, allNamespaces = false } = flags;
  const [first, ...names] = words;
  if (first === undefined) {
    if (!allKinds && selector === undefined) throw new ConvoyError('ObjectsMissing');
    return { kind: 'all' };
  }
  if (allKinds) refuse('--all-kinds and arguments exclude each other');
  const withSlash = words.filter((word) => word.includes('/')).length;
  if (withSlash > 0 && withSlash < words.length) refuse('TYPE/NAME and TYPE NAME cannot stand together');
  const named = withSlash > 0 || names.length > 0;
  if (named && selector !== undefined) refuse('a name and -l exclude each other');
  if (named && allNamespaces) refuse('a name and -A exclude each other');
  if (withSlash > 0) return { kind: 'named', wanted: slashed(words) };
  const types = typesOf(first);
  if (names.includes('')) refuse('a name is empty');
  const wanted = types.flatMap((type) => (names.length === 0 ? [{ type }] : names.map((name) => ({ type, name }))));
  return { kind: 'named', wanted };
}

export interface Scope {
  /** '' for all namespaces. */
  readonly namespace: string;
  readonly labelSelector?: string;
}

/** The type that a word means. @throws ConvoyError (`KindNotServed`) */
async function findType(word: string, discovery: Discovery, where: string): Promise<ResourceType> {
  const type = await discovery.find(word);
  if (type !== undefined) return type;
  const names = (await discovery.all()).flatMap(({ resource, singular, shortNames }) => [
    resource,
    singular,
    ...shortNames,
  ]);
  const near = closestName(
    word,
    names.filter((name) => name !== ''),
  );
  const broken = (await discovery.broken()).map(({ group }) => group).join(', ');
  const hint = near !== undefined ? `did you mean ${near}?` : 'see `kubectl api-resources`';
  throw new ConvoyError('KindNotServed', {
    name: word,
    where,
    hint: broken === '' ? hint : `${hint} The API groups ${broken} do not answer at present`,
  });
}

/** The queries that the arguments mean on this cluster; each object is asked for once. */
export async function queriesOf(
  targets: Extract<Targets, { kind: 'named' }>,
  scope: Scope,
  discovery: Discovery,
  where: string,
): Promise<readonly Query[]> {
  const queries = new Map<string, Query>();
  for (const { type: word, name } of targets.wanted) {
    const type = await findType(word, discovery, where);
    queries.set(`${type.group}/${type.resource}/${name ?? ''}`, queryOf(type, scope, name));
  }
  return [...queries.values()];
}

export function queryOf(type: Query['type'], { namespace, labelSelector }: Scope, name?: string): Query {
  return {
    type,
    namespace: type.namespaced ? namespace : '',
    ...(name === undefined ? {} : { name }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
  };
}

/** `group/version`, as objects carry it. */
export function apiVersionOf({ group, version }: Pick<ResourceType, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Whether an apiVersion fits a pattern of a rule: itself, `group/*` or `*`. */
export function fitsVersion(pattern: string, apiVersion: string): boolean {
  return (
    pattern === '*' ||
    pattern === apiVersion ||
    (pattern.endsWith('/*') && splitApiVersion(pattern).group === splitApiVersion(apiVersion).group)
  );
}
