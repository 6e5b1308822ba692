import { createHash } from 'node:crypto';
import { plainLine } from '../../../core/errors/index.ts';
import { asList, asMap, asString } from '../../../core/object/fields.ts';
import { isLoopback, readSourceAddress, shownAddress } from '../../../core/source/index.ts';
import { type SourceCredentials, SourceError } from '../../../ports/renderer.ts';
import type { Download, Downloaded, OciLayer, OciManifest, OciRepository } from '../../../ports/source-tools.ts';
import { readChallenge } from './challenge.ts';
import { loginFor, type RegistryLogin } from './docker-config.ts';

export interface RegistryTools {
  readonly download: Download;
  /** Bytes of one layer. */
  readonly maxBytes: number;
}

const IMAGE_MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const DOCKER_MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';
const INDEXES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];
const ACCEPTED = [IMAGE_MANIFEST, DOCKER_MANIFEST, ...INDEXES].join(', ');

/** Bytes of a manifest: the limit that registries themselves have (distribution specification). */
const LARGEST_MANIFEST = 4 << 20;
const LARGEST_TOKEN = 1 << 20;
/** Bytes of a page of tags, and pages that are asked for. */
const LARGEST_PAGE = 16 << 20;
const PAGE_SIZE = 1000;
const MOST_PAGES = 100;

