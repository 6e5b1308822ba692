import { asList, asMap, asString, type JsonMap } from '../../core/object/fields.ts';
import type { Authenticate } from '../access/authentication.ts';
import { type Attributes, type Authorise, attributes } from '../access/authorise.ts';
import type { User } from '../access/user.ts';
import { timestamp } from '../objects/api-object.ts';
import { invalid, StatusError } from '../objects/status-error.ts';
import { type Answer, type ApiRequest, jsonBody } from './request.ts';

/** A kind that answers a question and is not kept. */
export interface ReviewKind {
  readonly group: string;
  readonly version: 'v1';
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

const AUTHENTICATION = 'authentication.k8s.io';
const AUTHORIZATION = 'authorization.k8s.io';

function review(group: string, kind: string, namespaced = false): ReviewKind {
  return { group, version: 'v1', resource: `${kind.toLowerCase()}s`, kind, namespaced };
}

export const REVIEWS: readonly ReviewKind[] = [
  review(AUTHENTICATION, 'SelfSubjectReview'),
  review(AUTHENTICATION, 'TokenReview'),
  review(AUTHORIZATION, 'LocalSubjectAccessReview', true),
  review(AUTHORIZATION, 'SelfSubjectAccessReview'),
  review(AUTHORIZATION, 'SelfSubjectRulesReview'),
  review(AUTHORIZATION, 'SubjectAccessReview'),
];

/** Who knows users and what they may do. */
export interface Access {
  readonly authenticate: Authenticate;
  readonly authorise: Authorise;
  /** A new token of a user, until a time (ms since 1970). */
  readonly issue: (user: User, expires: number) => string;
  /** What there is to be allowed. */
  readonly resources: () => readonly { readonly group: string; readonly version: string; readonly resource: string }[];
}

function userInfo({ name, uid, groups, extra }: User): JsonMap {
  return {
    username: name,
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function askedFor(kind: string, spec: JsonMap): Attributes {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if ((resourceAttributes === undefined) === (nonResourceAttributes === undefined)) {
    const message =
      resourceAttributes === undefined
        ? 'Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified'
        : 'Invalid value: cannot be specified in combination with nonResourceAttributes';
    throw invalid(kind, AUTHORIZATION, '', [{ field: 'spec.resourceAttributes', message }]);
  }
  const wanted = asMap(resourceAttributes ?? nonResourceAttributes);
  const text = (name: string): string => asString(wanted[name]);
  if (resourceAttributes === undefined) return attributes({ verb: text('verb'), path: text('path') });
  return attributes({
    verb: text('verb'),
    group: text('group'),
    version: text('version'),
    resource: text('resource'),
    subresource: text('subresource'),
    namespace: text('namespace'),
    name: text('name'),
  });
}

function texts(value: unknown): string[] {
  return asList(value).map(asString);
}

/** The user that a SubjectAccessReview asks about. */
function subjectOf(kind: string, spec: JsonMap): User {
  const name = asString(spec['user']);
  const groups = texts(spec['groups']);
  if (name === '' && groups.length === 0) {
    const message = 'Invalid value: "": at least one of user or group must be specified';
    throw invalid(kind, AUTHORIZATION, '', [{ field: 'spec.user', message }]);
  }
  const extra = Object.entries(asMap(spec['extra'])).map(([key, values]) => [key, texts(values)]);
  return { name, groups, uid: asString(spec['uid']), extra: Object.fromEntries(extra) };
}

function decided(authorise: Authorise, user: User, asked: Attributes): JsonMap {
  const decision = authorise(user, asked);
  if (decision === 'allowed') return { allowed: true };
  return { allowed: false, ...(decision.reason === '' ? {} : { reason: decision.reason }) };
}

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** What a user may do in a namespace, asked resource by resource; names and subresources are not asked for. */
function rulesStatus({ authorise, resources }: Access, user: User, namespace: string): JsonMap {
  const rules = resources().map(({ group, version, resource }) => ({
    verbs: VERBS.filter(
      (verb) => authorise(user, attributes({ verb, group, version, resource, namespace })) === 'allowed',
    ),
    apiGroups: [group],
    resources: [resource],
  }));
  const all = rules.every(({ verbs }) => verbs.length === VERBS.length);
  const everything = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
  const paths = authorise(user, attributes({ verb: 'get', path: '/readyz' })) === 'allowed';
  return {
    resourceRules: all ? everything : rules.filter(({ verbs }) => verbs.length > 0),
    nonResourceRules: paths ? [{ verbs: ['*'], nonResourceURLs: ['*'] }] : [],
    incomplete: !all,
  };
}

function tokenStatus({ authenticate }: Access, spec: JsonMap): JsonMap {
  const user = authenticate(asString(spec['token']));
  if (user === undefined) return { user: {}, error: 'the token is of nobody' };
  return { authenticated: true, user: userInfo(user) };
}

function statusOf(kind: string, { user }: ApiRequest, spec: JsonMap, access: Access, namespace: string): JsonMap {
  switch (kind) {
    case 'SelfSubjectReview':
      return { userInfo: userInfo(user) };
    case 'TokenReview':
      return tokenStatus(access, spec);
    case 'SelfSubjectRulesReview':
      return rulesStatus(access, user, asString(spec['namespace']));
    case 'SelfSubjectAccessReview':
      return decided(access.authorise, user, askedFor(kind, spec));
    case 'LocalSubjectAccessReview': {
      const asked = askedFor(kind, spec);
      if (asked.namespace === namespace) return decided(access.authorise, subjectOf(kind, spec), asked);
      const message = `Invalid value: "${asked.namespace}": must match metadata.namespace`;
      throw invalid(kind, AUTHORIZATION, '', [{ field: 'spec.resourceAttributes.namespace', message }]);
    }
    default:
      return decided(access.authorise, subjectOf(kind, spec), askedFor(kind, spec));
  }
}

/** The answer to a review. Throws 404 for a kind that is none, 405, 422 for a question that makes no sense. */
export function answerReview(request: ApiRequest, access: Access, now: number): Answer {
  const { group, version, resource, namespace, name } = request.attributes;
  const found = REVIEWS.find((one) => one.group === group && one.version === version && one.resource === resource);
  if (found === undefined || found.namespaced !== (namespace !== '') || name !== '') {
    throw new StatusError('NotFound', 'the server could not find the requested resource');
  }
  if (request.method !== 'POST') throw new StatusError('MethodNotAllowed', 'reviews can only be created');
  const body = asMap(jsonBody(request));
  const spec = asMap(body['spec']);
  const status = statusOf(found.kind, request, spec, access, namespace);
  const created = found.kind === 'SelfSubjectReview' ? { creationTimestamp: timestamp(now) } : {};
  return {
    code: 201,
    body: {
      apiVersion: `${group}/${version}`,
      kind: found.kind,
      metadata: { ...asMap(body['metadata']), ...created },
      ...(body['spec'] === undefined ? {} : { spec }),
      status,
    },
  };
}

/** Whether a group answers reviews and holds no objects. */
export function isReviewGroup(group: string): boolean {
  return group === AUTHENTICATION || group === AUTHORIZATION;
}
