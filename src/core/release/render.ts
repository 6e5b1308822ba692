import { RELEASES } from '../api/index.ts';
import { plainLine } from '../errors/index.ts';
import { asMap, asString, isMap, refOf } from '../object/fields.ts';
import type { KubernetesObject, ObjectRef } from '../object/kubernetes-object.ts';
import { type Directives, readDirectives } from './annotations.ts';
import { canonicalJson, renderRefOf } from './canonical.ts';
import {
  flatten,
  isEmptyDocument,
  type KindLookup,
  kindsOf,
  normalise,
  objectName,
  type ServedKind,
  unquotedSecret,
} from './normalise.ts';
import type { Sha256 } from './ownership.ts';

/** One document of a source with the place it was written at. */
export interface SourceObject {
  readonly object: KubernetesObject;
  /** File (or `inline`, or a template's name). */
  readonly source: string;
  /** Of the document in the file, from 1. */
  readonly document: number;
  /** From 1; 0 where the renderer does not know. */
  readonly line: number;
}

/** One object of a render. */
export interface RenderObject extends ServedKind {
  /** `name` is '' for a hook with `generateName`. */
  readonly ref: ObjectRef;
  /** Normalised: what is digested, stored and (with the labels of its owner) applied. */
  readonly object: KubernetesObject;
  readonly directives: Directives;
}

/** Everything that a source asks for, sorted by group, kind, namespace and name. */
export interface Render {
  /** `sha256:…`: same objects, same reference, in whatever order they and their keys were written. */
  readonly renderRef: string;
  readonly objects: readonly RenderObject[];
}

/** What is wrong with a source, and where. */
export interface RenderProblem {
  readonly source: string;
  readonly document: number;
  /** 0: not known. */
  readonly line: number;
  readonly message: string;
}

export interface RenderOptions {
  /** For namespaced objects that name none. */
  readonly namespace: string;
  readonly kinds: KindLookup;
  readonly sha256: Sha256;
  /** The Release whose render it is, where it is on the cluster that the render goes to. */
  readonly holder?: { readonly namespace: string; readonly name: string };
}

/** `FILE: document 2, line 14: what is wrong`, on one line. */
export function problemText({ source, document, line, message }: RenderProblem): string {
  const place = `document ${document}${line > 0 ? `, line ${line}` : ''}`;
  return `${plainLine(source)}: ${place}: ${plainLine(message)}`;
}

/** The render of a source's documents, or everything that is wrong with them. */
export function renderOf(
  documents: readonly SourceObject[],
  options: RenderOptions,
): Render | { readonly problems: readonly RenderProblem[] } {
  const sources = documents.flatMap((source) =>
    isEmptyDocument(source.object) ? [] : [...flatten(source.object)].map((object) => ({ ...source, object })),
  );
  const kinds = kindsOf(
    sources.map(({ object }) => object),
    options.kinds,
  );
  const problems: RenderProblem[] = [];
  const placed = new Map<string, { readonly one: RenderObject; readonly at: SourceObject }>();
  for (const at of sources) {
    const one = renderObject(at.object, kinds, options.namespace);
    const problem = 'problem' in one ? one.problem : ownProblem(one.ref, options.holder);
    if ('problem' in one || problem !== undefined) {
      problems.push(problemAt(at, problem ?? ''));
    } else if (!one.directives.leftOut) {
      const key = sortKey(one.object).join('\n');
      const earlier = placed.get(key);
      if (earlier === undefined) placed.set(key, { one, at });
      else problems.push(problemAt(at, duplicate(one, earlier.at)));
    }
  }
  if (problems.length > 0) return { problems };
  return sorted(
    [...placed.values()].map(({ one }) => one),
    options.sha256,
  );
}

/** The render that was stored; the lookup has to know its kinds, or what it does not know is told. */
export function storedRender(
  objects: readonly KubernetesObject[],
  options: RenderOptions,
): Render | { readonly problems: readonly RenderProblem[] } {
  return renderOf(
    objects.map((object, index) => ({ object, source: 'stored render', document: index + 1, line: 0 })),
    options,
  );
}

function sorted(objects: readonly RenderObject[], sha256: Sha256): Render {
  const inOrder = objects
    .map((one) => ({ one, key: sortKey(one.object) }))
    .sort((a, b) => compareKeys(a.key, b.key))
    .map(({ one }) => one);
  return {
    renderRef: renderRefOf(
      inOrder.map(({ object }) => object),
      sha256,
    ),
    objects: inOrder,
  };
}

/** Group, kind, namespace, name; then generateName. The version is no part of it, so two versions of one object are one too many. */
function sortKey(object: KubernetesObject): readonly string[] {
  const { group, kind, namespace, name } = refOf(object);
  return [group, kind, namespace, name, asString(asMap(object['metadata'])['generateName'])];
}

