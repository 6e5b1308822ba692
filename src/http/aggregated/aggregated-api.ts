import type { IncomingMessage } from 'node:http';
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';
import { type Release, type ReleaseInventory, SUBRESOURCES_GROUP, VERSION } from '../../core/api/index.ts';
import { type HealthState, STATES_WORST_FIRST } from '../../core/health/index.ts';
import { isMap } from '../../core/object/fields.ts';
import { entriesOf, pagesOf } from '../../core/release/inventory/index.ts';
import { releaseHealthOf } from '../../core/release/view/release-health.ts';
import type { Access, AccessReviews } from './access-reviews.ts';
import { DISCOVERY } from './discovery.ts';
import { type FrontProxy, requesterOf } from './front-proxy.ts';
import { healthTable, wantsTable } from './health-table.ts';
import { Refusal } from './refusal.ts';

/** Why a sync is asked for. */
export const SYNC_REASONS = ['Observed', 'Drift', 'Manual', 'Retry'] as const;
export type SyncReason = (typeof SYNC_REASONS)[number];

/** What the API needs to know of Releases. */
export interface ReleaseReader {
  /** Whether everything that is on the cluster is known by now. */
  readonly synced: boolean;
  release(namespace: string, name: string): Release | undefined;
  /** Pages of inventories in a namespace. */
  inventories(namespace: string, release: string): readonly ReleaseInventory[];
}

export interface AggregatedApiOptions {
  /** Undefined while it is not known: nobody gets in. */
  readonly frontProxy: () => FrontProxy | undefined;
  readonly reviews: AccessReviews;
  readonly releases: ReleaseReader;
  /** Lets the Release be reconciled now, here or wherever its owner is. */
  readonly requestSync: (release: Release, reason: SyncReason) => Promise<void>;
  readonly server?: Pick<FastifyServerOptions, 'serverFactory'>;
  /** What went wrong although the request was right. */
  readonly onError?: (error: Error) => void;
}

const ROOT = `/apis/${SUBRESOURCES_GROUP}/${VERSION}/namespaces/:namespace/releases/:name`;
/** Bytes of a body: a reason is one word. */
const BODY_LIMIT = 4_096;
/** Characters of a namespace or a name in a path. */
const LONGEST_NAME = 253;
const UNKNOWN = 'the server could not find the requested resource';

interface ReleasePath {
  readonly namespace: string;
  readonly name: string;
}

/** The API server of /health and /sync. It listens, or its handler is called, once it is `ready()`. */
export function aggregatedApi(options: AggregatedApiOptions): FastifyInstance {
  const app = fastify({
    ...options.server,
    logger: false,
    bodyLimit: BODY_LIMIT,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: LONGEST_NAME },
    frameworkErrors: (error, _, reply) => refuse(reply, error, options),
  });
  // Bodies are read as texts: what is wrong with one is told in a Status.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_, body, done) => done(null, body));
  app.setErrorHandler((error, _, reply) => refuse(reply, error, options));
  app.setNotFoundHandler(() => {
    throw new Refusal('NotFound', UNKNOWN);
  });
  app.addHook('onRequest', async ({ raw }) => void authenticated(raw, options));
  for (const [path, document] of DISCOVERY) app.get(path, async () => document);
  addHealth(app, options);
  addSync(app, options);
  for (const [url, allowed] of [
    [`${ROOT}/health`, 'GET'],
    [`${ROOT}/sync`, 'POST'],
  ] as const) {
    const method = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((one) => one !== allowed);
    app.route({
      method,
      url,
      handler: () => {
        throw new Refusal('MethodNotAllowed', `the server does not allow this method here: use ${allowed}`);
      },
    });
  }
  return app;
}

function addHealth(app: FastifyInstance, options: AggregatedApiOptions): void {
  app.get<{ Params: ReleasePath; Querystring: Readonly<Record<string, unknown>> }>(
    `${ROOT}/health`,
    async (request) => {
      await allowed(request, { verb: 'get', subresource: 'health' }, options);
      const state = stateOf(request.query['state']);
      const release = found(request.params, options);
      const { namespace, name, uid } = release.metadata;
      const pages = pagesOf({ namespace, name, uid }, options.releases.inventories(namespace, name));
      const health = releaseHealthOf(release, entriesOf(pages), state);
      return wantsTable(request.headers.accept ?? '') ? healthTable(health) : health;
    },
  );
}

