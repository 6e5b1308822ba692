import { type CelResult, type Explanation, isCelError, type Step, shortValue, toJs } from '../../cel/index.ts';

/** One evaluated part of an expression as plain data. */
export interface StepView {
  /** UTF-16 offsets in the expression. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** What the part is: `path`, `call`, `and`, `order`, `element` (one round of a loop), … */
  readonly kind: string;
  /** The value as plain JavaScript; absent when the part was not needed, or failed. */
  readonly value?: unknown;
  readonly error?: string;
  /** The value or the error on one short line; '' when the part was not needed. */
  readonly short: string;
  /** Units of cost with all its parts. */
  readonly cost: number;
  readonly skipped?: string;
  /** The element that this round of a loop was about. */
  readonly element?: { readonly index: number | string; readonly value?: unknown; readonly error?: string };
  /** It belongs to the smallest set of parts that forced the result. */
  readonly decided: boolean;
  readonly children: readonly StepView[];
}

/** The tree of an explanation as plain data. */
export function viewExplanation({ root, blame }: Explanation): StepView {
  return viewStep(root, new Set(blame));
}

function viewStep(step: Step, blame: ReadonlySet<Step>): StepView {
  const { start, end, text, kind, value, cost, skipped, element, children } = step;
  return {
    start,
    end,
    text,
    kind,
    ...(value === undefined ? {} : plainResult(value)),
    short: value === undefined ? '' : shortValue(value),
    cost,
    ...(skipped === undefined ? {} : { skipped }),
    ...(element === undefined ? {} : { element: { index: element.index, ...plainResult(element.value) } }),
    decided: blame.has(step),
    children: children.map((child) => viewStep(child, blame)),
  };
}

/** A result as plain JavaScript (see `toJs`), or as the message of its error. */
export function plainResult(result: CelResult): { readonly value: unknown } | { readonly error: string } {
  if (isCelError(result)) return { error: result.message };
  try {
    return { value: toJs(result) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
