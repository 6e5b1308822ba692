import { createHash } from 'node:crypto';
import { plainLine } from '../../../core/errors/index.ts';
import { readSourceAddress, shownAddress } from '../../../core/source/index.ts';
import { type SourceCredentials, SourceError } from '../../../ports/renderer.ts';
import type { Download, Downloaded, ParseYaml } from '../../../ports/source-tools.ts';
import { type ChartEntries, type ChartVersion, readChartIndex } from './chart-index.ts';

export interface ChartRepositoryOptions {
  readonly download: Download;
  readonly parseYaml: ParseYaml;
  /** Bytes of an index, and of an archive. */
  readonly maxBytes: number;
}

/** Indexes that are remembered, each for one chart. */
const MOST_REMEMBERED = 256;
/** Bytes of an index: Helm reads any, and the largest public ones are below 50 MB. */
const LARGEST_INDEX = 128 << 20;

interface Remembered {
  readonly headers: Readonly<Record<string, string>>;
  readonly entries: ChartEntries;
}

function basicOrBearer({ username, password, bearerToken }: SourceCredentials): string | undefined {
  if (bearerToken !== undefined) return `Bearer ${bearerToken}`;
  if (password === undefined) return undefined;
  return `Basic ${Buffer.from(`${username ?? ''}:${password}`).toString('base64')}`;
}

/** Where the index of a repository is. @throws SourceError */
export function indexUrl(repo: string): URL {
  const read = readSourceAddress(repo, 'source.helm.repo.url', ['https', 'http', 'oci']);
  if ('problem' in read) throw new SourceError(read.problem, 'terminal');
  const url = new URL(read.url);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/index.yaml`;
  return url;
}

/** Charts of repositories that have an index.yaml. */
export class ChartRepositories {
  readonly #options: ChartRepositoryOptions;
  readonly #remembered = new Map<string, Remembered>();

  constructor(options: ChartRepositoryOptions) {
    this.#options = options;
  }

  /** The versions of a chart. An index that did not change is not sent again. @throws SourceError when there is no such chart */
  async versions(
    index: URL,
    chart: string,
    credentials: SourceCredentials,
    signal: AbortSignal,
  ): Promise<readonly ChartVersion[]> {
    const shown = shownAddress(index);
    const key = createHash('sha256')
      .update(JSON.stringify([index.href, chart, credentials]))
      .digest('hex');
    const before = this.#remembered.get(key);
    const answer = await this.#get(
      index,
      credentials,
      Math.min(LARGEST_INDEX, this.#options.maxBytes),
      signal,
      before?.headers,
    );
    let entries = before?.entries;
    if (answer.status === 304 && entries !== undefined) {
      answer.discard();
    } else {
      checkStatus(answer, shown, 'index.yaml');
      const text = Buffer.from(await answer.bytes()).toString('utf8');
      entries = readChartIndex(text, chart, shown, this.#options.parseYaml);
      this.#remember(key, answer, entries);
    }
    if (entries.versions === undefined) {
      const others = entries.others.length > 0 ? `; it has ${entries.others.map(plainLine).join(', ')}, …` : '';
      throw new SourceError(`${shown} has no chart ${plainLine(chart)}${others}`, 'terminal');
    }
    return entries.versions;
  }

  /** The archive of a version. Credentials go to the host of the index alone. */
  async archive(
    index: URL,
    url: URL,
    credentials: SourceCredentials,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const own = url.origin === index.origin ? credentials : withoutLogin(credentials);
    const answer = await this.#get(url, own, this.#options.maxBytes, signal);
    checkStatus(answer, shownAddress(url), 'chart');
    return answer.body;
  }

  #get(
    url: URL,
    credentials: SourceCredentials,
    maxBytes: number,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const { certificateAuthority } = credentials;
    const authorization = basicOrBearer(credentials);
    return this.#options.download({ url, headers, authorization, certificateAuthority, maxBytes, signal });
  }

  #remember(key: string, answer: Downloaded, entries: ChartEntries): void {
    const etag = answer.header('etag');
    const modified = answer.header('last-modified');
    this.#remembered.delete(key);
    if (etag === '' && modified === '') return;
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size >= MOST_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
    const headers = etag === '' ? { 'if-modified-since': modified } : { 'if-none-match': etag };
    this.#remembered.set(key, { headers, entries });
  }
}

export function withoutLogin({ certificateAuthority }: SourceCredentials): SourceCredentials {
  return certificateAuthority === undefined ? {} : { certificateAuthority };
}

function checkStatus(answer: Downloaded, shown: string, what: string): void {
  const { status } = answer;
  if (status === 200) return;
  answer.discard();
  if (status === 401 || status === 403) {
    throw new SourceError(`${shown} refused to let us in; check the Secret that secretRef names`, 'retry');
  }
  if (status === 404) throw new SourceError(`${shown}: there is no ${what}; check repo.url`, 'terminal');
  throw new SourceError(`${shown}: the chart repository answered ${status}`, 'retry');
}