function addSync(app: FastifyInstance, options: AggregatedApiOptions): void {
  app.post<{ Params: ReleasePath; Body: unknown }>(`${ROOT}/sync`, async (request, reply) => {
    await allowed(request, { verb: 'create', subresource: 'sync' }, options);
    const reason = reasonOf(request.body);
    const release = found(request.params, options);
    await options.requestSync(release, reason);
    const { name, uid } = release.metadata;
    const details = { name, group: SUBRESOURCES_GROUP, kind: 'releases', uid };
    const message = `release ${name} will be reconciled, reason ${reason}`;
    return reply
      .code(202)
      .send({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', message, details, code: 202 });
  });
}

function authenticated(request: IncomingMessage, { frontProxy }: AggregatedApiOptions) {
  const known = frontProxy();
  const requester = known === undefined ? undefined : requesterOf(request, known);
  if (requester === undefined) throw new Refusal('Unauthorized', 'Unauthorized');
  return requester;
}

async function allowed(
  request: FastifyRequest<{ Params: ReleasePath }>,
  access: Pick<Access, 'verb' | 'subresource'>,
  options: AggregatedApiOptions,
): Promise<void> {
  const { namespace, name } = request.params;
  await options.reviews.require(authenticated(request.raw, options), { ...access, namespace, name });
}

function found({ namespace, name }: ReleasePath, { releases }: AggregatedApiOptions): Release {
  const release = releases.release(namespace, name);
  if (release !== undefined) return release;
  if (!releases.synced) throw new Refusal('ServiceUnavailable', 'the caches are not filled yet: try again in a moment');
  throw new Refusal('NotFound', `releases.${SUBRESOURCES_GROUP} "${name}" not found`, {
    name,
    group: SUBRESOURCES_GROUP,
    kind: 'releases',
  });
}

function stateOf(value: unknown): HealthState | undefined {
  if (value === undefined) return undefined;
  const state = STATES_WORST_FIRST.find((one) => one === value);
  if (state !== undefined) return state;
  throw new Refusal('BadRequest', `state is ${JSON.stringify(value)}: write one of ${STATES_WORST_FIRST.join(', ')}`);
}

function reasonOf(body: unknown): SyncReason {
  if (body === undefined || body === null || body === '') return 'Manual';
  const { reason = 'Manual', ...rest } = parsed(String(body));
  const unknown = Object.keys(rest).filter((name) => !['apiVersion', 'kind', 'metadata'].includes(name));
  if (unknown.length > 0) throw new Refusal('BadRequest', `the body has a field ${unknown[0]}: only reason is known`);
  const known = SYNC_REASONS.find((one) => one === reason);
  if (known !== undefined) return known;
  throw new Refusal('BadRequest', `reason is ${JSON.stringify(reason)}: write one of ${SYNC_REASONS.join(', ')}`);
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    if (isMap(body)) return body;
  } catch {
    // Told below.
  }
  throw new Refusal('BadRequest', 'the body is no JSON object: send {"reason": "Manual"}, or nothing');
}

function refuse(reply: FastifyReply, error: unknown, options: AggregatedApiOptions): void {
  const refusal = asRefusal(error, options);
  void reply.code(refusal.code).header('cache-control', 'no-cache, private').send(refusal.toStatus());
}

function asRefusal(error: unknown, { onError }: AggregatedApiOptions): Refusal {
  if (error instanceof Refusal) return error;
  const code = isMap(error) ? error['statusCode'] : undefined;
  if (code === 413) return new Refusal('RequestEntityTooLarge', `the body is longer than ${BODY_LIMIT} bytes`);
  if (typeof code === 'number' && code < 500) return new Refusal('BadRequest', 'the request cannot be read');
  onError?.(error instanceof Error ? error : new Error(String(error)));
  return new Refusal('InternalError', 'an internal error occurred; the log of the operator tells more');
}
