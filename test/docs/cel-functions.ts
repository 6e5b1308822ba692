/** The parts of docs/spec/cel.md that are made from the engine itself. */

import { LIBRARY_DOCS } from '../../src/cel/describe/library-tables.ts';
import { createEnvironment } from '../../src/cel/index.ts';
import { KUBERNETES_MINORS, librariesOf } from '../../src/cel/libraries/version-sets.ts';
import { describe, type FunctionDoc } from '../../src/cel/tools.ts';

/** A function or macro with all its signatures. */
interface Row {
  readonly name: string;
  readonly signatures: readonly string[];
  readonly since: string;
  readonly documentation: string;
  readonly cost: string;
}

const ALL_VERSIONS = `1.${KUBERNETES_MINORS[0]}`;

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** Signatures that differ in types only, as one: `size(string or bytes) → int`. */
function merged(signatures: readonly string[]): readonly string[] {
  const groups = new Map<string, { parts: string[][]; frame: string }>();
  for (const signature of signatures) {
    const match = /^(?:(.*)\.)?([\w.]+)\((.*)\) → (.*)$/.exec(signature);
    if (!match || signatures.length < 3) {
      groups.set(signature, { parts: [], frame: signature });
      continue;
    }
    const { receiver, name, params, result } = split(signature);
    const key = `${receiver === '' ? 'global' : 'member'} ${name} ${params.length}`;
    const frame = `${receiver === '' ? '' : '$0.'}${name}(${params.map((_, index) => `$${index + 1}`).join(', ')}) → $r`;
    const group = groups.get(key) ?? { parts: [[], [], ...params.map(() => [])], frame };
    [receiver, result, ...params].forEach((type, index) => {
      const known = group.parts[index]!;
      if (!known.includes(type)) known.push(type);
    });
    groups.set(key, group);
  }
  return [...groups.values()].map(({ parts, frame }) => {
    const [receiver = [], result = [], ...params] = parts;
    const inner = elements(receiver);
    const results = inner && inner.join() === result.join() ? 'the element' : result.join(' or ');
    return frame
      .replace(/\$(\d)/g, (_, digit: string) =>
        digit === '0' ? parenthesised(receiver) : either(params[Number(digit) - 1] ?? []),
      )
      .replace('$r', results);
  });
}

/** The element types of types that are all lists. */
function elements(types: readonly string[]): readonly string[] | undefined {
  const inner = types.map((type) => /^list\((.*)\)$/.exec(type)?.[1]);
  return types.length > 1 && inner.every((each) => each !== undefined) ? inner.map(String) : undefined;
}

function either(types: readonly string[]): string {
  const inner = elements(types);
  return inner ? `list(${inner.join(' or ')})` : types.join(' or ');
}

function parenthesised(types: readonly string[]): string {
  return types.length > 1 && !elements(types) ? `(${types.join(' or ')})` : either(types);
}

function split(signature: string): { receiver: string; name: string; params: string[]; result: string } {
  const [call = '', result = ''] = signature.split(' → ');
  let depth = 0;
  let open = call.length - 1;
  for (; open >= 0; open -= 1) {
    if (call[open] === ')') depth += 1;
    if (call[open] === '(') depth -= 1;
    if (depth === 0) break;
  }
  const head = call.slice(0, open);
  const params: string[] = [];
  let text = '';
  depth = 0;
  for (const character of call.slice(open + 1, -1)) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) {
      params.push(text.trim());
      text = '';
    } else text += character;
  }
  if (text.trim() !== '') params.push(text.trim());
  const member = /^(.*[\w)])\.(\w+)$/.exec(head);
  const namespaced = member && /^[a-z][A-Za-z0-9]*$/.test(member[1] ?? '') && NAMESPACES.has(member[1] ?? '');
  if (!member || namespaced) return { receiver: '', name: head, params, result };
  return { receiver: member[1] ?? '', name: member[2] ?? '', params, result };
}

