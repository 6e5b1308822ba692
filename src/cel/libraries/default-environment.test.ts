import { describeRows } from './rows.fixture.ts';

describeRows('convoy', 'what only the default environment has', [
  ['"abc".reverse()', '"cba"', 1],
  ['"a😀c".reverse()', '"c😀a"', 1],
  ['obj.list.reverse()', '[2, 1]', 3],
  ['obj.number.reverse()', '!no_such_overload', 3],
  ['quantity("-1").sign()', '-1', 2],
  ['quantity("0").sign()', '0', 2],
  ['quantity("1n").sign()', '1', 2],
  ['obj.text.sign()', '!no_such_overload', 3],
  ['jsonpatch.escapeKey("a/b~c")', '"a~1b~0c"', 1],
  ['jsonpatch.escapeKey("")', '""', 0],
  ['jsonpatch.escapeKey(obj.text)', '"abcdefghijklmno"', 4],
  ['jsonpatch.escapeKey(obj.list)', '!no_such_overload', 3],
  ['lists.range(1000001)', '!bad_argument', 12],
  ['lists.range(2)', '[0, 1]', 13],
  ['dyn([1u, 2u]).sum()', '3u', 2],
  ['dyn([duration("1s")]).sum()', '1s', 1],
  ['dyn([dyn(1), dyn(1.5)]).sum()', '!no_such_overload', 2],
  ['cel.bind(x, obj.number, x + x)', '14', 5],
  ['[1, 2].existsOne(x, x == 1)', 'true', 8],
  ['[1, 2].existsOne(i, v, v == 1)', 'true', 8],
]);
