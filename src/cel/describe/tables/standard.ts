import { type LibraryDocs, PER_PATTERN, PER_TEXT } from '../library-docs.ts';

const TIME = 'timestamp("2024-02-29T12:30:45.123Z")';

export const STANDARD: LibraryDocs = {
  title: 'Standard functions',
  entries: {
    size: {
      doc: 'Code points of a string, bytes, elements of a list, entries of a map.',
      examples: [
        ['size("wörld")', '5'],
        ['[1, 2, 3].size()', '3'],
      ],
    },
    type: { doc: 'The type of a value.', examples: [['type(1.5) == double', 'true']] },
    dyn: { doc: 'The value itself, exempt from type checking.', examples: [['dyn(1) == 1.0', 'true']] },
    int: {
      doc: 'Converts to int; doubles lose their fraction, timestamps become Unix seconds, durations nanoseconds.',
      examples: [
        ['int("42")', '42'],
        ['int(-1.9)', '-1'],
        ['int("4" + "x")', 'error bad_conversion'],
      ],
    },
    uint: { doc: 'Converts to uint; doubles are truncated.', examples: [['uint(3.7)', '3u']] },
    double: { doc: 'Converts to double.', examples: [['double("1e3")', '1000.0']] },
    bool: { doc: 'Converts to bool.', examples: [['bool("true")', 'true']] },
    string: {
      doc: 'Converts to text.',
      examples: [
        ['string(1.5)', '"1.5"'],
        ['string(duration("90m"))', '"5400s"'],
      ],
      cost: 'one unit; of bytes a tenth of their length',
    },
    bytes: {
      doc: 'Converts to bytes, strings as UTF-8.',
      examples: [['bytes("é")', 'b"\\xc3\\xa9"']],
      cost: 'one unit; of text a tenth of its length',
    },
    timestamp: {
      doc: 'A timestamp of RFC 3339 text or Unix seconds.',
      examples: [['timestamp("2024-01-01T00:00:00Z") < timestamp("2024-06-01T12:00:00+02:00")', 'true']],
    },
    duration: {
      doc: 'A duration of text such as 1h30m.',
      examples: [['duration("1h30m") == duration("5400s")', 'true']],
    },
    contains: {
      doc: 'Whether a string contains another.',
      examples: [['"Readiness".contains("Ready")', 'false']],
      cost: 'a tenth of the length of the one text times a tenth of the other, each rounded up',
    },
    startsWith: {
      doc: 'Whether a string begins with another.',
      examples: [['"kube-system".startsWith("kube-")', 'true']],
      cost: PER_TEXT,
    },
    endsWith: {
      doc: 'Whether a string ends with another.',
      examples: [['"web-7d4b9".endsWith("b9")', 'true']],
      cost: PER_TEXT,
    },
    matches: {
      doc: 'Whether an RE2 pattern matches anywhere in a string.',
      examples: [
        ['"v1.28.3".matches(r"^v1\\.\\d+")', 'true'],
        ['matches("abc", "b")', 'true'],
      ],
      cost: `${PER_PATTERN}; one unit as matches(text, pattern)`,
    },
    getFullYear: { doc: 'The year.', examples: [[`${TIME}.getFullYear()`, '2024']] },
    getMonth: { doc: 'The month, January is 0.', examples: [[`${TIME}.getMonth()`, '1']] },
    getDayOfYear: { doc: 'The day of the year, the first is 0.', examples: [[`${TIME}.getDayOfYear()`, '59']] },
    getDayOfMonth: { doc: 'The day of the month, the first is 0.', examples: [[`${TIME}.getDayOfMonth()`, '28']] },
    getDate: { doc: 'The day of the month, the first is 1.', examples: [[`${TIME}.getDate()`, '29']] },
    getDayOfWeek: { doc: 'The day of the week, Sunday is 0.', examples: [[`${TIME}.getDayOfWeek()`, '4']] },
    getHours: {
      doc: 'Hour of the day; whole hours of a duration.',
      examples: [
        [`${TIME}.getHours("+02:00")`, '14'],
        ['duration("90m").getHours()', '1'],
      ],
    },
    getMinutes: { doc: 'Minute; whole minutes of a duration.', examples: [['duration("90m").getMinutes()', '90']] },
    getSeconds: { doc: 'Second; whole seconds of a duration.', examples: [[`${TIME}.getSeconds()`, '45']] },
    getMilliseconds: {
      doc: 'Millisecond of the second; whole milliseconds of a duration.',
      examples: [[`${TIME}.getMilliseconds()`, '123']],
    },
    has: {
      doc: 'Whether a field is there; null counts as there.',
      forms: ['has(e.f)'],
      examples: [
        ['has({"a": null}.a)', 'true'],
        ['has({"a": 1}.b)', 'false'],
      ],
      cost: 'that of the path, less one',
    },
    all: {
      doc: 'Whether the condition holds for every element of a list or every key of a map.',
      forms: ['list.all(x, condition)'],
      examples: [['[1, 2].all(x, x > 0)', 'true']],
      cost: 'one unit, and for each element looked at the condition and 3',
    },
    exists: {
      doc: 'Whether the condition holds for some element of a list or some key of a map.',
      forms: ['list.exists(x, condition)'],
      examples: [
        ['[1, 2].exists(x, x > 1)', 'true'],
        ['{"a": 1}.exists(k, k == "a")', 'true'],
      ],
      cost: 'one unit, and for each element looked at the condition and 4',
    },
    exists_one: {
      doc: 'Whether the condition holds for exactly one element of a list or one key of a map.',
      forms: ['list.exists_one(x, condition)'],
      examples: [['[1, 2, 3].exists_one(x, x > 1)', 'false']],
      cost: 'two units, and for each element the condition, and 2 where it holds',
    },
    map: {
      doc: 'The list of what the expression gives for each element, or for those that the condition lets pass.',
      forms: ['list.map(x, expression)', 'list.map(x, condition, expression)'],
      examples: [
        ['[1, 2].map(x, x * 10)', '[10, 20]'],
        ['[1, 2].map(x, x > 1, x * 10)', '[20]'],
      ],
      cost: 'one unit, and for each element the expression and 12',
    },
    filter: {
      doc: 'The elements of a list, or keys of a map, for which the condition holds.',
      forms: ['list.filter(x, condition)'],
      examples: [['[1, 2, 3].filter(x, x != 2)', '[1, 3]']],
      cost: 'one unit, and for each element the condition, and 13 where it holds',
    },
  },
};