const NAMESPACES = new Set([
  'math',
  'sets',
  'strings',
  'lists',
  'regex',
  'base64',
  'optional',
  'format',
  'ip',
  'jsonpatch',
  'cel',
]);

function rowsOf(library: string, docs: readonly FunctionDoc[]): readonly Row[] {
  const keys = new Map<string, FunctionDoc[]>();
  for (const doc of docs.filter((each) => each.library === library)) {
    const key = `${doc.kind} ${doc.name} ${doc.documentation} ${doc.since}`;
    keys.set(key, [...(keys.get(key) ?? []), doc]);
  }
  return [...keys.values()].map((group) => {
    const [first] = group;
    const since = first?.since === ALL_VERSIONS ? 'all' : (first?.since ?? '–');
    const signatures = merged(group.map(({ signature }) => signature.replaceAll('google.protobuf.', '')));
    return { name: first!.name, signatures, since, documentation: first!.documentation, cost: first!.cost };
  });
}

function libraryPart(library: string, docs: readonly FunctionDoc[]): string {
  const rows = rowsOf(library, docs).map(({ signatures, since, documentation, cost }) => {
    const calls = signatures.map((each) => `\`${cell(each)}\``).join('<br>');
    return `| ${calls} | ${cell(documentation)} | ${since} | ${cost === 'one unit' ? '' : cell(cost)} |`;
  });
  const seen = new Set<string>();
  const examples = docs
    .filter((doc) => doc.library === library)
    .flatMap((doc) => doc.examples.map(({ expression, result }) => `${expression} // → ${result}`))
    .filter((line) => !seen.has(line) && seen.add(line));
  return [
    `### ${LIBRARY_DOCS[library]?.title} (\`${library}\`)`,
    '',
    '| call | what it gives | since | cost |',
    '|---|---|---|---|',
    ...rows,
    '',
    '```cel',
    ...examples,
    '```',
    '',
  ].join('\n');
}

/** The tables of all functions and macros, one section a library. */
export function functionsPart(): string {
  const docs = describe(createEnvironment());
  const libraries = Object.keys(LIBRARY_DOCS).filter((library) => docs.some((doc) => doc.library === library));
  return libraries.map((library) => libraryPart(library, docs)).join('\n');
}

function namesOf(version: string): ReadonlySet<string> {
  return new Set(librariesOf(version, []).libraries.map(({ name }) => name));
}

/** Which library came with which version. */
export function versionsPart(): string {
  const convoy = namesOf('convoy');
  const celGo = namesOf('cel-go');
  const rows = Object.keys(LIBRARY_DOCS).map((library) => {
    const first = KUBERNETES_MINORS.find((minor) => namesOf(`1.${minor}`).has(library));
    const since = first === undefined ? '–' : first === KUBERNETES_MINORS[0] ? 'all' : `1.${first}`;
    const mark = (has: boolean): string => (has ? 'yes' : '–');
    const title = LIBRARY_DOCS[library]?.title ?? library;
    return `| \`${library}\` | ${title} | ${since} | ${mark(convoy.has(library))} | ${mark(celGo.has(library))} |`;
  });
  return ['| library | holds | Kubernetes | `convoy` | `cel-go` |', '|---|---|---|---|---|', ...rows, ''].join('\n');
}

/** The page with its made parts put in. */
export function withMadeParts(page: string): string {
  return put(put(page, 'functions', functionsPart()), 'versions', versionsPart());
}

function put(page: string, name: string, made: string): string {
  const start = page.indexOf(`<!-- ${name}: `);
  const from = page.indexOf('\n', start) + 1;
  const to = page.indexOf(`<!-- end of ${name} -->`);
  if (start < 0 || to < from) throw new Error(`the page has no place for its ${name}`);
  return `${page.slice(0, from)}\n${made}\n${page.slice(to)}`;
}
