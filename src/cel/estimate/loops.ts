import { mapElementCost } from '../evaluate/folds.ts';
import type { FoldPlan } from '../plan/plan.ts';
import { exactly, ONE, plus, product, type Range, upTo } from './range.ts';
import { listOf, mapOf, SCALAR, type Shape } from './shape.ts';

/** What a loop charges beside its range (the language reference, "Cost"). */
export function loopCost(plan: FoldPlan, count: Range, filter: Range, body: Range): Range {
  const passing = plan.filter ? 0 : 1;
  /** `least` and `most` of an iteration beside filter and body, and what is charged once. */
  const over = (least: number, most: number, once: Range): Range => ({
    min: once.min + product(count.min, filter.min + passing * (body.min + least)),
    max: once.max + product(count.max, filter.max + body.max + most),
  });
  switch (plan.operation) {
    case 'all':
    case 'exists': {
      // A decision before the last element is charged one test more; the first element may decide.
      const [each, early] = plan.operation === 'all' ? [3, 2] : [4, 3];
      const first = count.min >= 1 ? body.min + each : 0;
      return { min: 1 + first, max: over(each, each, exactly(count.max > 1 ? 1 + early : 1)).max };
    }
    case 'exists_one':
      return over(0, 2, exactly(2));
    case 'filter':
      return over(0, 13, ONE);
    case 'map':
    case 'transformList': {
      const each = mapElementCost(plan.body);
      return over(each, each, ONE);
    }
    case 'transformMap':
      return over(3, 3, ONE);
    case 'transformMapEntry':
      return over(2, 2, ONE);
    case 'sortBy': {
      const each = mapElementCost(plan.body);
      const square = (factor: number, size: number): number => Math.floor(product(factor, product(size, size))) + 11;
      const sort = plan.chargedBySize ? { min: square(2, count.min), max: square(2.1, count.max) } : ONE;
      return over(each, each, plus(exactly(3), sort));
    }
  }
}

/** What a loop makes of `over`, whose elements are `member`, by a body of shape `body`. */
export function foldShape(plan: FoldPlan, over: Shape, member: Shape, body: Shape): Shape {
  const some = { min: plan.filter ? 0 : over.size.min, max: over.size.max };
  switch (plan.operation) {
    case 'all':
    case 'exists':
    case 'exists_one':
      return SCALAR;
    case 'filter':
      return listOf(member, upTo(over.size.max));
    case 'map':
    case 'transformList':
      return listOf(body, some);
    case 'sortBy':
      return listOf(member, over.size);
    case 'transformMap':
      return mapOf(over.keys(), body, some);
    case 'transformMapEntry':
      return mapOf(body.keys(), body.items(), upTo(product(over.size.max, body.size.max)));
  }
}
