import type { ErrorCode, ErrorValues } from '../core/errors/index.ts';
import type { KubernetesObject } from '../core/object/kubernetes-object.ts';
import type { ItemLines, ManifestDocument, ManifestObject, ManifestProblem } from './manifest.ts';

/** Problems that are told of one input; after them the input is not read on. */
const MOST_PROBLEMS = 10;

type Mapping = Readonly<Record<string, unknown>>;

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value in the words of its author. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'a text';
    case 'number':
    case 'bigint':
      return 'a number';
    case 'boolean':
      return `the value ${value}`;
    default:
      return 'a mapping';
  }
}

/** What a mapping is, when it holds health rules as a person writes them. A rule set read from a cluster (it has a uid) is an object like any other. */
function rulesIn(value: Mapping): string | undefined {
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion === 'string' && apiVersion.startsWith('convoy.kumodo.io/')) {
    const isSet = kind === 'GlobalHealthRuleSet' || kind === 'HealthRuleSet';
    return isSet && !(isMapping(metadata) && 'uid' in metadata) ? `this ${kind}` : undefined;
  }
  if (apiVersion !== undefined && metadata !== undefined) return undefined;
  if (typeof value['healthy'] === 'string' || Array.isArray(value['rules'])) return 'this rule file';
  return Array.isArray(value['cases']) ? 'this file of rule tests' : undefined;
}

interface Fault {
  readonly code: ErrorCode;
  readonly values: ErrorValues;
}

function faultOf(value: unknown): Fault | undefined {
  if (!isMapping(value)) return { code: 'NotAnObject', values: { what: describeValue(value) } };
  const rules = rulesIn(value);
  if (rules !== undefined) return { code: 'RulesAsObject', values: { kind: rules } };
  const { kind, apiVersion } = value;
  if (kind === undefined || kind === null || kind === '') return { code: 'KindMissing', values: {} };
  if (typeof kind !== 'string') return { code: 'FieldNotText', values: { field: 'kind', what: describeValue(kind) } };
  if (apiVersion === undefined || apiVersion === null || apiVersion === '')
    return { code: 'ApiVersionMissing', values: { kind } };
  if (typeof apiVersion !== 'string') {
    return { code: 'FieldNotText', values: { field: 'apiVersion', what: describeValue(apiVersion) } };
  }
  return undefined;
}

/** The list that a mapping is: a kind that ends in List, with `items` and nothing that a single object would have. */
function listKind(value: unknown): string | undefined {
  if (!isMapping(value) || typeof value['kind'] !== 'string' || !value['kind'].endsWith('List')) return undefined;
  return 'items' in value && !('spec' in value) && !('status' in value) && !('data' in value)
    ? value['kind']
    : undefined;
}

/** The items of a typed list as the API server sends it (`PodList`) carry no kind of their own: the list names it. */
function typedItem(item: unknown, list: Mapping, kind: string): unknown {
  if (kind === 'List' || !isMapping(item) || item['kind'] !== undefined || item['apiVersion'] !== undefined)
    return item;
  return { apiVersion: list['apiVersion'], kind: kind.slice(0, -'List'.length), ...item };
}

/** The objects of documents, in order, lists and lists in lists opened up, and what stands where an object should be. */
export function flattenDocuments(
  source: string,
  documents: readonly ManifestDocument[],
): { objects: ManifestObject[]; problems: ManifestProblem[] } {
  const objects: ManifestObject[] = [];
  const problems: ManifestProblem[] = [];

  const visit = (value: unknown, document: number, line: () => ItemLines): void => {
    if (problems.length >= MOST_PROBLEMS) return;
    const kind = listKind(value);
    const elements = Array.isArray(value)
      ? value
      : kind === undefined
        ? undefined
        : listItems(value as Mapping, kind, document, line);
    if (elements === undefined && kind !== undefined) return;
    if (elements !== undefined) {
      const itemLine = (place: number) => (): ItemLines => {
        const own = line();
        return own.items?.[place] ?? { line: own.line };
      };
      for (const [place, element] of elements.entries()) {
        visit(kind === undefined ? element : typedItem(element, value as Mapping, kind), document, itemLine(place));
      }
      return;
    }
    const fault = faultOf(value);
    if (fault !== undefined) {
      problems.push({ source, document, line: line().line, ...fault });
      return;
    }
    objects.push(manifestObject(value as KubernetesObject, source, document, objects.length, line));
  };

  const listItems = (
    list: Mapping,
    kind: string,
    document: number,
    line: () => ItemLines,
  ): readonly unknown[] | undefined => {
    const items = list['items'];
    if (Array.isArray(items)) return items;
    if (items === null) return [];
    problems.push({
      source,
      document,
      line: line().line,
      code: 'ItemsNotAList',
      values: { kind, what: describeValue(items) },
    });
    return undefined;
  };

  for (const { value, document, lines } of documents) visit(value, document, lines);
  return { objects, problems };
}

function manifestObject(
  object: KubernetesObject,
  source: string,
  document: number,
  index: number,
  line: () => ItemLines,
): ManifestObject {
  return {
    object,
    source,
    document,
    index,
    // Counting lines of JSON costs as much as parsing it, and most runs never ask.
    get line() {
      return line().line;
    },
  };
}
