import type { Expr } from './ast.ts';

/** The operands of a chain with their own spans, parentheses included. */
export class Operands {
  readonly starts: number[];
  readonly ends: number[];
  private readonly list: Expr[];
  constructor(first: Expr, start: number, end: number) {
    this.list = [first];
    this.starts = [start];
    this.ends = [end];
  }
  get length(): number {
    return this.list.length;
  }
  push(operand: Expr, start: number, end: number): void {
    this.list.push(operand);
    this.starts.push(start);
    this.ends.push(end);
  }
  at(index: number): Expr {
    return this.list[index]!;
  }
}
