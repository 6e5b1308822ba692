import { asMap } from '../../core/object/fields.ts';
import type { Aggregator } from '../aggregation/aggregator.ts';
import { evictPod } from '../api/eviction.ts';
import type { ObjectApi } from '../api/object-api.ts';
import { StatusError } from '../objects/status-error.ts';
import { requestToken } from './account-token.ts';
import {
  aggregatedDiscovery,
  groupList,
  groupOf,
  resourceList,
  type ServedVersion,
  servedVersions,
} from './discovery.ts';
import { emptyOpenApi, openApiDocument, openApiIndex } from './openapi.ts';
import { podLog, type ReadLog } from './pod-logs.ts';
import { deleteOptions } from './query-options.ts';
import { type Answer, type ApiRequest, accepts, jsonBody, type StreamAnswer } from './request.ts';
import { ResourceRoutes, type Target } from './resource-routes.ts';
import { type Access, answerReview, isReviewGroup } from './reviews.ts';
import type { After } from './watch.ts';

/** The version that the sandbox says it is; its behaviour follows it. */
export const SERVED_VERSION = 'v1.35.0';

const UNKNOWN = 'the server could not find the requested resource';

export interface RouterParts {
  readonly api: ObjectApi;
  readonly aggregator: Aggregator;
  readonly access: Access;
  readonly after: After;
  readonly readLog: ReadLog;
}

/** Finds what answers a request. */
export class Router {
  readonly #api: ObjectApi;
  readonly #aggregator: Aggregator;
  readonly #access: Access;
  readonly #objects: ResourceRoutes;
  readonly #readLog: ReadLog;

  constructor({ api, aggregator, access, after, readLog }: RouterParts) {
    this.#api = api;
    this.#aggregator = aggregator;
    this.#access = access;
    this.#objects = new ResourceRoutes(api, after);
    this.#readLog = readLog;
  }

  /** Rejects with a StatusError for every refusal. */
  async answer(request: ApiRequest): Promise<Answer | StreamAnswer> {
    const [root = '', ...rest] = request.path;
    switch (root) {
      case 'api':
      case 'apis':
        return this.#versions(request, root, rest);
      case 'openapi':
        return this.#openApi(rest);
      case 'version':
        return { code: 200, body: version() };
      case 'healthz':
      case 'livez':
      case 'readyz':
        return { code: 200, body: 'ok', contentType: 'text/plain' };
      case '':
        return { code: 200, body: { paths: ['/api', '/apis', '/openapi/v3', '/readyz', '/version'] } };
      default:
        throw new StatusError('NotFound', UNKNOWN);
    }
  }

  async #served(): Promise<ServedVersion[]> {
    return servedVersions(this.#api.registry, await this.#aggregator.versions());
  }

  async #discovery(request: ApiRequest, root: 'api' | 'apis'): Promise<Answer> {
    const choice = accepts(request).find(
      ({ as, version: its }) => as === '' || (as === 'APIGroupDiscoveryList' && ['v2', 'v2beta1'].includes(its)),
    );
    if (choice?.as === 'APIGroupDiscoveryList') {
      return {
        code: 200,
        body: aggregatedDiscovery(await this.#served(), root, choice.version),
        contentType: `application/json;g=apidiscovery.k8s.io;v=${choice.version};as=APIGroupDiscoveryList`,
      };
    }
    if (root === 'apis') return { code: 200, body: groupList(await this.#served()) };
    return { code: 200, body: { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] } };
  }

  #openApi([version, ...root]: readonly string[]): Answer {
    if (version === 'v2' && root.length === 0) return emptyOpenApi(SERVED_VERSION);
    if (version !== 'v3') throw new StatusError('NotFound', UNKNOWN);
    if (root.length === 0) return { code: 200, body: openApiIndex(this.#api.registry) };
    const [group = '', its = ''] = root[0] === 'api' ? ['', root[1]] : root.slice(1);
    return found(openApiDocument(this.#api.registry, group, its));
  }

  async #versions(request: ApiRequest, root: 'api' | 'apis', rest: readonly string[]): Promise<Answer | StreamAnswer> {
    const [group, itsVersion, ...path] = root === 'api' ? ['', ...rest] : rest;
    if (group === undefined || (root === 'api' && itsVersion === undefined)) return this.#discovery(request, root);
    if (itsVersion === undefined) return found(groupOf(await this.#served(), group));
    if (path.length === 0) return found(resourceList(this.#api.registry, group, itsVersion));
    if (isReviewGroup(group)) return answerReview(request, this.#access, this.#api.world.now());
    const target = this.#target(group, itsVersion, path);
    if (target.subresource === 'log') {
      const pod = this.#api.get(target.resource, target.namespace, target.name);
      return podLog(this.#api, pod, this.#readLog, request.query);
    }
    if (target.subresource === 'token') {
      const account = this.#api.get(target.resource, target.namespace, target.name);
      return requestToken(request, account, this.#access, this.#api.world.now());
    }
    if (target.subresource === 'eviction') return this.#evict(request, target);
    return this.#objects.answer(request, target);
  }

  /** `namespaces/NS/RESOURCE/NAME/SUBRESOURCE` or `RESOURCE/NAME/SUBRESOURCE`; a namespace itself is a resource too. */
  #target(group: string, itsVersion: string, path: readonly string[]): Target {
    const [first = '', second = '', third] = path;
    const inNamespace = first === 'namespaces' && third !== undefined && !['status', 'finalize'].includes(third);
    const [plural = '', name = '', subresource = '', ...more] = inNamespace ? path.slice(2) : path;
    const resource = this.#api.registry.find(group, itsVersion, plural);
    if (resource === undefined || more.length > 0) throw new StatusError('NotFound', UNKNOWN);
    if (subresource !== '' && !resource.subresources.includes(subresource)) throw new StatusError('NotFound', UNKNOWN);
    if (resource.namespaced !== inNamespace && (name !== '' || inNamespace)) throw new StatusError('NotFound', UNKNOWN);
    return { resource, namespace: inNamespace ? second : '', name, subresource };
  }

  #evict(request: ApiRequest, { namespace, name }: Target): Answer {
    if (request.method !== 'POST') throw new StatusError('MethodNotAllowed', 'an eviction can only be created');
    const body = asMap(jsonBody(request));
    const options = deleteOptions(request.query, asMap(body['deleteOptions']));
    evictPod(this.#api, { namespace, name }, body, options);
    return { code: 201, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' } };
  }
}

function found(body: unknown): Answer {
  if (body === undefined) throw new StatusError('NotFound', UNKNOWN);
  return { code: 200, body };
}

function version(): Record<string, string> {
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(SERVED_VERSION) ?? [];
  return {
    major,
    minor,
    gitVersion: `${SERVED_VERSION}+convoy-sandbox`,
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: 'node',
    platform: 'linux/amd64',
  };
}
