/** One measured figure and the goal it is judged by. */
export interface Figure {
  readonly what: string;
  readonly goal: string;
  readonly measured: string;
  /** Undefined: told, not judged. */
  readonly met: boolean | undefined;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Whole numbers with thousands apart. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

export function atMost(what: string, limit: number, value: number, unit: string, digits = 0, more = ''): Figure {
  const measured = `${value.toFixed(digits)} ${unit}${more}`;
  return { what, goal: `≤ ${limit} ${unit}`, measured, met: value <= limit };
}
