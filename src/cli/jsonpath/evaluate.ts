import { assertNever } from '../../core/object/assert-never.ts';
import { isMap } from '../../core/object/fields.ts';
import type { Comparison, Operand, Piece, Step } from './parse.ts';

function children(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isMap(value) ? Object.values(value) : [];
}

function descendants(value: unknown): unknown[] {
  return [value, ...children(value).flatMap(descendants)];
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

function operandValues(operand: Operand, value: unknown): readonly unknown[] {
  return operand.kind === 'literal' ? [operand.value] : follow(operand.steps, [value]);
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

function passes(value: unknown, { left, operator, right }: Extract<Step, { kind: 'filter' }>): boolean {
  const [first] = operandValues(left, value);
  if (operator === undefined || right === undefined) return first !== undefined;
  return compare(first, operator, operandValues(right, value)[0]);
}

function step(one: Step, value: unknown): readonly unknown[] {
  switch (one.kind) {
    case 'field':
      return one.names.flatMap((name) => (isMap(value) && Object.hasOwn(value, name) ? [value[name]] : []));
    case 'all':
      return children(value);
    case 'descend':
      return descendants(value);
    case 'index':
      return one.indexes.flatMap((index) => at(value, index));
    case 'slice':
      return slice(value, one);
    case 'filter':
      return children(value).filter((child) => passes(child, one));
    default:
      return assertNever(one);
  }
}

function follow(steps: readonly Step[], start: readonly unknown[]): readonly unknown[] {
  return steps.reduce<readonly unknown[]>((values, one) => values.flatMap((value) => step(one, value)), start);
}

function show(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** The text that a template makes of a value. A path that leads nowhere is '', as in kubectl. */
export function evaluateJsonPath(pieces: readonly Piece[], value: unknown): string {
  return pieces
    .map((piece) => {
      switch (piece.kind) {
        case 'text':
          return piece.text;
        case 'path':
          return follow(piece.steps, [value]).map(show).join(' ');
        case 'range':
          return follow(piece.steps, [value])
            .map((element) => evaluateJsonPath(piece.body, element))
            .join('');
        default:
          return assertNever(piece);
      }
    })
    .join('');
}
