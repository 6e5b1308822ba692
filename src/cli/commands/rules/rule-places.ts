import type { Rule, RuleSet } from '../../../core/health/index.ts';
import { field } from '../../../core/object/fields.ts';
import type { FindNode, NodePath, NodePlace, PlaceReader } from '../../../manifests/index.ts';
import type { RuleDocument } from '../../read-inputs.ts';

/** One-based; columns in UTF-16 units. */
export interface FilePlace {
  readonly line: number;
  readonly column: number;
}

/** Finds the nodes of a rule document in its file, also those in the YAML text inside of a k0rdent ConfigMap. */
export class RulePlaces {
  readonly #text: string;
  readonly #document: unknown;
  readonly #find: FindNode;
  /** The nodes of the text under data.rules, in offsets of that text. */
  readonly #inner: FindNode;
  readonly #otherwise: FilePlace;

  constructor(input: {
    readonly text: string;
    readonly document: unknown;
    readonly find: FindNode;
    readonly findInner: FindNode;
    /** Where the document starts, for what cannot be found. */
    readonly line: number;
  }) {
    this.#text = input.text;
    this.#document = input.document;
    this.#find = input.find;
    this.#inner = input.findInner;
    this.#otherwise = { line: input.line, column: 1 };
  }

  /** The place of a path as `readRuleSet` writes it: `spec.rules[0].variables[1].name`; of its nearest parent when it is not there. */
  ofPath(path: string): FilePlace {
    return this.#nearest(parsePath(path));
  }

  /** The place of an offset in an expression of a rule; without offset, of the field. */
  ofExpression(set: RuleSet, rule: Rule, name: string, offset: number | undefined): FilePlace {
    const path = [...this.#ruleAt(set, rule), ...fieldPath(rule, name)];
    const node = this.#node(path);
    const at = offset === undefined ? undefined : node?.scalar?.textOffset(offset);
    if (at !== undefined) return this.#at(at);
    // What is said of a variable as a whole stands at its entry.
    const isEntry = offset === undefined && /^(?:variables|related)\./.test(name);
    return this.#nearest(isEntry ? path.slice(0, -1) : path);
  }

  /** The place of a node, or of the nearest one around it: what a merge key (`<<`) brings in has no place of its own. */
  #nearest(path: NodePath): FilePlace {
    const node = this.#node(path);
    if (node !== undefined) return this.#at(node.start);
    return path.length === 0 ? this.#otherwise : this.#nearest(path.slice(0, -1));
  }

  #ruleAt(set: RuleSet, rule: Rule): NodePath {
    if (set.contract === 'k0rdent') return ['data', 'rules', Number(rule.name)];
    const list = field(field(this.#document, 'spec'), 'rules');
    if (!Array.isArray(list)) return [];
    const named = list.findIndex((entry) => field(entry, 'name') === rule.name);
    return ['spec', 'rules', named >= 0 ? named : Number(rule.name)];
  }

  /** A node of the document, or of the text in it. */
  #node(path: NodePath): NodePlace | undefined {
    const [first, second, ...rest] = path;
    if (first !== 'data' || second !== 'rules' || rest.length === 0) return this.#find(path);
    const outer = this.#find(['data', 'rules'])?.scalar;
    const inner = this.#inner(rest);
    if (outer === undefined || inner === undefined) return undefined;
    const start = outer.textOffset(inner.start);
    if (start === undefined) return undefined;
    const { scalar } = inner;
    if (scalar === undefined) return { start };
    const textOffset = (offset: number): number | undefined => {
      const within = scalar.textOffset(offset);
      return within === undefined ? undefined : outer.textOffset(within);
    };
    return { start, scalar: { value: scalar.value, textOffset } };
  }

  #at(offset: number): FilePlace {
    const before = this.#text.slice(0, offset);
    const lineStart = before.lastIndexOf('\n') + 1;
    return { line: before.split('\n').length, column: offset - lineStart + 1 };
  }
}

/** The places of a rule document in its file. */
export function rulePlacesOf({ content, document, value, lines }: RuleDocument, reader: PlaceReader): RulePlaces {
  const text = reader.textOf(content);
  const find = reader.nodePlaces(text, document);
  const inner = find(['data', 'rules'])?.scalar?.value ?? '';
  return new RulePlaces({ text, document: value, find, findInner: reader.nodePlaces(inner, 1), line: lines().line });
}

function fieldPath(rule: Rule, name: string): NodePath {
  const [list = '', of = ''] = name.split('.', 2);
  if (list === 'variables') return [list, rule.variables.findIndex((variable) => variable.name === of), 'expression'];
  if (list === 'related') return [list, rule.related.findIndex((related) => related.name === of), 'object'];
  return [name];
}

function parsePath(path: string): NodePath {
  return [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, key = '']) =>
    index === undefined ? key : Number(index),
  );
}
