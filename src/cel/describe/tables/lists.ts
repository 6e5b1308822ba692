import { type LibraryDocs, PER_RESULT, PER_TRAVERSAL, SQUARE } from '../library-docs.ts';

export const KUBERNETES_LISTS: LibraryDocs = {
  title: 'Lists in every Kubernetes version',
  entries: {
    isSorted: { examples: [['[1, 2, 2].isSorted()', 'true']], cost: PER_TRAVERSAL },
    sum: {
      examples: [
        ['[1, 2, 3].sum()', '6'],
        ['[duration("1m"), duration("30s")].sum() == duration("90s")', 'true'],
      ],
      cost: PER_TRAVERSAL,
    },
    min: {
      examples: [
        ['[3, 1, 2].min()', '1'],
        ['dyn([]).min()', 'error empty_list'],
      ],
      cost: PER_TRAVERSAL,
    },
    max: { examples: [['["a", "c", "b"].max()', '"c"']], cost: PER_TRAVERSAL },
    indexOf: { examples: [['["a", "b", "a"].indexOf("a")', '0']], cost: PER_TRAVERSAL },
    lastIndexOf: { examples: [['["a", "b", "a"].lastIndexOf("a")', '2']], cost: PER_TRAVERSAL },
  },
};

export const LISTS: LibraryDocs = {
  title: 'Lists',
  entries: {
    slice: {
      examples: [
        ['[1, 2, 3, 4].slice(1, 3)', '[2, 3]'],
        ['[1].slice(0, 2)', 'error index_out_of_bounds'],
      ],
      cost: PER_RESULT,
    },
    flatten: {
      examples: [
        ['[[1], [2, 3]].flatten()', '[1, 2, 3]'],
        ['[1, [2, [3]]].flatten(2)', '[1, 2, 3]'],
      ],
      cost: 'one unit an element, times the depth, and 11',
    },
    sort: {
      examples: [
        ['[3, 1, 2].sort()', '[1, 2, 3]'],
        ['dyn([1, "a"]).sort()', 'error bad_argument'],
      ],
      cost: SQUARE,
    },
    'lists.range': { examples: [['lists.range(3)', '[0, 1, 2]']], cost: PER_RESULT },
    reverse: { examples: [['[1, 2].reverse()', '[2, 1]']], cost: PER_RESULT },
    distinct: { examples: [['[1, 2, 1].distinct()', '[1, 2]']], cost: SQUARE },
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
    'sets.contains': { examples: [['sets.contains([1, 2, 3], [3, 1, 1])', 'true']], cost: PAIRS },
    'sets.equivalent': {
      examples: [['sets.equivalent([1, 2], [2, 1, 1])', 'true']],
      cost: 'twice the number of elements of the one list times that of the other, and 1',
    },
    'sets.intersects': { examples: [['sets.intersects([1, 2], [3])', 'false']], cost: PAIRS },
  },
};
