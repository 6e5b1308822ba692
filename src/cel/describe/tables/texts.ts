import { type LibraryDocs, PER_PATTERN, PER_TEXT, TWICE_PER_TEXT } from '../library-docs.ts';

const PER_BYTE = 'a tenth of the bytes of the text, rounded down';

export const STRINGS: LibraryDocs = {
  title: 'Text',
  entries: {
    charAt: {
      examples: [
        ['"wörld".charAt(1)', '"ö"'],
        ['"abc".charAt(3)', '""'],
        ['"abc".charAt(4)', 'error index_out_of_bounds'],
      ],
    },
    indexOf: {
      examples: [
        ['"a-b-c".indexOf("-")', '1'],
        ['"a-b-c".indexOf("-", 2)', '3'],
      ],
      cost: PER_BYTE,
    },
    lastIndexOf: { examples: [['"a-b-c".lastIndexOf("-")', '3']], cost: PER_BYTE },
    lowerAscii: { examples: [['"ReadyÄ".lowerAscii()', '"readyÄ"']], cost: PER_TEXT },
    upperAscii: { examples: [['"Ready".upperAscii()', '"READY"']], cost: PER_TEXT },
    replace: {
      examples: [
        ['"a.b.c".replace(".", "-")', '"a-b-c"'],
        ['"a.b.c".replace(".", "-", 1)', '"a-b.c"'],
      ],
      cost: TWICE_PER_TEXT,
    },
    split: {
      examples: [
        ['"a/b/c".split("/")', '["a", "b", "c"]'],
        ['"a/b/c".split("/", 2)', '["a", "b/c"]'],
      ],
      cost: TWICE_PER_TEXT,
    },
    substring: {
      examples: [
        ['"registry/app".substring(9)', '"app"'],
        ['"registry/app".substring(0, 8)', '"registry"'],
      ],
      cost: PER_TEXT,
    },
    trim: { examples: [['"  a b ".trim()', '"a b"']], cost: PER_TEXT },
    join: {
      examples: [
        ['["a", "b"].join(", ")', '"a, b"'],
        ['["a", "b"].join()', '"ab"'],
      ],
      cost: 'a fifth of the length of the result, rounded up',
    },
    format: {
      examples: [
        ['"%d of %s ready".format([1, "3"])', '"1 of 3 ready"'],
        ['"%.2f %x %s".format([1.005, 255, [1, "a"]])', '"1.00 ff [1, a]"'],
      ],
      cost: 'a tenth of the length of the template, rounded up',
    },
    'strings.quote': { examples: [['strings.quote("a\\tb")', 'r\'"a\\tb"\'']], cost: PER_TEXT },
    reverse: { examples: [['"abc".reverse()', '"cba"']] },
  },
};

export const KUBERNETES_REGEX: LibraryDocs = {
  title: 'Searching by pattern',
  entries: {
    find: {
      examples: [
        ['"app:1.2.3".find("[0-9]+")', '"1"'],
        ['"app".find("[0-9]+")', '""'],
      ],
      cost: PER_PATTERN,
    },
    findAll: {
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
      examples: [
        ['regex.extract("app:1.2", ":(.*)")', 'optional.of("1.2")'],
        ['regex.extract("app", ":(.*)")', 'optional.none()'],
      ],
      cost: PER_PATTERN,
    },
    'regex.extractAll': { examples: [['regex.extractAll("a=1,b=2", "([a-z])=")', '["a", "b"]']], cost: PER_PATTERN },
    'regex.replace': {
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
    'base64.encode': { examples: [['base64.encode(b"hello")', '"aGVsbG8="']], cost: PER_TEXT },
    'base64.decode': {
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
      examples: [['jsonpatch.escapeKey("example.com/a~b")', '"example.com~1a~0b"']],
      cost: PER_TEXT,
    },
  },
};

export const URLS: LibraryDocs = {
  title: 'URLs',
  entries: {
    url: {
      examples: [
        ['url("https://example.com/a").getHost()', '"example.com"'],
        ['url("example.com")', 'error bad_url'],
      ],
      cost: PER_TEXT,
    },
    isURL: { examples: [['isURL("https://example.com")', 'true']] },
    getScheme: { examples: [['url("https://example.com/").getScheme()', '"https"']] },
    getHost: { examples: [['url("https://[::1]:80/").getHost()', '"[::1]:80"']] },
    getHostname: { examples: [['url("https://[::1]:80/").getHostname()', '"::1"']] },
    getPort: { examples: [['url("https://example.com:8080/").getPort()', '"8080"']] },
    getEscapedPath: { examples: [['url("https://example.com/a b").getEscapedPath()', '"/a%20b"']] },
    getQuery: { examples: [['url("https://example.com/?a=1&a=2").getQuery()', '{"a": ["1", "2"]}']] },
  },
};
