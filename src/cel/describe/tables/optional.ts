import type { LibraryDocs } from '../library-docs.ts';

export const OPTIONAL_TYPES: LibraryDocs = {
  title: 'Optional values',
  entries: {
    'optional.of': { doc: 'An optional that holds the value.', examples: [['optional.of(1)', 'optional.of(1)']] },
    'optional.ofNonZeroValue': {
      doc: 'An optional that holds the value, none for a zero or empty one.',
      examples: [
        ['optional.ofNonZeroValue("")', 'optional.none()'],
        ['optional.ofNonZeroValue("a")', 'optional.of("a")'],
      ],
    },
    'optional.none': { doc: 'The optional without a value.', examples: [['optional.none().hasValue()', 'false']] },
    value: {
      doc: 'The value of an optional; an error when there is none.',
      examples: [
        ['optional.of(1).value()', '1'],
        ['optional.none().value()', 'error optional_none'],
      ],
    },
    hasValue: { doc: 'Whether an optional has a value.', examples: [['{"a": 1}.?b.hasValue()', 'false']] },
    or: {
      doc: 'The optional, or another when it has no value.',
      examples: [['{"a": 1}.?b.or(optional.of(2))', 'optional.of(2)']],
      cost: 'nothing; the other is computed only when it is needed',
    },
    orValue: {
      doc: 'The value of an optional, or another when it has none.',
      examples: [['{"a": {}}.?a.b.orValue(0)', '0']],
      cost: 'nothing; the other is computed only when it is needed',
    },
    'optional.unwrap': {
      doc: 'The values of a list of optionals, without those that have none.',
      examples: [['optional.unwrap([optional.of(1), optional.none()])', '[1]']],
    },
    unwrapOpt: {
      doc: 'The values of a list of optionals, without those that have none.',
      examples: [['[optional.of(1), optional.none()].unwrapOpt()', '[1]']],
    },
    first: {
      doc: 'The first element of a list, none when it is empty.',
      examples: [['[3, 4].first()', 'optional.of(3)']],
    },
    last: { doc: 'The last element of a list, none when it is empty.', examples: [['[].last()', 'optional.none()']] },
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
