import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { nodeClock } from '../../apps/node-clock.ts';
import { configMap } from '../api/object-api.fixture.ts';
import { type Client, clientOf } from '../client.fixture.ts';
import { type Sandbox, startSandbox } from '../start-sandbox.ts';
import { type Attributes, allowAll } from './authorise.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const AUTHENTICATION = '/apis/authentication.k8s.io/v1';
const AUTHORIZATION = '/apis/authorization.k8s.io/v1';

let sandbox: Sandbox;
let client: Client;
let ada: Client;
beforeAll(async () => {
  const users = [{ name: 'ada', token: 'token-of-ada', groups: ['readers'], uid: '7', extra: { team: ['blue'] } }];
  sandbox = await startSandbox({ clock: nodeClock, token: 'token-of-the-test', users });
  client = clientOf(sandbox);
  ada = clientOf(sandbox, 'token-of-ada');
});
afterEach(() => sandbox.setAuthoriser(allowAll));
afterAll(() => sandbox.close());

async function whoAmI(asked: Client, headers: Record<string, string> = {}): Promise<unknown> {
  const { json } = await asked.call('POST', `${AUTHENTICATION}/selfsubjectreviews`, {}, headers);
  return (json() as unknown as { status: { userInfo: unknown } }).status.userInfo;
}

describe('a user', () => {
  it('is known by the token', async () => {
    expect(await whoAmI(client)).toEqual({
      username: 'convoy-sandbox',
      groups: ['system:masters', 'system:authenticated'],
    });
    expect(await whoAmI(ada)).toEqual({
      username: 'ada',
      uid: '7',
      groups: ['readers', 'system:authenticated'],
      extra: { team: ['blue'] },
    });
  });

  it('is told of a token that somebody else shows, and that a token is of nobody', async () => {
    const review = (token: string) => client.call('POST', `${AUTHENTICATION}/tokenreviews`, { spec: { token } });
    expect((await review('token-of-ada')).json()['status']).toMatchObject({
      authenticated: true,
      user: { username: 'ada' },
    });
    expect((await review('none')).json()['status']).not.toHaveProperty('authenticated');
  });
});

describe('impersonation', () => {
  it('of a ServiceAccount brings its groups, unless groups are named', async () => {
    const user = { 'impersonate-user': 'system:serviceaccount:shop:runner' };
    const account = ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'];
    expect(await whoAmI(client, user)).toMatchObject({ groups: account });
    expect(await whoAmI(client, { ...user, 'impersonate-group': 'own' })).toMatchObject({
      groups: ['own', 'system:authenticated'],
    });
  });

  it('of nobody who has shown who they are brings the group of those', async () => {
    expect(await whoAmI(client, { 'impersonate-user': 'system:anonymous' })).toEqual({
      username: 'system:anonymous',
      groups: ['system:unauthenticated'],
    });
  });

  it('of a group without a user is BadRequest', async () => {
    expect((await client.call('GET', MAPS, undefined, { 'impersonate-group': 'readers' })).code).toBe(400);
  });

  it('is asked for: who may not act as another is told so', async () => {
    sandbox.setAuthoriser((user, { verb }) =>
      user.name === 'ada' && verb === 'impersonate' ? { reason: '' } : 'allowed',
    );
    const headers = { 'impersonate-user': 'bob' };
    const reply = await ada.call('GET', MAPS, undefined, headers);
    expect([reply.code, reply.json()['message']]).toEqual([
      403,
      'users "bob" is forbidden: User "ada" cannot impersonate resource "users" in API group "" at the cluster scope',
    ]);
    expect((await client.call('GET', MAPS, undefined, headers)).code).toBe(200);
  });
});

