import { formatProblem, readManifests } from '../../../src/manifests/index.ts';
import type { Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';

/** Pieces whose combinations reach the corners of both syntaxes. */
const PIECES = [
  ...[
    'apiVersion: v1\n',
    'kind: A\n',
    'kind: List\nitems:\n',
    '- ',
    '  ',
    '\t',
    '\n',
    '\r\n',
    '---\n',
    '...\n',
    ': ',
    '"',
    "'",
  ],
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    '&a ',
    '*a',
    '<<: ',
    '!!binary ',
    '!x ',
    '|\n',
    '>-\n',
    '? ',
    '#',
    '%YAML 1.1\n',
    '0x',
    '1e400',
  ],
  ...[
    '.inf',
    '9007199254740993',
    '\ufeff',
    '\u0000',
    '\u2028',
    '\ud800',
    '"apiVersion":"v1"',
    '"kind":"A"',
    '"items":',
    'null',
  ],
  ...['\\', '\\u12', '{{', '-', '~', '__proto__', 'healthy: x\n', 'cases: []\n', '\u001f\u008b', '\u00e9'],
];

const MANIFESTS = [
  'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: A\n  metadata: {name: a, labels: {b: "c"}}\n- apiVersion: v1\n  kind: B\n  x: |\n    text\n',
  '{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"A","n":12345678901234567890,"s":"\\u0041"},{"apiVersion":"v1","kind":"B"}]}',
  'a: &a {b: 1}\nkind: A\napiVersion: v1\nc: [*a, *a]\nd:\n  <<: *a\n---\napiVersion: v1\nkind: B\nargs: [\n"x",\n]\n',
];

/** A manifest with a few places cut out, doubled or replaced by a piece. */
function mutated(random: Random): string {
  let text = random.pick(MANIFESTS);
  for (let times = 1 + random.below(4); times > 0; times -= 1) {
    const start = random.below(text.length);
    const end = start + random.below(8);
    const middle = random.chance(0.4)
      ? ''
      : random.chance(0.3)
        ? text.slice(start, end).repeat(2)
        : random.pick(PIECES);
    text = text.slice(0, start) + middle + text.slice(end);
  }
  return text;
}

function pieced(random: Random): string {
  return Array.from({ length: random.below(30) }, () => random.pick(PIECES)).join('');
}

export const manifests: FuzzTarget = {
  name: 'manifests',
  law: 'any bytes are read as objects with places, or refused in one line',
  async try(random, describe) {
    const text = random.chance(0.5) ? mutated(random) : pieced(random);
    describe(JSON.stringify(text));
    const { objects, problems } = await readManifests({ name: 'fuzz.yaml', content: new TextEncoder().encode(text) });
    for (const problem of problems) {
      const line = formatProblem(problem);
      if (/[\r\n]/.test(line) || !/^fuzz\.yaml: .+; \S/.test(line))
        throw new Error(`a problem that is not one line: ${line}`);
    }
    for (const { object, line, document } of objects) {
      if (!(line >= 1 && document >= 1)) throw new Error(`place ${document}:${line}`);
      if (typeof object['kind'] !== 'string' || typeof object['apiVersion'] !== 'string')
        throw new Error('an object without kind');
    }
    if (objects.length === 0 && problems.length === 0 && !/List|\[/.test(text))
      throw new Error('nothing read, nothing told');
  },
};
