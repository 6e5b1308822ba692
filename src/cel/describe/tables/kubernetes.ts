import { type LibraryDocs, PER_TEXT, TWICE_PER_TEXT } from '../library-docs.ts';

export const IP: LibraryDocs = {
  title: 'IP addresses',
  entries: {
    ip: {
      doc: 'The IP address of a text.',
      examples: [
        ['ip("192.168.0.1") == ip("192.168.0.1")', 'true'],
        ['ip("192.168.0.01")', 'error bad_ip'],
      ],
      cost: PER_TEXT,
    },
    isIP: { doc: 'Whether a text is an IP address.', examples: [['isIP("::1")', 'true']], cost: PER_TEXT },
    'ip.isCanonical': {
      doc: 'Whether a text is an IP address in its canonical form; an error when it is none.',
      examples: [['ip.isCanonical("0:0::1")', 'false']],
      cost: TWICE_PER_TEXT,
    },
    family: { doc: '4 or 6.', examples: [['ip("::1").family()', '6']] },
    isUnspecified: {
      doc: 'Whether an address is 0.0.0.0 or ::.',
      examples: [['ip("0.0.0.0").isUnspecified()', 'true']],
    },
    isLoopback: {
      doc: 'Whether an address is in 127.0.0.0/8 or ::1.',
      examples: [['ip("127.0.0.1").isLoopback()', 'true']],
    },
    isLinkLocalMulticast: {
      doc: 'Whether an address is in 224.0.0.0/24 or ff02::/16.',
      examples: [['ip("224.0.0.1").isLinkLocalMulticast()', 'true']],
    },
    isLinkLocalUnicast: {
      doc: 'Whether an address is in 169.254.0.0/16 or fe80::/10.',
      examples: [['ip("fe80::1").isLinkLocalUnicast()', 'true']],
    },
    isGlobalUnicast: {
      doc: 'Whether an address is a unicast one beyond its link, private ones included.',
      examples: [['ip("192.168.0.1").isGlobalUnicast()', 'true']],
    },
    string: { doc: 'The canonical text of an address.', examples: [['string(ip("0:0::1"))', '"::1"']] },
  },
};

export const CIDR: LibraryDocs = {
  title: 'Networks',
  entries: {
    cidr: {
      doc: 'The network of a text such as 10.0.0.0/8.',
      examples: [
        ['cidr("10.0.0.0/8").prefixLength()', '8'],
        ['cidr("10.0.0.0")', 'error bad_cidr'],
      ],
      cost: PER_TEXT,
    },
    isCIDR: { doc: 'Whether a text is a network.', examples: [['isCIDR("10.0.0.0/8")', 'true']], cost: PER_TEXT },
    containsIP: {
      doc: 'Whether a network contains an address.',
      examples: [
        ['cidr("10.0.0.0/8").containsIP("10.1.2.3")', 'true'],
        ['cidr("10.0.0.0/8").containsIP(ip("::1"))', 'false'],
      ],
      cost: 'a fifth of the bytes of the prefix, rounded up; of text its reading as well',
    },
    containsCIDR: {
      doc: 'Whether a network contains another.',
      examples: [['cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16")', 'true']],
      cost: 'a fifth and a tenth of the bytes of the prefix, each rounded up, and 1; of text its reading as well',
    },
    ip: { doc: 'The IP address of a network.', examples: [['string(cidr("10.1.2.3/8").ip())', '"10.1.2.3"']] },
    prefixLength: {
      doc: 'The number of leading bits that all addresses of a network share.',
      examples: [['cidr("fd00::/64").prefixLength()', '64']],
    },
    masked: {
      doc: 'The network with its host bits zero.',
      examples: [['string(cidr("10.1.2.3/8").masked())', '"10.0.0.0/8"']],
    },
    string: { doc: 'The text of a network.', examples: [['string(cidr("10.0.0.0/8"))', '"10.0.0.0/8"']] },
  },
};

