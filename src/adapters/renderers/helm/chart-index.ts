import { plainLine } from '../../../core/errors/index.ts';
import { asList, asMap, asString, isMap } from '../../../core/object/fields.ts';
import { SourceError } from '../../../ports/renderer.ts';
import type { ParseYaml } from '../../../ports/source-tools.ts';

/** One version of a chart in the index of its repository. */
export interface ChartVersion {
  readonly version: string;
  /** 64 hex digits, or ''. */
  readonly digest: string;
  /** Where its archive is, maybe relative to the index; ''. */
  readonly url: string;
  readonly created: string;
}

export interface ChartEntries {
  /** Undefined: there is no such chart. */
  readonly versions: readonly ChartVersion[] | undefined;
  /** Some charts that there are, for messages. */
  readonly others: readonly string[];
}

/** Names of other charts in a message. */
const MOST_NAMES = 5;

function versionsOf(value: unknown): readonly ChartVersion[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map(asMap).map((entry) => ({
    version: String(entry['version'] ?? ''),
    digest: asString(entry['digest']).replace(/^sha256:/, ''),
    url: asString(asList(entry['urls'])[0]),
    created: String(entry['created'] ?? ''),
  }));
}

function whole(index: unknown, chart: string): ChartEntries | undefined {
  const entries = isMap(index) ? index['entries'] : undefined;
  // A repository without charts writes `entries: {}`; some leave it empty.
  if (!isMap(index) || !('entries' in index) || (entries !== null && !isMap(entries))) return undefined;
  const map = asMap(entries);
  const versions = Object.hasOwn(map, chart) ? versionsOf(map[chart]) : undefined;
  return { versions, others: Object.keys(map).slice(0, MOST_NAMES) };
}

const KEY = /^ {2}"?'?([^\s"'#:-][^\s"':]*)"?'?:\s*$/;

/**
 * The entries of one chart cut out of an index as Helm itself writes it: two spaces before each name. Indexes of 20 MB are common, and
 * reading all of that YAML would hold the process for seconds. Undefined where the text looks otherwise.
 */
function cutOut(text: string, chart: string, parseYaml: ParseYaml): ChartEntries | undefined {
  const start = /^entries:[ \t]*$/m.exec(text);
  if (!start) return undefined;
  const others: string[] = [];
  const kept: string[] = [];
  let inside = false;
  for (let at = start.index + start[0].length + 1; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? text.length : end).replace(/\r$/, '');
    at = end < 0 ? text.length : end + 1;
    if (/^[^\s#]/.test(line)) break;
    const name = KEY.exec(line)?.[1];
    if (name !== undefined) {
      inside = name === chart;
      if (others.length < MOST_NAMES) others.push(name);
    } else if (/^ {0,2}[^\s#-]/.test(line)) {
      return undefined;
    }
    if (inside) kept.push(line);
  }
  if (others.length === 0) return undefined;
  if (kept.length === 0) return { versions: undefined, others };
  const versions = versionsOf(asMap(parseYaml(kept.join('\n')))[chart]);
  return versions && { versions, others };
}

/** The versions of one chart in the text of an index. @throws SourceError for what is no index */
export function readChartIndex(text: string, chart: string, shown: string, parseYaml: ParseYaml): ChartEntries {
  let found: ChartEntries | undefined;
  let reason = '';
  try {
    if (text.trimStart().startsWith('{')) found = whole(JSON.parse(text), chart);
    else found = cutOut(text, chart, parseYaml) ?? whole(parseYaml(text), chart);
  } catch (error) {
    reason = error instanceof Error ? ` (${plainLine(error.message).slice(0, 200)})` : '';
  }
  if (found) return found;
  const page = /^\s*</.test(text) ? 'a page of HTML' : `no index of charts${reason}`;
  throw new SourceError(`${shown}: ${page} came; is it the address of a chart repository?`, 'retry');
}
