import { countLines } from './lines.ts';

/** One document of a YAML stream, as text. */
export interface YamlDocumentText {
  readonly text: string;
  /** One-based number in the stream. */
  readonly document: number;
  /** One-based line of the stream on which the text starts. */
  readonly firstLine: number;
}

/** A line that starts with `---` and ends there or goes on with a space always starts a document, whatever it stands in. */
const SEPARATOR = /^---(?=[ \t\r\n]|$)/gm;
/** A line with content: neither blank nor a comment nor a directive. */
const CONTENT = /^[ \t\ufeff]*[^\s#%\ufeff]/m;

/**
 * Splits a stream into its documents, so that one that cannot be read does not hide the others and memory stays bounded by
 * the largest. What stands before the first separator joins the first document unless it is one itself.
 */
export function* splitYamlDocuments(stream: string): Generator<YamlDocumentText> {
  let start = 0;
  let line = 1;
  let document = 1;
  for (const { index } of stream.matchAll(SEPARATOR)) {
    const text = stream.slice(start, index);
    if (start === 0 && !CONTENT.test(text)) continue;
    yield { text, document, firstLine: line };
    line += countLines(stream, start, index);
    start = index;
    document += 1;
  }
  yield { text: start === 0 ? stream : stream.slice(start), document, firstLine: line };
}
