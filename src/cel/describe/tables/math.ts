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
    'math.ceil': { doc: 'The smallest integral number that is not less.', examples: [['math.ceil(1.2)', '2.0']] },
    'math.floor': { doc: 'The largest integral number that is not more.', examples: [['math.floor(-1.2)', '-2.0']] },
    'math.round': {
      doc: 'The nearest integral number, halves away from zero.',
      examples: [['math.round(-1.5)', '-2.0']],
    },
    'math.trunc': { doc: 'The number without its fraction.', examples: [['math.trunc(-1.9)', '-1.0']] },
    'math.isInf': { doc: 'Whether a double is infinite.', examples: [['math.isInf(1.0 / 0.0)', 'true']] },
    'math.isNaN': { doc: 'Whether a double is NaN.', examples: [['math.isNaN(0.0 / 0.0)', 'true']] },
    'math.isFinite': {
      doc: 'Whether a double is neither infinite nor NaN.',
      examples: [['math.isFinite(1.0)', 'true']],
    },
    'math.abs': {
      doc: 'The absolute value.',
      examples: [
        ['math.abs(-5)', '5'],
        ['math.abs(-9223372036854775808)', 'error overflow'],
      ],
    },
    'math.sign': {
      doc: '-1, 0 or 1 in the type of the argument; NaN for NaN.',
      examples: [['math.sign(-2.5)', '-1.0']],
    },
    'math.bitAnd': { doc: 'Bitwise and.', examples: [['math.bitAnd(6, 3)', '2']] },
    'math.bitOr': { doc: 'Bitwise or.', examples: [['math.bitOr(6, 3)', '7']] },
    'math.bitXor': { doc: 'Bitwise exclusive or.', examples: [['math.bitXor(6u, 3u)', '5u']] },
    'math.bitNot': { doc: 'All bits inverted.', examples: [['math.bitNot(0)', '-1']] },
    'math.bitShiftLeft': {
      doc: 'Bits shifted left; zero from 64 places on.',
      examples: [['math.bitShiftLeft(1, 10)', '1024']],
    },
    'math.bitShiftRight': {
      doc: 'Bits shifted right, zeros coming in; zero from 64 places on.',
      examples: [['math.bitShiftRight(-1024, 2)', '4611686018427387648']],
    },
    'math.sqrt': { doc: 'The square root; NaN of a negative number.', examples: [['math.sqrt(81)', '9.0']] },
  },
};
