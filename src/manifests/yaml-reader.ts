import { constructFromEvents, EVENT_ID, type Event, getScalarValue, parseEvents, YAMLException } from 'js-yaml';
import { errorText } from '../core/errors/index.ts';
import { measureAliases } from './alias-growth.ts';
import { countLines } from './lines.ts';
import { DEEPEST_NESTING, type ManifestDocument, type ManifestProblem } from './manifest.ts';
import { splitYamlDocuments, type YamlDocumentText } from './yaml-documents.ts';
import { yamlLines } from './yaml-lines.ts';
import { withLooseIndentation, type YamlFault, yamlFault } from './yaml-problem.ts';
import { KUBERNETES_SCHEMA, NOT_FINITE, NotFiniteError } from './yaml-schema.ts';

/**
 * Nodes that aliases may add to a document: ten times those written, and 100,000 in any case. Real manifests repeat a few
 * dozen; nine levels of nine aliases, the classic bomb, are 400 million.
 */
const ALIAS_FACTOR = 10;
const ALIAS_FLOOR = 100_000;

/** The parser needs about 30 bytes for each byte of a document, so one document is bounded lower than a whole file. */
const LONGEST_DOCUMENT = 40_000_000;

interface ParsedYaml {
  readonly text: string;
  readonly events: Event[];
  readonly values: unknown[];
}

/** A fault that is found in the events, not by the parser. */
class EventFault extends Error {
  readonly fault: YamlFault;
  constructor(fault: YamlFault) {
    super(fault.code);
    this.fault = fault;
  }
}

function refuseAliasGrowth(text: string, events: readonly Event[]): void {
  if (!events.some((event) => event.type === EVENT_ID.ALIAS)) return;
  const growth = measureAliases(text, events);
  if ('circle' in growth) {
    const line = countLines(text, 0, growth.position);
    throw new EventFault({ code: 'YamlAliasCircle', values: { name: growth.circle }, line });
  }
  const limit = growth.written * ALIAS_FACTOR + ALIAS_FLOOR;
  if (growth.expanded > limit) {
    const firstAlias = events.find((event) => event.type === EVENT_ID.ALIAS);
    const line = countLines(text, 0, firstAlias?.type === EVENT_ID.ALIAS ? firstAlias.anchorStart : 0);
    throw new EventFault({ code: 'YamlAliasBomb', values: { written: growth.written, limit }, line });
  }
}

function notFiniteFault(text: string, events: readonly Event[], value: string): YamlFault {
  for (const event of events) {
    if (event.type === EVENT_ID.SCALAR && NOT_FINITE.test(getScalarValue(text, event))) {
      return { code: 'YamlNotFinite', values: { value }, line: countLines(text, 0, event.valueStart) };
    }
  }
  return { code: 'YamlNotFinite', values: { value }, line: 0 };
}

function parse(source: string): ParsedYaml {
  const { result: events, text } = withLooseIndentation(source, (input) =>
    parseEvents(input, { maxDepth: DEEPEST_NESTING }),
  );
  refuseAliasGrowth(text, events);
  try {
    const values = constructFromEvents(events, { source: text, schema: KUBERNETES_SCHEMA, maxTotalMergeKeys: -1 });
    return { text, events, values };
  } catch (error) {
    if (error instanceof NotFiniteError) throw new EventFault(notFiniteFault(text, events, error.message));
    throw error;
  }
}

/** The fault behind an exception of `parse`; any other exception is a defect and goes on. */
function faultOf(error: unknown): YamlFault {
  if (error instanceof EventFault) return error.fault;
  if (error instanceof YAMLException) return yamlFault(error);
  throw error;
}

function megabytes(characters: number): string {
  return `${Math.round(characters / 1_000_000)} MB`;
}

function readDocument(source: string, chunk: YamlDocumentText): ManifestDocument[] | ManifestProblem {
  const { text: whole, document, firstLine } = chunk;
  if (whole.length > LONGEST_DOCUMENT) {
    const values = { size: megabytes(whole.length), limit: megabytes(LONGEST_DOCUMENT) };
    return { source, document, line: firstLine, code: 'YamlDocumentTooLarge', values };
  }
  try {
    const { text, events, values } = parse(whole);
    const lines = yamlLines(text, events, firstLine);
    return values.map((value, place) => {
      const known = lines[place] ?? { line: firstLine };
      return { value, document, lines: () => known };
    });
  } catch (error) {
    const { code, values, line } = faultOf(error);
    return { source, document, line: firstLine + line, code, values };
  }
}

/** Every document of a YAML stream that can be read, empty ones left out, and what is wrong with the others. */
export function readYaml(
  source: string,
  stream: string,
): { documents: ManifestDocument[]; problems: ManifestProblem[] } {
  const documents: ManifestDocument[] = [];
  const problems: ManifestProblem[] = [];
  for (const chunk of splitYamlDocuments(stream)) {
    const read = readDocument(source, chunk);
    if (!Array.isArray(read)) problems.push(read);
    else for (const one of read) if (one.value !== null && one.value !== undefined) documents.push(one);
  }
  return { documents, problems };
}

/** The value of a text that holds one YAML document, undefined when it holds none. Throws an Error: `line L: what; mend`. */
export function parseYaml(text: string): unknown {
  const { documents, problems } = readYaml('', text);
  const [problem] = problems;
  if (problem !== undefined) throw new Error(`line ${problem.line}: ${errorText(problem.code, problem.values)}`);
  return documents[0]?.value;
}
