import { describeRows } from './rows.fixture.ts';

describeRows('1.36', 'sets', [
  ['sets.contains([1, 2], [2, 2])', 'true', 5],
  ['sets.contains([1], [2])', 'false', 2],
  ['sets.contains([1], [])', 'true', 1],
  ['sets.contains([dyn(1), dyn([2])], [dyn(1.0), dyn([2])])', 'true', 5],
  ['sets.contains(obj.doubles, obj.doubles)', 'true', 14],
  ['sets.contains(obj.text, obj.list)', '!no_such_overload', 35],
  ['sets.equivalent([1, 2], [2, 1, 1])', 'true', 13],
  ['sets.equivalent([1], [1, 2])', 'false', 5],
  ['sets.equivalent([], [])', 'true', 1],
  ['sets.equivalent(obj.text, obj.list)', '!no_such_overload', 65],
  ['sets.intersects([1, 2], [2, 3])', 'true', 5],
  ['sets.intersects([1, 2], [3])', 'false', 3],
  ['sets.intersects([], [])', 'false', 1],
  ['sets.intersects(obj.text, obj.list)', '!no_such_overload', 35],
]);
