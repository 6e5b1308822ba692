import { SUBRESOURCES_GROUP, VERSION } from '../../core/api/index.ts';
import { asMap, asString } from '../../core/object/fields.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Requester } from './front-proxy.ts';
import { Refusal } from './refusal.ts';

/** What somebody wants to do with a Release. */
export interface Access {
  readonly verb: 'get' | 'create';
  readonly subresource: 'health' | 'sync';
  readonly namespace: string;
  readonly name: string;
}

/** ms for which an answer counts: who watches by polling asks every few seconds, and a right that was taken away has to end soon. */
const FRESH = 5_000;
/** Answers that are kept. */
const MOST = 1_000;
const PATH = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

interface Answer {
  readonly until: number;
  readonly decision: Promise<{ readonly allowed: boolean; readonly reason: string }>;
}

/** Asks the API server whether somebody may do what they ask for. */
export class AccessReviews {
  readonly #cluster: Pick<Cluster, 'raw'>;
  readonly #clock: Clock;
  /** In the order in which they were asked. */
  readonly #answers = new Map<string, Answer>();

  constructor(cluster: Pick<Cluster, 'raw'>, clock: Clock) {
    this.#cluster = cluster;
    this.#clock = clock;
  }

  /** Throws a Refusal, Forbidden, in the words of the API server. */
  async require(requester: Requester, access: Access): Promise<void> {
    const { allowed, reason } = await this.#ask(requester, access);
    if (allowed) return;
    const { verb, subresource, namespace, name } = access;
    const what = `cannot ${verb} resource "releases/${subresource}" in API group "${SUBRESOURCES_GROUP}"`;
    const message = `releases.${SUBRESOURCES_GROUP} "${name}" is forbidden: User "${requester.user}" ${what} in the namespace "${namespace}"`;
    throw new Refusal('Forbidden', reason === '' ? message : `${message}: ${reason}`, {
      name,
      group: SUBRESOURCES_GROUP,
      kind: 'releases',
    });
  }

  #ask(requester: Requester, access: Access): Answer['decision'] {
    const key = JSON.stringify([requester, access]);
    const now = this.#clock.now();
    const known = this.#answers.get(key);
    if (known !== undefined && known.until > now) return known.decision;
    const decision = this.#review(requester, access);
    this.#answers.delete(key);
    this.#answers.set(key, { until: now + FRESH, decision });
    // A failure is no answer: the next one asks again.
    decision.catch(() => this.#answers.delete(key));
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= MOST) break;
      this.#answers.delete(oldest);
    }
    return decision;
  }

  async #review({ user, uid, groups, extra }: Requester, access: Access): Answer['decision'] {
    const resourceAttributes = { group: SUBRESOURCES_GROUP, version: VERSION, resource: 'releases', ...access };
    const spec = { user, ...(uid === '' ? {} : { uid }), groups, extra, resourceAttributes };
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
    const { allowed, reason } = asMap(asMap(await this.#cluster.raw('POST', PATH, review))['status']);
    return { allowed: allowed === true, reason: asString(reason) };
  }
}
