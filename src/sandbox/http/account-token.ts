import { asList, asMap } from '../../core/object/fields.ts';
import { AUTHENTICATED } from '../access/user.ts';
import { type ApiObject, timestamp } from '../objects/api-object.ts';
import { invalid, StatusError } from '../objects/status-error.ts';
import { type Answer, type ApiRequest, jsonBody } from './request.ts';
import type { Access } from './reviews.ts';

/** Seconds: what the API server gives without a word, and the least that may be asked for. */
const DEFAULT_EXPIRATION = 3_600;
const LEAST_EXPIRATION = 600;

/** Answers a TokenRequest of a ServiceAccount (`kubectl create token`). Throws 405, 422 for a time that is too short. */
export function requestToken(request: ApiRequest, account: ApiObject, access: Access, now: number): Answer {
  if (request.method !== 'POST') throw new StatusError('MethodNotAllowed', 'a token can only be requested');
  const spec = asMap(asMap(jsonBody(request))['spec']);
  const given = spec['expirationSeconds'];
  const seconds = typeof given === 'number' && given !== 0 ? given : DEFAULT_EXPIRATION;
  const { name, namespace = '', uid } = account.metadata;
  if (seconds < LEAST_EXPIRATION) {
    const message = `Invalid value: ${seconds}: may not specify a duration less than 10 minutes`;
    throw invalid('TokenRequest', 'authentication.k8s.io', name, [{ field: 'spec.expirationSeconds', message }]);
  }
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, AUTHENTICATED];
  const user = { name: `system:serviceaccount:${namespace}:${name}`, uid, groups, extra: {} };
  const expires = now + seconds * 1000;
  const audiences = asList(spec['audiences']);
  return {
    code: 201,
    body: {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name, namespace, creationTimestamp: timestamp(now) },
      spec: { audiences, expirationSeconds: seconds, boundObjectRef: null },
      status: { token: access.issue(user, expires), expirationTimestamp: timestamp(expires) },
    },
  };
}