export const QUANTITY: LibraryDocs = {
  title: 'Quantities',
  entries: {
    quantity: {
      doc: 'The Kubernetes quantity of a text: 100m, 1.5Gi, 12e6.',
      examples: [
        ['quantity("1Gi") == quantity("1024Mi")', 'true'],
        ['quantity("1K")', 'error bad_quantity'],
      ],
      cost: PER_TEXT,
    },
    isQuantity: {
      doc: 'Whether a text is a Kubernetes quantity.',
      examples: [['isQuantity("100m")', 'true']],
      cost: PER_TEXT,
    },
    sign: { doc: 'The sign of a quantity: -1, 0 or 1.', examples: [['sign(quantity("-1"))', '-1']] },
    isGreaterThan: {
      doc: 'Whether one quantity is greater than another.',
      examples: [['quantity("1Gi").isGreaterThan(quantity("1G"))', 'true']],
    },
    isLessThan: {
      doc: 'Whether one quantity is less than another.',
      examples: [['quantity("500m").isLessThan(quantity("1"))', 'true']],
    },
    compareTo: {
      doc: '-1, 0 or 1 as one quantity is less than, equal to or greater than another.',
      examples: [['quantity("1").compareTo(quantity("1000m"))', '0']],
    },
    asApproximateFloat: {
      doc: 'The quantity as a double, rounded.',
      examples: [['quantity("500m").asApproximateFloat()', '0.5']],
    },
    asInteger: {
      doc: 'The quantity as an int; an error when it is none.',
      examples: [
        ['quantity("2k").asInteger()', '2000'],
        ['quantity("500m").asInteger()', 'error not_an_integer'],
      ],
    },
    isInteger: { doc: 'Whether asInteger() has a value.', examples: [['quantity("500m").isInteger()', 'false']] },
    add: {
      doc: 'The sum of a quantity and a quantity or int.',
      examples: [['quantity("1Gi").add(quantity("1Gi")) == quantity("2Gi")', 'true']],
    },
    sub: {
      doc: 'The difference of a quantity and a quantity or int.',
      examples: [['quantity("3").sub(1) == quantity("2")', 'true']],
    },
  },
};

export const SEMVER: LibraryDocs = {
  title: 'Semantic versions',
  entries: {
    semver: {
      doc: 'The semantic version of a text, normalised first on request.',
      examples: [
        ['semver("1.2.3").minor()', '2'],
        ['semver("v1.2", true) == semver("1.2.0")', 'true'],
        ['semver("v1.2")', 'error bad_semver'],
      ],
      cost: PER_TEXT,
    },
    isSemver: {
      doc: 'Whether a text is a semantic version, normalised first on request.',
      examples: [['isSemver("1.2.3-rc.1")', 'true']],
      cost: PER_TEXT,
    },
    isGreaterThan: {
      doc: 'Whether one version comes after another.',
      examples: [['semver("1.10.0").isGreaterThan(semver("1.9.0"))', 'true']],
    },
    isLessThan: {
      doc: 'Whether one version comes before another.',
      examples: [['semver("1.0.0-rc.1").isLessThan(semver("1.0.0"))', 'true']],
    },
    compareTo: {
      doc: '-1, 0 or 1 as one version comes before another, is equal, or comes after it.',
      examples: [['semver("1.0.0+a").compareTo(semver("1.0.0+b"))', '0']],
    },
    major: { doc: 'The major number of a version.', examples: [['semver("1.2.3").major()', '1']] },
    minor: { doc: 'The minor number of a version.', examples: [['semver("1.2.3").minor()', '2']] },
    patch: { doc: 'The patch number of a version.', examples: [['semver("1.2.3").patch()', '3']] },
  },
};

const named = (
  name: string,
  valid: string,
  doc: string,
): { readonly [name: string]: LibraryDocs['entries'][string] } => ({
  [`format.${name}`]: {
    doc,
    examples: [[`format.${name}().validate(${JSON.stringify(valid)}).hasValue()`, 'false']],
  },
});

export const FORMAT: LibraryDocs = {
  title: 'Named formats',
  entries: {
    'format.named': {
      doc: 'The format of a name; none when there is no such format.',
      examples: [['format.named("nothing").hasValue()', 'false']],
    },
    ...named('dns1123Label', 'web-1', 'Up to 63 lower-case letters, digits and dashes: the name of most objects.'),
    ...named('dns1123Subdomain', 'web.example.com', 'Labels joined by dots, up to 253 characters.'),
    ...named('dns1035Label', 'web-1', 'A label that begins with a letter: the name of a Service.'),
    ...named('qualifiedName', 'example.com/app', 'A key of labels and annotations: a name, with or without a prefix.'),
    ...named('dns1123LabelPrefix', 'web-', 'The beginning of a label; one dash may end it.'),
    ...named('dns1123SubdomainPrefix', 'web.example-', 'The beginning of a subdomain; one dash may end it.'),
    ...named('dns1035LabelPrefix', 'web-', 'The beginning of a label that begins with a letter; one dash may end it.'),
    ...named('labelValue', '', 'The value of a label: empty, or up to 63 characters.'),
    ...named('uri', 'https://example.com/a', 'An absolute URI or an absolute path.'),
    ...named('uuid', '123e4567-e89b-12d3-a456-426614174000', 'A UUID, with or without dashes.'),
    ...named('byte', 'aGVsbG8=', 'Padded base64.'),
    ...named('date', '2024-02-29', 'A date that exists, YYYY-MM-DD.'),
    ...named('datetime', '2024-02-29T12:00:00Z', 'A time as RFC 3339 writes it.'),
    validate: {
      doc: 'What is wrong with a text under a format; none when it is valid.',
      examples: [
        ['format.dns1123Label().validate("web").hasValue()', 'false'],
        ['format.dns1123Label().validate("Web").hasValue()', 'true'],
      ],
      cost: 'a tenth of the length of the text times a quarter of that of the pattern that stands for the format',
    },
  },
};