/** By code unit, whatever the locale. */
function compareKeys(a: readonly string[], b: readonly string[]): number {
  const differs = a.findIndex((part, index) => part !== b[index]);
  return differs < 0 ? 0 : (a[differs] ?? '') < (b[differs] ?? '') ? -1 : 1;
}

function problemAt({ source, document, line }: SourceObject, message: string): RenderProblem {
  return { source, document, line, message };
}

function duplicate({ ref, object }: RenderObject, earlier: SourceObject): string {
  const place = `document ${earlier.document}${earlier.line > 0 ? `, line ${earlier.line}` : ''}`;
  const same = canonicalJson(earlier.object) === canonicalJson(object) ? ', with the same content' : '';
  return `${objectName(ref)} is there already: ${earlier.source}, ${place}${same}; remove one of them`;
}

function renderObject(
  object: KubernetesObject,
  kinds: KindLookup,
  targetNamespace: string,
): RenderObject | { readonly problem: string } {
  const ref = refOf(object);
  if (ref.kind === '') return { problem: 'this is no Kubernetes object: `kind` is missing' };
  if (ref.version === '') return { problem: `this ${ref.kind} has no \`apiVersion\`` };
  if (!isMap(object['metadata'])) return { problem: `this ${ref.kind} has no \`metadata\`` };
  const directives = readDirectives(object);
  const named = { ...ref, name: ref.name === '' ? asString(object['metadata']['generateName']) : ref.name };
  if ('problem' in directives) return { problem: `${objectName(named)}: ${directives.problem}` };
  // What is left out need not even be of a kind that the cluster knows.
  const unplaced = { ref, object, directives, namespaced: true, resource: '' };
  if (directives.leftOut) return unplaced;
  const unquoted = unquotedSecret(object);
  if (unquoted !== undefined) return { problem: `${objectName(named)}: ${unquoted}` };
  const unnamed = namelessProblem(ref, object['metadata'], directives) ?? nameProblem(named, object['metadata']);
  if (unnamed !== undefined) return { problem: unnamed };
  const served = kinds(ref.group, ref.version, ref.kind);
  if (served === undefined) return { problem: unservedProblem(named) };
  const namespace = served.namespaced ? ref.namespace || targetNamespace : undefined;
  return {
    ref: { ...ref, namespace: namespace ?? '' },
    object: normalise(object, namespace),
    directives,
    namespaced: served.namespaced,
    resource: served.resource,
  };
}

function namelessProblem(
  { kind, name }: ObjectRef,
  { name: written, generateName }: KubernetesObject,
  { hooks }: Directives,
): string | undefined {
  if (name !== '') return undefined;
  if (written !== undefined && written !== null && written !== '') {
    return `the \`metadata.name\` of this ${kind} is no text: write it in quotes`;
  }
  if (asString(generateName) === '') return `this ${kind} has no \`metadata.name\``;
  if (hooks.length > 0) return undefined;
  return `${kind} ${asString(generateName)}… has a \`generateName\`, which only hooks may have: an object that is kept needs a name`;
}

/** What no kind allows in a name; the rest is for the server to say. */
const NEVER_IN_NAMES = /[/%]|^\.{1,2}$/;
const LONGEST_NAME = 253;

function nameProblem(ref: ObjectRef, { namespace }: KubernetesObject): string | undefined {
  const bad = [ref.name, ref.namespace].find((text) => NEVER_IN_NAMES.test(text));
  if (bad !== undefined) return `${objectName(ref)}: "${bad}" is no name: it may neither be . or .. nor hold / or %`;
  if (namespace !== undefined && namespace !== null && typeof namespace !== 'string') {
    return `${objectName(ref)}: its \`metadata.namespace\` is no text: write it in quotes`;
  }
  if (ref.name.length <= LONGEST_NAME) return undefined;
  return `${ref.kind} ${ref.name.slice(0, 40)}…: its name has ${ref.name.length} characters; ${LONGEST_NAME} may be`;
}

/** What a Release may not hold: itself, or it would wait for its own end; and what convoy itself keeps of it. */
function ownProblem(
  { group, version, kind, namespace, name }: ObjectRef,
  holder: RenderOptions['holder'],
): string | undefined {
  if (holder === undefined || group !== RELEASES.group) return undefined;
  const itself = kind === 'Release' && namespace === holder.namespace && name === holder.name;
  if (!itself && kind !== 'ReleaseInventory') return undefined;
  const named = objectName({ group, version, kind, namespace, name });
  return itself
    ? `${named} cannot hold itself; leave it out of its source`
    : `${named}: convoy alone writes these; leave it out of the source`;
}

function unservedProblem({ group, version, kind, name }: ObjectRef): string {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return `${kind} ${name}: the cluster serves no ${kind} of ${apiVersion}, and no CustomResourceDefinition of this render brings it`;
}