export const EXISTS_ONE: LibraryDocs = {
  title: 'existsOne',
  entries: {
    existsOne: {
      doc: 'The newer spelling of exists_one.',
      forms: ['list.existsOne(x, condition)'],
      examples: [['[1, 2, 3].existsOne(x, x > 2)', 'true']],
      cost: 'as exists_one',
    },
  },
};

export const TWO_VARIABLE: LibraryDocs = {
  title: 'Loops with two variables',
  entries: {
    all2: {
      doc: 'Whether the condition holds for every index and element of a list, or key and value of a map.',
      forms: ['list.all(i, v, condition)'],
      examples: [['{"a": 1, "b": 2}.all(k, v, v > 0)', 'true']],
      cost: 'as with one variable',
    },
    exists2: {
      doc: 'Whether the condition holds for some index and element of a list, or key and value of a map.',
      forms: ['list.exists(i, v, condition)'],
      examples: [['{"a": 1, "b": 2}.exists(k, v, k == "b" && v == 2)', 'true']],
      cost: 'as with one variable',
    },
    exists_one2: {
      doc: 'Whether the condition holds for exactly one index and element, or key and value.',
      forms: ['list.exists_one(i, v, condition)'],
      examples: [['["a", "b"].exists_one(i, v, i == 1 && v == "b")', 'true']],
      cost: 'as with one variable',
    },
    existsOne2: {
      doc: 'The newer spelling of exists_one.',
      forms: ['list.existsOne(i, v, condition)'],
      examples: [['["a", "b"].existsOne(i, v, i > 1)', 'false']],
      cost: 'as with one variable',
    },
    transformList: {
      doc: 'The list of what the expression gives for each index and element, or key and value.',
      forms: ['list.transformList(i, v, expression)', 'list.transformList(i, v, condition, expression)'],
      examples: [['["a", "b"].transformList(i, v, string(i) + v)', '["0a", "1b"]']],
      cost: 'as map',
    },
    transformMap: {
      doc: 'The map from each index or key to what the expression gives for it.',
      forms: ['map.transformMap(k, v, expression)', 'map.transformMap(k, v, condition, expression)'],
      examples: [
        ['{"a": 1}.transformMap(k, v, v + 1)', '{"a": 2}'],
        ['{"a": 1, "b": 2}.transformMap(k, v, v > 1, v)', '{"b": 2}'],
      ],
      cost: 'one unit, and for each entry the expression and 3',
    },
    transformMapEntry: {
      doc: 'The map of all entries that the expression, a map, gives; the same key twice is an error.',
      forms: ['map.transformMapEntry(k, v, {key: value})', 'map.transformMapEntry(k, v, condition, {key: value})'],
      examples: [['{"a": "x"}.transformMapEntry(k, v, {v: k})', '{"x": "a"}']],
      cost: 'one unit, and for each entry the expression and 2',
    },
  },
};

export const BINDINGS: LibraryDocs = {
  title: 'Names for values',
  entries: {
    'cel.bind': {
      doc: 'Gives a value a name; it is computed once, when the name is first used.',
      forms: ['cel.bind(name, value, expression)'],
      examples: [['cel.bind(x, [1, 2].map(e, e * 2), x[0] + x[1])', '6']],
      cost: 'the value once, and one unit for each use',
    },
  },
};

export const BLOCK: LibraryDocs = {
  title: 'Blocks',
  entries: {
    'cel.block': {
      doc: 'Gives numbers to shared parts of an expression, each computed once.',
      forms: ['cel.block([part, …], expression)'],
      examples: [['cel.block([1 + 1, cel.index(0) * 3], cel.index(1) + cel.index(0))', '8']],
      cost: 'each used part once, and one unit for each use',
    },
    'cel.index': {
      doc: 'The part of the enclosing block with this number.',
      forms: ['cel.index(n)'],
      examples: [['cel.block(["a"], cel.index(0) + cel.index(0))', '"aa"']],
    },
    'cel.iterVar': {
      doc: 'The name of the loop variable n at nesting depth d.',
      forms: ['cel.iterVar(d, n)'],
      examples: [['[1, 2].all(cel.iterVar(0, 0), cel.iterVar(0, 0) > 0)', 'true']],
    },
    'cel.accuVar': {
      doc: 'The name of the accumulator n at nesting depth d; a loop variable of that name may be read.',
      forms: ['cel.accuVar(d, n)'],
      examples: [['[1].map(cel.accuVar(0, 0), cel.accuVar(0, 0) + 1)', '[2]']],
    },
  },
};
