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
      declare('sets.contains', 'Whether every element of the second list is in the first.', [
        globalForm('list_sets_contains_list', [T, T], BOOL, contains, pairCost),
      ]),
      declare('sets.equivalent', 'Whether two lists hold the same elements.', [
        globalForm('list_sets_equivalent_list', [T, T], BOOL, equivalent, twicePairCost),
      ]),
      declare('sets.intersects', 'Whether two lists have an element in common.', [
        globalForm('list_sets_intersects_list', [T, T], BOOL, intersects, pairCost),
      ]),
    ],
  };
}
