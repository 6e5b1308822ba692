import { ConvoyError, harmless } from '../../core/errors/index.ts';
import { assertNever } from '../../core/object/assert-never.ts';
import { isMap } from '../../core/object/fields.ts';
import type { Comparison, Operand, Piece, Step } from './parse.ts';

function children(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isMap(value) ? Object.values(value) : [];
}

function at(value: unknown, index: number): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  const place = index < 0 ? value.length + index : index;
  return place >= 0 && place < value.length ? [value[place]] : [];
}

function slice(value: unknown, { from, to, by }: Extract<Step, { kind: 'slice' }>): readonly unknown[] {
  if (!Array.isArray(value) || by < 1) return [];
  return value.slice(from, to).filter((_, place) => place % by === 0);
}

function compare(left: unknown, operator: Comparison, right: unknown): boolean {
  if (operator === '==') return left === right;
  if (operator === '!=') return left !== right;
  const ordered =
    (typeof left === 'number' && typeof right === 'number') || (typeof left === 'string' && typeof right === 'string');
  if (!ordered) return false;
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    default:
      return assertNever(operator);
  }
}

function show(value: unknown): string {
  return harmless(typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value));
}

/** Values that a template may come by: `{..*..*..*}` passes over each of them once for every way that leads to it. */
const MOST_VALUES = 10_000_000;

class Evaluation {
  #left = MOST_VALUES;

  text(pieces: readonly Piece[], value: unknown): string {
    return pieces.map((piece) => this.#piece(piece, value)).join('');
  }

  #piece(piece: Piece, value: unknown): string {
    switch (piece.kind) {
      case 'text':
        return piece.text;
      case 'path':
        return this.#follow(piece.steps, [value])
          .map((each) => this.#shown(each))
          .join(' ');
      case 'range':
        return this.#follow(piece.steps, [value])
          .map((element) => this.text(piece.body, element))
          .join('');
      default:
        return assertNever(piece);
    }
  }

  #shown(value: unknown): string {
    const text = show(value);
    this.#count(text.length / 50);
    return text;
  }

  #count(values: number): void {
    this.#left -= values;
    if (this.#left >= 0) return;
    throw new ConvoyError('JsonPathTooLarge');
  }

  #follow(steps: readonly Step[], start: readonly unknown[]): readonly unknown[] {
    return steps.reduce<readonly unknown[]>((values, one) => values.flatMap((value) => this.#step(one, value)), start);
  }

  #step(one: Step, value: unknown): readonly unknown[] {
    const found = this.#found(one, value);
    this.#count(found.length);
    return found;
  }

  #found(one: Step, value: unknown): readonly unknown[] {
    switch (one.kind) {
      case 'field':
        return one.names.flatMap((name) => (isMap(value) && Object.hasOwn(value, name) ? [value[name]] : []));
      case 'all':
        return children(value);
      case 'descend':
        return this.#descendants(value);
      case 'index':
        return one.indexes.flatMap((index) => at(value, index));
      case 'slice':
        return slice(value, one);
      case 'filter':
        return children(value).filter((child) => this.#passes(child, one));
      default:
        return assertNever(one);
    }
  }

  /** Adds a value and all below it, each once: lists of lists would be copied once for each level. */
  #descendants(value: unknown, into: unknown[] = []): unknown[] {
    this.#count(1);
    into.push(value);
    for (const child of children(value)) this.#descendants(child, into);
    return into;
  }

  #passes(value: unknown, { left, operator, right }: Extract<Step, { kind: 'filter' }>): boolean {
    const [first] = this.#operand(left, value);
    if (operator === undefined || right === undefined) return first !== undefined;
    return compare(first, operator, this.#operand(right, value)[0]);
  }

  #operand(operand: Operand, value: unknown): readonly unknown[] {
    return operand.kind === 'literal' ? [operand.value] : this.#follow(operand.steps, [value]);
  }
}

/**
 * The text that a template makes of a value. A path that leads nowhere is '', as in kubectl. Throws JsonPathTooLarge for a
 * template that multiplies what it finds.
 */
export function evaluateJsonPath(pieces: readonly Piece[], value: unknown): string {
  return new Evaluation().text(pieces, value);
}