/** Names of repositories and tags in the distribution specification. */
const REPOSITORY = /^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(\/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

function sha256(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Reads one repository by the distribution protocol, with what it needs of Docker's token protocol. */
class Repository implements OciRepository {
  readonly shown: string;
  readonly #base: URL;
  readonly #name: string;
  readonly #login: RegistryLogin;
  readonly #credentials: SourceCredentials;
  readonly #tools: RegistryTools;
  readonly #signal: AbortSignal;
  #authorization: string | undefined;

  constructor(url: string, field: string, credentials: SourceCredentials, tools: RegistryTools, signal: AbortSignal) {
    const address = readSourceAddress(url, field, ['oci']);
    if ('problem' in address) throw new SourceError(address.problem, 'terminal');
    this.shown = address.shown.replace(/\/+$/, '');
    this.#name = address.url.pathname.replace(/^\/+|\/+$/g, '');
    if (!REPOSITORY.test(this.#name)) {
      const mend = /:[\w.-]+$|@/.test(this.#name)
        ? 'write the version as tag or digest beside it'
        : 'write oci://host/path, in lower case';
      throw new SourceError(`${field} (${plainLine(this.shown)}) names no repository; ${mend}`, 'terminal');
    }
    const host = address.url.host.toLowerCase();
    this.#base = new URL(address.url.origin.replace('//docker.io', '//registry-1.docker.io'));
    // On this machine a registry with an authority of its own speaks TLS, any other does not.
    if (credentials.certificateAuthority !== undefined) this.#base.protocol = 'https:';
    this.#login = loginFor(credentials, host);
    this.#credentials = credentials;
    this.#tools = tools;
    this.#signal = signal;
    if (this.#login.bearerToken !== undefined) this.#authorization = `Bearer ${this.#login.bearerToken}`;
  }

  async tags(): Promise<readonly string[]> {
    const tags: string[] = [];
    let url = this.#url(`tags/list?n=${PAGE_SIZE}`);
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const answer = await this.#get(url, LARGEST_PAGE, 'tags', 'application/json');
      const found = asList(asMap(await this.#json(answer, 'tags'))['tags']).filter((tag) => typeof tag === 'string');
      tags.push(...found);
      const next = /<([^>]*)>\s*;\s*rel="?next"?/i.exec(answer.header('link'))?.[1];
      if (next === undefined || found.length === 0) return tags;
      url = new URL(next, url);
      if (url.origin !== this.#base.origin)
        throw new SourceError(`${this.shown} leads to another host for its tags`, 'terminal');
    }
    throw new SourceError(`${this.shown} has more than ${MOST_PAGES * PAGE_SIZE} tags; name one`, 'terminal');
  }

  async manifest(reference: string): Promise<OciManifest> {
    return this.#manifest(reference, true);
  }

  async #manifest(reference: string, mayBeIndex: boolean): Promise<OciManifest> {
    if (!TAG.test(reference) && !DIGEST.test(reference)) {
      throw new SourceError(`${plainLine(reference)} is no tag that ${this.shown} could have`, 'terminal');
    }
    const what = DIGEST.test(reference) ? reference : `tag ${reference}`;
    const answer = await this.#get(this.#url(`manifests/${reference}`), LARGEST_MANIFEST, what, ACCEPTED);
    const bytes = await answer.bytes();
    const digest = sha256(bytes);
    const promised = DIGEST.test(reference) ? reference : answer.header('docker-content-digest');
    if (promised.startsWith('sha256:') && promised !== digest) throw this.#wrongDigest(what, promised, digest);
    const manifest = asMap(this.#parse(bytes, what));
    const type = asString(manifest['mediaType']) || (answer.header('content-type').split(';')[0] ?? '');
    if (INDEXES.includes(type) || Array.isArray(manifest['manifests'])) {
      return { ...(await this.#onlyEntry(asList(manifest['manifests']), what, mayBeIndex)), digest };
    }
    if (!Array.isArray(manifest['layers'])) {
      throw new SourceError(
        `${this.shown}: ${what} is no OCI artifact (${plainLine(type) || 'no media type'})`,
        'terminal',
      );
    }
    return { digest, layers: manifest['layers'].map((layer) => this.#layer(layer, what)) };
  }

  async #onlyEntry(entries: readonly unknown[], what: string, mayBeIndex: boolean): Promise<OciManifest> {
    const digest = asString(asMap(entries[0])['digest']);
    if (entries.length !== 1 || !DIGEST.test(digest) || !mayBeIndex) {
      throw new SourceError(
        `${this.shown}: ${what} is an index of ${entries.length} images, not one artifact; push manifests as one tar+gzip layer, or name one by digest`,
        'terminal',
      );
    }
    return this.#manifest(digest, false);
  }

  #layer(value: unknown, what: string): OciLayer {
    const { mediaType, digest, size } = asMap(value);
    if (typeof digest !== 'string' || !DIGEST.test(digest)) {
      throw new SourceError(`${this.shown}: ${what} has a layer without a sha256 digest`, 'terminal');
    }
    return { mediaType: asString(mediaType), digest, size: typeof size === 'number' ? size : 0 };
  }

  async *layer(layer: OciLayer): AsyncGenerator<Uint8Array> {
    const { maxBytes } = this.#tools;
    if (layer.size > maxBytes) {
      throw new SourceError(
        `${this.shown}: a layer of ${layer.size} bytes is more than the ${maxBytes} that are allowed`,
        'terminal',
      );
    }
    const answer = await this.#get(this.#url(`blobs/${layer.digest}`), maxBytes, `layer ${layer.digest}`, '*/*');
    const hash = createHash('sha256');
    for await (const piece of answer.body) {
      hash.update(piece);
      yield piece;
    }
    const digest = `sha256:${hash.digest('hex')}`;
    if (digest !== layer.digest) throw this.#wrongDigest('layer', layer.digest, digest);
  }

  #wrongDigest(what: string, promised: string, got: string): SourceError {
    return new SourceError(
      `${this.shown}: ${what} came with other content: ${promised} was promised, ${got} came`,
      'retry',
    );
  }

  #url(path: string): URL {
    return new URL(`/v2/${this.#name}/${path}`, this.#base);
  }

  async #json(answer: Downloaded, what: string): Promise<unknown> {
    return this.#parse(await answer.bytes(), what);
  }

  #parse(bytes: Uint8Array, what: string): unknown {
    try {
      return JSON.parse(Buffer.from(bytes).toString('utf8'));
    } catch {
      const page = /^\s*</.test(Buffer.from(bytes.subarray(0, 100)).toString('latin1'));
      const came = page ? 'a page of HTML' : 'no JSON';
      throw new SourceError(`${this.shown}: ${came} came for ${what}; is it the address of a registry?`, 'retry');
    }
  }

  /** Asks, and logs in when the registry wants that. @throws SourceError for any answer but 200 */
  async #get(url: URL, maxBytes: number, what: string, accept: string): Promise<Downloaded> {
    const ask = (): Promise<Downloaded> => this.#download(url, maxBytes, { accept }, this.#authorization);
    let answer = await ask();
    if (answer.status === 401 && this.#login.bearerToken === undefined) {
      const challenge = readChallenge(answer.header('www-authenticate'));
      if (challenge) {
        answer.discard();
        this.#authorization = challenge.scheme === 'basic' ? this.#basic() : await this.#token(challenge);
        answer = await ask();
      }
    }
    if (answer.status === 200) return answer;
    answer.discard();
    throw this.#failure(answer.status, what);
  }

  #failure(status: number, what: string): SourceError {
    switch (status) {
      case 401:
      case 403:
        return new SourceError(`${this.shown} refused to let us in; check the Secret that secretRef names`, 'retry');
      case 404:
        return new SourceError(`${this.shown} has no ${plainLine(what)}; check url, and tag or digest`, 'terminal');
      case 429:
        return new SourceError(`${this.shown} was asked too often (429); it is asked again later`, 'retry');
      default:
        return new SourceError(
          `${this.shown}: the registry answered ${status} for ${plainLine(what)}`,
          status >= 500 ? 'retry' : 'terminal',
        );
    }
  }

  #download(
    url: URL,
    maxBytes: number,
    headers: Record<string, string>,
    authorization: string | undefined,
    body?: string,
  ) {
    return this.#tools.download({
      url,
      headers,
      authorization,
      maxBytes,
      certificateAuthority: this.#credentials.certificateAuthority,
      signal: this.#signal,
      ...(body === undefined ? {} : { method: 'POST', body }),
    });
  }

  #basic(): string | undefined {
    const { username, password } = this.#login;
    if (password === undefined) return undefined;
    return `Basic ${Buffer.from(`${username ?? ''}:${password}`).toString('base64')}`;
  }

  /** A token for reading this repository: GET with Basic, or POST with a refresh token. */
  async #token({ realm, parameters }: { realm: string; parameters: ReadonlyMap<string, string> }): Promise<string> {
    if (!URL.canParse(realm)) throw new SourceError(`${this.shown}: its log-in has no address`, 'retry');
    const url = new URL(realm);
    // Else a registry could have our password sent to what listens on this machine, or in the clear.
    if (url.protocol !== 'https:' && !(isLoopback(url) && isLoopback(this.#base))) {
      throw new SourceError(`${this.shown}: its log-in (${shownAddress(url)}) is not encrypted`, 'terminal');
    }
    const service = parameters.get('service');
    const query = new URLSearchParams({
      ...(service === undefined ? {} : { service }),
      scope: parameters.get('scope') ?? `repository:${this.#name}:pull`,
    });
    const answer = await this.#askToken(url, query);
    if (answer.status !== 200) {
      answer.discard();
      throw this.#failure(answer.status === 400 ? 401 : answer.status, 'log-in');
    }
    const fields = asMap(await this.#json(answer, 'the log-in'));
    const token = asString(fields['token']) || asString(fields['access_token']);
    if (token === '' || /[^\x21-\x7e]/.test(token))
      throw new SourceError(`${this.shown}: its log-in gave no token`, 'retry');
    return `Bearer ${token}`;
  }

  #askToken(url: URL, query: URLSearchParams): Promise<Downloaded> {
    const { identityToken } = this.#login;
    if (identityToken === undefined) {
      for (const [name, value] of query) url.searchParams.set(name, value);
      return this.#download(url, LARGEST_TOKEN, { accept: 'application/json' }, this.#basic());
    }
    query.set('grant_type', 'refresh_token');
    query.set('client_id', 'convoy');
    query.set('refresh_token', identityToken);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.#download(url, LARGEST_TOKEN, headers, undefined, query.toString());
  }
}

/** A repository of a registry; nothing is asked yet. @throws SourceError for an address that names none */
export function openOciRepository(
  url: string,
  field: string,
  credentials: SourceCredentials,
  tools: RegistryTools,
  signal: AbortSignal,
): OciRepository {
  return new Repository(url, field, credentials, tools, signal);
}
