import type { LibraryDocs } from '../library-docs.ts';

export const OPTIONAL_TYPES: LibraryDocs = {
  title: 'Optional values',
  entries: {
    'optional.of': { examples: [['optional.of(1)', 'optional.of(1)']] },
    'optional.ofNonZeroValue': {
      examples: [
        ['optional.ofNonZeroValue("")', 'optional.none()'],
        ['optional.ofNonZeroValue("a")', 'optional.of("a")'],
      ],
    },
    'optional.none': { examples: [['optional.none().hasValue()', 'false']] },
    value: {
      examples: [
        ['optional.of(1).value()', '1'],
        ['optional.none().value()', 'error optional_none'],
      ],
    },
    hasValue: { examples: [['{"a": 1}.?b.hasValue()', 'false']] },
    or: {
      examples: [['{"a": 1}.?b.or(optional.of(2))', 'optional.of(2)']],
      cost: 'nothing; the other is computed only when it is needed',
    },
    orValue: {
      examples: [['{"a": {}}.?a.b.orValue(0)', '0']],
      cost: 'nothing; the other is computed only when it is needed',
    },
    'optional.unwrap': { examples: [['optional.unwrap([optional.of(1), optional.none()])', '[1]']] },
    unwrapOpt: { examples: [['[optional.of(1), optional.none()].unwrapOpt()', '[1]']] },
    first: { examples: [['[3, 4].first()', 'optional.of(3)']] },
    last: { examples: [['[].last()', 'optional.none()']] },
    optMap: {
      doc: 'An optional of what the expression gives for the value; none stays none.',
      forms: ['optional.optMap(x, expression)'],
      examples: [
        ['{"a": 2}.?a.optMap(x, x * 2)', 'optional.of(4)'],
        ['{"a": 2}.?b.optMap(x, x * 2)', 'optional.none()'],
      ],
      cost: 'the optional twice, the expression, and 3; for none the optional and 2',
    },
    optFlatMap: {
      doc: 'What the expression, itself an optional, gives for the value; none stays none.',
      forms: ['optional.optFlatMap(x, expression)'],
      examples: [['{"a": {"b": 2}}.?a.optFlatMap(x, x.?b)', 'optional.of(2)']],
      cost: 'the optional twice, the expression, and 2; for none the optional and 2',
    },
  },
};
