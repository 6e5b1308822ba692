import { type LibraryDocs, PER_PATTERN, PER_TEXT, TWICE_PER_TEXT } from '../library-docs.ts';

const PER_BYTE = 'a tenth of the bytes of the text, rounded down';

export const STRINGS: LibraryDocs = {
  title: 'Text',
  entries: {
    charAt: {
      doc: 'The character at a position; empty just behind the last.',
      examples: [
        ['"wörld".charAt(1)', '"ö"'],
        ['"abc".charAt(3)', '""'],
        ['"abc".charAt(4)', 'error index_out_of_bounds'],
      ],
    },
    indexOf: {
      doc: 'Position of the first occurrence, -1 when there is none.',
      examples: [
        ['"a-b-c".indexOf("-")', '1'],
        ['"a-b-c".indexOf("-", 2)', '3'],
      ],
      cost: PER_BYTE,
    },
    lastIndexOf: {
      doc: 'Position of the last occurrence, -1 when there is none.',
      examples: [['"a-b-c".lastIndexOf("-")', '3']],
      cost: PER_BYTE,
    },
    lowerAscii: {
      doc: 'Changes the case of ASCII letters only.',
      examples: [['"ReadyÄ".lowerAscii()', '"readyÄ"']],
      cost: PER_TEXT,
    },
    upperAscii: {
      doc: 'Changes the case of ASCII letters only.',
      examples: [['"Ready".upperAscii()', '"READY"']],
      cost: PER_TEXT,
    },
    replace: {
      doc: 'Replaces all or the first n occurrences of a text.',
      examples: [
        ['"a.b.c".replace(".", "-")', '"a-b-c"'],
        ['"a.b.c".replace(".", "-", 1)', '"a-b.c"'],
      ],
      cost: TWICE_PER_TEXT,
    },
    split: {
      doc: 'The pieces between a separator, at most n.',
      examples: [
        ['"a/b/c".split("/")', '["a", "b", "c"]'],
        ['"a/b/c".split("/", 2)', '["a", "b/c"]'],
      ],
      cost: TWICE_PER_TEXT,
    },
    substring: {
      doc: 'The characters from a position to before another.',
      examples: [
        ['"registry/app".substring(9)', '"app"'],
        ['"registry/app".substring(0, 8)', '"registry"'],
      ],
      cost: PER_TEXT,
    },
    trim: {
      doc: 'The string without Unicode white space at both ends.',
      examples: [['"  a b ".trim()', '"a b"']],
      cost: PER_TEXT,
    },
    join: {
      doc: 'The strings of a list as one, with a separator between them.',
      examples: [
        ['["a", "b"].join(", ")', '"a, b"'],
        ['["a", "b"].join()', '"ab"'],
      ],
      cost: 'a fifth of the length of the result, rounded up',
    },
    format: {
      doc: 'Fills the clauses of a template (%s %d %f %e %b %o %x %X) with the elements of a list.',
      examples: [
        ['"%d of %s ready".format([1, "3"])', '"1 of 3 ready"'],
        ['"%.2f %x %s".format([1.005, 255, [1, "a"]])', '"1.00 ff [1, a]"'],
      ],
      cost: 'a tenth of the length of the template, rounded up',
    },
    'strings.quote': {
      doc: 'The string in double quotes with escapes.',
      examples: [['strings.quote("a\\tb")', 'r\'"a\\tb"\'']],
      cost: PER_TEXT,
    },
    reverse: { doc: 'The characters in reverse order.', examples: [['"abc".reverse()', '"cba"']] },
  },
};

export const KUBERNETES_REGEX: LibraryDocs = {
  title: 'Searching by pattern',
  entries: {
    find: {
      doc: 'The leftmost match of an RE2 pattern, empty when there is none.',
      examples: [
        ['"app:1.2.3".find("[0-9]+")', '"1"'],
        ['"app".find("[0-9]+")', '""'],
      ],
      cost: PER_PATTERN,
    },
    findAll: {
      doc: 'All matches of an RE2 pattern that do not overlap, or the first n.',
      examples: [
        ['"1.2.3".findAll("[0-9]")', '["1", "2", "3"]'],
        ['"1.2.3".findAll("[0-9]", 2)', '["1", "2"]'],
      ],
      cost: PER_PATTERN,
    },
  },
};

export const REGEX: LibraryDocs = {
  title: 'Extracting and replacing by pattern',
  entries: {
    'regex.extract': {
      doc: 'The first match, or what its one group captured.',
      examples: [
        ['regex.extract("app:1.2", ":(.*)")', 'optional.of("1.2")'],
        ['regex.extract("app", ":(.*)")', 'optional.none()'],
      ],
      cost: PER_PATTERN,
    },
    'regex.extractAll': {
      doc: 'All matches, or what their one group captured.',
      examples: [['regex.extractAll("a=1,b=2", "([a-z])=")', '["a", "b"]']],
      cost: PER_PATTERN,
    },
    'regex.replace': {
      doc: 'The text with matches replaced; \\1 stands for the first group.',
      examples: [
        ['regex.replace("1.28", r"(\\d)\\.(\\d+)", r"\\2/\\1")', '"28/1"'],
        ['regex.replace("aaa", "a", "b", 2)', '"bba"'],
      ],
      cost: PER_PATTERN,
    },
  },
};

export const ENCODERS: LibraryDocs = {
  title: 'Base64',
  entries: {
    'base64.encode': {
      doc: 'Padded base64 text of bytes.',
      examples: [['base64.encode(b"hello")', '"aGVsbG8="']],
      cost: PER_TEXT,
    },
    'base64.decode': {
      doc: 'The bytes of base64 text, padded or not.',
      examples: [
        ['string(base64.decode("aGVsbG8"))', '"hello"'],
        ['base64.decode("?")', 'error bad_argument'],
      ],
      cost: PER_TEXT,
    },
  },
};

export const JSONPATCH: LibraryDocs = {
  title: 'JSON pointers',
  entries: {
    'jsonpatch.escapeKey': {
      doc: 'A key escaped for a JSON pointer: ~ as ~0, / as ~1.',
      examples: [['jsonpatch.escapeKey("example.com/a~b")', '"example.com~1a~0b"']],
      cost: PER_TEXT,
    },
  },
};

export const URLS: LibraryDocs = {
  title: 'URLs',
  entries: {
    url: {
      doc: 'The URL of a text: an absolute URI or an absolute path.',
      examples: [
        ['url("https://example.com/a").getHost()', '"example.com"'],
        ['url("example.com")', 'error bad_url'],
      ],
      cost: PER_TEXT,
    },
    isURL: {
      doc: 'Whether a text is an absolute URI or an absolute path.',
      examples: [['isURL("https://example.com")', 'true']],
    },
    getScheme: { doc: 'The scheme in lower case.', examples: [['url("https://example.com/").getScheme()', '"https"']] },
    getHost: { doc: 'The host with its port.', examples: [['url("https://[::1]:80/").getHost()', '"[::1]:80"']] },
    getHostname: {
      doc: 'The host without port and brackets.',
      examples: [['url("https://[::1]:80/").getHostname()', '"::1"']],
    },
    getPort: { doc: 'The port.', examples: [['url("https://example.com:8080/").getPort()', '"8080"']] },
    getEscapedPath: {
      doc: 'The path, escaped.',
      examples: [['url("https://example.com/a b").getEscapedPath()', '"/a%20b"']],
    },
    getQuery: {
      doc: 'The values of each name in the query.',
      examples: [['url("https://example.com/?a=1&a=2").getQuery()', '{"a": ["1", "2"]}']],
    },
  },
};
