import { type ErrorCode, type ErrorValues, errorText, plainLine } from '../core/errors/index.ts';
import type { KubernetesObject } from '../core/object/kubernetes-object.ts';

/** One object with the place it was read from. */
export interface ManifestObject {
  readonly object: KubernetesObject;
  /** The name of the input, as given: a path, or `-`. */
  readonly source: string;
  /** One-based number of the YAML document or JSON value in the input. */
  readonly document: number;
  /** One-based line where the object starts. */
  readonly line: number;
  /** Zero-based place among all objects of the input, lists flattened. */
  readonly index: number;
}

/** Why an input, or a part of it, cannot be read. */
export interface ManifestProblem {
  readonly source: string;
  readonly document?: number;
  /** One-based. */
  readonly line?: number;
  readonly code: ErrorCode;
  readonly values: ErrorValues;
}

/** One YAML document or JSON value, before anything is asked of its shape. */
export interface ManifestDocument {
  readonly value: unknown;
  /** One-based. */
  readonly document: number;
  /** Lines of the value and of the objects of a list in it. May be costly on first use: ask only when needed. */
  lines(): ItemLines;
}

/** One-based line of a value, and the same for each element of its `items` (or of the value, when that is an array). */
export interface ItemLines {
  readonly line: number;
  readonly items?: readonly ItemLines[];
}

/** `FILE: document N, line L: what is wrong; mend`: one line. */
export function formatProblem({ source, document, line, code, values }: ManifestProblem): string {
  const place = [document === undefined ? [] : `document ${document}`, line === undefined ? [] : `line ${line}`].flat();
  const name = source === '-' ? 'stdin' : plainLine(source);
  return [name, ...(place.length > 0 ? [place.join(', ')] : []), errorText(code, values)].join(': ');
}

/** Levels of nesting that are read. The API server's own limit is 10,000 for JSON; real objects stay below 60. */
export const DEEPEST_NESTING = 500;
