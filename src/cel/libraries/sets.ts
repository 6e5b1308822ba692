import { costSize } from '../cost-sizes.ts';
import type { CallContext, CostRule, Library } from '../declarations.ts';
import { BOOL, list, param } from '../value/cel-type.ts';
import { type CelList, listItems } from '../value/list.ts';
import { declare, globalForm } from './declare.ts';
import { Membership } from './membership.ts';

const T = list(param('T'));
const pairCost: CostRule = (_result, a, b) => costSize(a) * costSize(b) + 1;
const twicePairCost: CostRule = (_result, a, b) => 2 * costSize(a) * costSize(b) + 1;

function contains(context: CallContext, set: CelList, subset: CelList): boolean {
  const members = new Membership(context, listItems(set));
  context.work(subset.length);
  return listItems(subset).every((item) => members.has(item));
}

function intersects(context: CallContext, a: CelList, b: CelList): boolean {
  const members = new Membership(context, listItems(a));
  context.work(b.length);
  return listItems(b).some((item) => members.has(item));
}

function equivalent(context: CallContext, a: CelList, b: CelList): boolean {
  return contains(context, a, b) && contains(context, b, a);
}

/** Lists as sets (cel-go ext, version 0): order and repetition do not matter. */
export function setsLibrary(): Library {
  return {
    name: 'sets',
    functions: [
      declare('sets.contains', () => [globalForm([T, T], BOOL, contains, pairCost)]),
      declare('sets.equivalent', () => [globalForm([T, T], BOOL, equivalent, twicePairCost)]),
      declare('sets.intersects', () => [globalForm([T, T], BOOL, intersects, pairCost)]),
    ],
  };
}
