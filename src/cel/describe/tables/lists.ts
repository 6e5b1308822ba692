import { type LibraryDocs, PER_RESULT, PER_TRAVERSAL, SQUARE } from '../library-docs.ts';

export const KUBERNETES_LISTS: LibraryDocs = {
  title: 'Lists in every Kubernetes version',
  entries: {
    isSorted: {
      doc: 'Whether the elements ascend; equals are allowed.',
      examples: [['[1, 2, 2].isSorted()', 'true']],
      cost: PER_TRAVERSAL,
    },
    sum: {
      doc: 'The sum of numbers or durations.',
      examples: [
        ['[1, 2, 3].sum()', '6'],
        ['[duration("1m"), duration("30s")].sum() == duration("90s")', 'true'],
      ],
      cost: PER_TRAVERSAL,
    },
    min: {
      doc: 'The smallest element.',
      examples: [
        ['[3, 1, 2].min()', '1'],
        ['dyn([]).min()', 'error empty_list'],
      ],
      cost: PER_TRAVERSAL,
    },
    max: { doc: 'The largest element.', examples: [['["a", "c", "b"].max()', '"c"']], cost: PER_TRAVERSAL },
    indexOf: {
      doc: 'Position of the first equal element, -1 when there is none.',
      examples: [['["a", "b", "a"].indexOf("a")', '0']],
      cost: PER_TRAVERSAL,
    },
    lastIndexOf: {
      doc: 'Position of the last equal element, -1 when there is none.',
      examples: [['["a", "b", "a"].lastIndexOf("a")', '2']],
      cost: PER_TRAVERSAL,
    },
  },
};

export const LISTS: LibraryDocs = {
  title: 'Lists',
  entries: {
    slice: {
      doc: 'The elements from a position to before another.',
      examples: [
        ['[1, 2, 3, 4].slice(1, 3)', '[2, 3]'],
        ['[1].slice(0, 2)', 'error index_out_of_bounds'],
      ],
      cost: PER_RESULT,
    },
    flatten: {
      doc: 'The elements of the lists in a list, one level or n levels deep.',
      examples: [
        ['[[1], [2, 3]].flatten()', '[1, 2, 3]'],
        ['[1, [2, [3]]].flatten(2)', '[1, 2, 3]'],
      ],
      cost: 'one unit an element, times the depth, and 11',
    },
    sort: {
      doc: 'The elements in ascending order; equal ones keep their order.',
      examples: [
        ['[3, 1, 2].sort()', '[1, 2, 3]'],
        ['dyn([1, "a"]).sort()', 'error bad_argument'],
      ],
      cost: SQUARE,
    },
    'lists.range': {
      doc: 'The ints from 0 to before n.',
      examples: [['lists.range(3)', '[0, 1, 2]']],
      cost: PER_RESULT,
    },
    reverse: { doc: 'The elements in reverse order.', examples: [['[1, 2].reverse()', '[2, 1]']], cost: PER_RESULT },
    distinct: {
      doc: 'The elements without repetitions, the first of equals kept.',
      examples: [['[1, 2, 1].distinct()', '[1, 2]']],
      cost: SQUARE,
    },
    sortBy: {
      doc: 'The elements in ascending order of what the expression gives for each; equal ones keep their order.',
      forms: ['list.sortBy(x, key)'],
      examples: [['["ccc", "a", "bb"].sortBy(s, size(s))', '["a", "bb", "ccc"]']],
      cost: 'a map to the keys, and the sort of them',
    },
  },
};

const PAIRS = 'the number of elements of the one list times that of the other, and 1';

export const SETS: LibraryDocs = {
  title: 'Lists as sets',
  entries: {
    'sets.contains': {
      doc: 'Whether every element of the second list is in the first.',
      examples: [['sets.contains([1, 2, 3], [3, 1, 1])', 'true']],
      cost: PAIRS,
    },
    'sets.equivalent': {
      doc: 'Whether two lists hold the same elements.',
      examples: [['sets.equivalent([1, 2], [2, 1, 1])', 'true']],
      cost: 'twice the number of elements of the one list times that of the other, and 1',
    },
    'sets.intersects': {
      doc: 'Whether two lists have an element in common.',
      examples: [['sets.intersects([1, 2], [3])', 'false']],
      cost: PAIRS,
    },
  },
};