describe('an authoriser', () => {
  it('forbids in the words of the API server, and nothing is done', async () => {
    sandbox.setAuthoriser((user) => (user.name === 'ada' ? { reason: 'RBAC: no binding' } : 'allowed'));
    const refused = async (method: string, path: string, body?: unknown): Promise<unknown> => {
      const { code, json } = await ada.call(method, path, body);
      return [code, json()['reason'], json()['message']];
    };
    expect(await refused('POST', MAPS, configMap('a'))).toEqual([
      403,
      'Forbidden',
      'configmaps is forbidden: User "ada" cannot create resource "configmaps" in API group "" in the namespace "default": RBAC: no binding',
    ]);
    expect(await refused('PATCH', '/apis/apps/v1/namespaces/default/deployments/web/scale', {})).toEqual([
      403,
      'Forbidden',
      'deployments.apps "web" is forbidden: User "ada" cannot patch resource "deployments/scale" in API group "apps" in the namespace "default": RBAC: no binding',
    ]);
    expect(await refused('GET', '/api/v1/nodes')).toEqual([
      403,
      'Forbidden',
      'nodes is forbidden: User "ada" cannot list resource "nodes" in API group "" at the cluster scope: RBAC: no binding',
    ]);
    expect(await refused('GET', '/readyz')).toEqual([
      403,
      'Forbidden',
      'forbidden: User "ada" cannot get path "/readyz": RBAC: no binding',
    ]);
    expect((await client.call('GET', `${MAPS}/a`)).code).toBe(404);
  });

  it.each<[string, string, Partial<Attributes>]>([
    ['GET', MAPS, { verb: 'list', resource: 'configmaps', namespace: 'default' }],
    ['GET', `${MAPS}?watch=true&fieldSelector=metadata.name%3Da`, { verb: 'watch', name: 'a' }],
    ['DELETE', MAPS, { verb: 'deletecollection', name: '' }],
    ['DELETE', `${MAPS}/a`, { verb: 'delete', name: 'a' }],
    ['GET', '/api/v1/namespaces', { verb: 'list', resource: 'namespaces', namespace: '' }],
    ['GET', '/api/v1/namespaces/x', { verb: 'get', resource: 'namespaces', namespace: 'x', name: 'x' }],
    [
      'PUT',
      '/api/v1/namespaces/x/status',
      { verb: 'update', resource: 'namespaces', name: 'x', subresource: 'status' },
    ],
    ['GET', '/apis/apps/v1/deployments', { verb: 'list', group: 'apps', version: 'v1', resource: 'deployments' }],
    ['GET', '/apis/apps', { verb: 'get', path: '/apis/apps', resource: '' }],
  ])('reads %s %s', async (method, path, expected) => {
    const seen: Attributes[] = [];
    sandbox.setAuthoriser((_, asked) => {
      seen.push(asked);
      return { reason: '' };
    });
    await client.call(method, path);
    expect(seen).toMatchObject([expected]);
  });

  it('is asked for a list of all that one may do', async () => {
    sandbox.setAuthoriser((user, asked) => {
      if (asked.resource === 'selfsubjectrulesreviews') return 'allowed';
      return user.name === 'ada' && asked.verb === 'get' && asked.resource === 'pods' ? 'allowed' : { reason: '' };
    });
    const spec = { namespace: 'default' };
    const { json } = await ada.call('POST', `${AUTHORIZATION}/selfsubjectrulesreviews`, { spec });
    expect(json()['status']).toEqual({
      resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
      nonResourceRules: [],
      incomplete: true,
    });
  });

  it('is asked by reviews of access', async () => {
    sandbox.setAuthoriser(({ name, groups }, { verb, resource, path }) => {
      if (name === 'convoy-sandbox' || groups.includes('readers')) return 'allowed';
      return verb === 'get' && (resource === 'pods' || path === '/healthz') ? 'allowed' : { reason: 'no' };
    });
    const review = async (kind: string, spec: object, namespace = ''): Promise<unknown> => {
      const within = namespace === '' ? '' : `namespaces/${namespace}/`;
      const reply = await client.call('POST', `${AUTHORIZATION}/${within}${kind}`, { spec });
      return reply.code === 201 ? reply.json()['status'] : reply.code;
    };
    const get = { verb: 'get', resource: 'pods', namespace: 'default' };
    const remove = { ...get, verb: 'delete' };
    expect(await review('selfsubjectaccessreviews', { resourceAttributes: remove })).toEqual({ allowed: true });
    expect(await review('subjectaccessreviews', { user: 'bob', resourceAttributes: remove })).toEqual({
      allowed: false,
      reason: 'no',
    });
    expect(await review('subjectaccessreviews', { user: 'bob', resourceAttributes: get })).toEqual({ allowed: true });
    expect(await review('subjectaccessreviews', { groups: ['readers'], resourceAttributes: remove })).toEqual({
      allowed: true,
    });
    const path = { verb: 'get', path: '/healthz' };
    expect(await review('subjectaccessreviews', { user: 'bob', nonResourceAttributes: path })).toEqual({
      allowed: true,
    });
    expect(await review('subjectaccessreviews', { user: 'bob' })).toBe(422);
    expect(await review('subjectaccessreviews', { resourceAttributes: get })).toBe(422);
    const local = { user: 'bob', resourceAttributes: get };
    expect(await review('localsubjectaccessreviews', local, 'default')).toEqual({ allowed: true });
    expect(await review('localsubjectaccessreviews', local, 'other')).toBe(422);
  });
});
