import type { LibraryDocs } from '../library-docs.ts';

export const MATH: LibraryDocs = {
  title: 'Mathematics',
  entries: {
    'math.least': {
      doc: 'The least of numbers or of the elements of a list.',
      examples: [
        ['math.least(3, 1, 2)', '1'],
        ['math.least([3, 1.5])', '1.5'],
      ],
    },
    'math.greatest': {
      doc: 'The greatest of numbers or of the elements of a list.',
      examples: [
        ['math.greatest(3, 1, 2)', '3'],
        ['math.greatest(dyn([]))', 'error empty_list'],
      ],
    },
    'math.ceil': { examples: [['math.ceil(1.2)', '2.0']] },
    'math.floor': { examples: [['math.floor(-1.2)', '-2.0']] },
    'math.round': { examples: [['math.round(-1.5)', '-2.0']] },
    'math.trunc': { examples: [['math.trunc(-1.9)', '-1.0']] },
    'math.isInf': { examples: [['math.isInf(1.0 / 0.0)', 'true']] },
    'math.isNaN': { examples: [['math.isNaN(0.0 / 0.0)', 'true']] },
    'math.isFinite': { examples: [['math.isFinite(1.0)', 'true']] },
    'math.abs': {
      examples: [
        ['math.abs(-5)', '5'],
        ['math.abs(-9223372036854775808)', 'error overflow'],
      ],
    },
    'math.sign': { examples: [['math.sign(-2.5)', '-1.0']] },
    'math.bitAnd': { examples: [['math.bitAnd(6, 3)', '2']] },
    'math.bitOr': { examples: [['math.bitOr(6, 3)', '7']] },
    'math.bitXor': { examples: [['math.bitXor(6u, 3u)', '5u']] },
    'math.bitNot': { examples: [['math.bitNot(0)', '-1']] },
    'math.bitShiftLeft': { examples: [['math.bitShiftLeft(1, 10)', '1024']] },
    'math.bitShiftRight': { examples: [['math.bitShiftRight(-1024, 2)', '4611686018427387648']] },
    'math.sqrt': { examples: [['math.sqrt(81)', '9.0']] },
  },
};
