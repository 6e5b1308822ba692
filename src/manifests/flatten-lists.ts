import type { ErrorCode, ErrorValues } from '../core/errors/index.ts';
import { isMap, type JsonMap } from '../core/object/fields.ts';
import type { KubernetesObject } from '../core/object/kubernetes-object.ts';
import type { ItemLines, ManifestDocument, ManifestObject, ManifestProblem } from './manifest.ts';

/** Problems that are told of one input; after them the input is not read on. */
const MOST_PROBLEMS = 10;

/** A value in the words of its author. */
function describeValue(value: unknown): string {
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
function rulesIn(value: JsonMap): string | undefined {
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion === 'string' && apiVersion.startsWith('convoy.kumodo.io/')) {
    const isSet = kind === 'GlobalHealthRuleSet' || kind === 'HealthRuleSet';
    return isSet && !(isMap(metadata) && 'uid' in metadata) ? `this ${kind}` : undefined;
  }
  if (apiVersion !== undefined && metadata !== undefined) return undefined;
  if (typeof value['healthy'] === 'string' || Array.isArray(value['rules'])) return 'this rule file';
  return Array.isArray(value['cases']) ? 'this file of rule tests' : undefined;
}

/** What the API server says instead of an object, which would count as healthy for want of a rule: an answer, a table. */
function serverTalk({ apiVersion, kind, status, message }: JsonMap): string | undefined {
  if (apiVersion === 'meta.k8s.io/v1' && kind === 'Table') return 'a table for printing';
  if (apiVersion !== 'v1' || kind !== 'Status') return undefined;
  const said = [message, status].find((text) => typeof text === 'string' && text !== '');
  return typeof said === 'string' ? `an answer of the API server (${said})` : 'an answer of the API server';
}

/**
 * What objects are read for.
 * - `judge` health rules among them are a mistake: they belong to --rules
 * - `apply` health rules are objects like any other
 */
export type Purpose = 'judge' | 'apply';

interface Fault {
  readonly code: ErrorCode;
  readonly values: ErrorValues;
}

function faultOf(value: unknown, purpose: Purpose): Fault | undefined {
  if (!isMap(value)) return { code: 'NotAnObject', values: { what: describeValue(value) } };
  const rules = purpose === 'judge' ? rulesIn(value) : undefined;
  if (rules !== undefined) return { code: 'RulesAsObject', values: { kind: rules } };
  const { kind, apiVersion } = value;
  if (kind === undefined || kind === null || kind === '') return { code: 'KindMissing', values: {} };
  if (typeof kind !== 'string') return { code: 'FieldNotText', values: { field: 'kind', what: describeValue(kind) } };
  if (apiVersion === undefined || apiVersion === null || apiVersion === '')
    return { code: 'ApiVersionMissing', values: { kind } };
  if (typeof apiVersion !== 'string') {
    return { code: 'FieldNotText', values: { field: 'apiVersion', what: describeValue(apiVersion) } };
  }
  const talk = serverTalk(value);
  return talk === undefined ? undefined : { code: 'NotAnObject', values: { what: talk } };
}

/** The list that a mapping is: a kind that ends in List, with `items` and nothing that a single object would have. */
function listKind(value: unknown): string | undefined {
  if (!isMap(value) || typeof value['kind'] !== 'string' || !value['kind'].endsWith('List')) return undefined;
  return 'items' in value && !('spec' in value) && !('status' in value) && !('data' in value)
    ? value['kind']
    : undefined;
}

/** The items of a typed list as the API server sends it (`PodList`) carry no kind of their own: the list names it. */
function typedItem(item: unknown, list: JsonMap, kind: string): unknown {
  if (kind === 'List' || !isMap(item) || item['kind'] !== undefined || item['apiVersion'] !== undefined) return item;
  return { apiVersion: list['apiVersion'], kind: kind.slice(0, -'List'.length), ...item };
}

/** What stands where an object may be: one object, or the elements of a list. */
type Shape =
  | { readonly object: KubernetesObject }
  | { readonly elements: readonly unknown[] }
  | { readonly fault: Fault };

function shapeOf(value: unknown, purpose: Purpose): Shape {
  if (Array.isArray(value)) return { elements: value };
  const kind = listKind(value);
  if (kind !== undefined && isMap(value)) {
    const { items } = value;
    if (items === null) return { elements: [] };
    if (Array.isArray(items)) return { elements: items.map((item: unknown) => typedItem(item, value, kind)) };
    return { fault: { code: 'ItemsNotAList', values: { kind, what: describeValue(items) } } };
  }
  const fault = faultOf(value, purpose);
  // What has no fault is a mapping: faultOf looks at that first.
  return fault === undefined ? { object: value as KubernetesObject } : { fault };
}

/** The place of a value: its document, and its lines once somebody asks. */
interface Position {
  readonly document: number;
  lines(): ItemLines;
}

function positionOfElement({ document, lines }: Position, place: number): Position {
  return {
    document,
    lines: () => {
      const { line, items } = lines();
      return items?.[place] ?? { line };
    },
  };
}

/** The objects of documents, in order, lists and lists in lists opened up, and what stands where an object should be. */
export function flattenDocuments(
  source: string,
  documents: readonly ManifestDocument[],
  purpose: Purpose,
): { objects: ManifestObject[]; problems: ManifestProblem[] } {
  const objects: ManifestObject[] = [];
  const problems: ManifestProblem[] = [];
  const visit = (value: unknown, position: Position): void => {
    if (problems.length >= MOST_PROBLEMS) return;
    const shape = shapeOf(value, purpose);
    if ('elements' in shape) {
      for (const [place, element] of shape.elements.entries()) visit(element, positionOfElement(position, place));
    } else if ('fault' in shape) {
      problems.push({ source, document: position.document, line: position.lines().line, ...shape.fault });
    } else {
      objects.push(manifestObject(shape.object, source, objects.length, position));
    }
  };
  for (const document of documents) visit(document.value, document);
  return { objects, problems };
}

function manifestObject(object: KubernetesObject, source: string, index: number, position: Position): ManifestObject {
  return {
    object,
    source,
    document: position.document,
    index,
    // Counting lines of JSON costs as much as parsing it, and most runs never ask.
    get line() {
      return position.lines().line;
    },
  };
}
