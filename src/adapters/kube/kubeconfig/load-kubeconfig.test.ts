import { describe, expect, it } from 'vitest';
import { TransportError } from '../../../ports/errors.ts';
import { certificates } from '../../../testing/http-server/certificates.ts';
import { clusterConfigOfSecret, type KubeconfigChoice, loadClusterConfig } from './load-kubeconfig.ts';
import { kubeconfigText, type TestSurroundings, testSurroundings } from './surroundings.fixture.ts';

const CONFIG = '/home/ann/.kube/config';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TransportError);
  if (!(error instanceof TransportError)) throw new Error('not refused');
  expect(error.fault).toBe('credentials');
  expect(error.message).not.toContain('\n');
  return error.message;
}

function load(text: string, choice: KubeconfigChoice = {}, around = testSurroundings()) {
  around.files.set(CONFIG, text);
  return loadClusterConfig(choice, around);
}

describe('the kubeconfig of the user', () => {
  it('gives server, namespace and token of its current context', async () => {
    const config = await load(kubeconfigText({ context: { namespace: 'shop' } }));
    expect(config.description).toBe('context "prod", cluster "east" (https://api.example.test:6443)');
    expect(config.namespace).toBe('shop');
    expect(await config.credentials.current()).toEqual({ token: 'abc', certificate: undefined });
  });

  it('may be a list of files: the first to name an entry counts, files that are not there are skipped', async () => {
    const around = testSurroundings({
      '/a': 'kind: Config\ncontexts: [{name: prod, context: {cluster: c, namespace: from-a}}]',
      '/b': 'kind: Config\ncurrent-context: prod\ncontexts: [{name: prod, context: {cluster: x}}]\nclusters: [{name: c, cluster: {server: b.test}}]',
    });
    around.environment['KUBECONFIG'] = '/a::/none:/b';
    const config = await loadClusterConfig({}, around);
    expect([config.server.href, config.namespace]).toEqual(['https://b.test/', 'from-a']);
  });

  it('finds files beside itself', async () => {
    const around = testSurroundings({
      '/home/ann/.kube/ca.pem': certificates.authority,
      '/home/ann/.kube/alice.crt': certificates.client.certificate,
      '/home/ann/.kube/alice.key': certificates.client.key,
    });
    const user = { 'client-certificate': 'alice.crt', 'client-key': 'alice.key' };
    const config = await load(kubeconfigText({ cluster: { 'certificate-authority': 'ca.pem' }, user }), {}, around);
    expect(config.authority).toBe(certificates.authority);
    expect((await config.credentials.current()).certificate).toEqual(certificates.client);
  });

  it('carries names to act as into headers', async () => {
    const user = {
      token: 'abc',
      as: 'eve',
      'as-groups': ['dev', 'ops'],
      'as-uid': '7',
      'as-user-extra': { 'a/B': ['1', '2'], 'c(d)': ['3'] },
    };
    expect((await load(kubeconfigText({ user }))).impersonation).toEqual({
      'impersonate-user': 'eve',
      'impersonate-group': ['dev', 'ops'],
      'impersonate-uid': '7',
      'impersonate-extra-a%2Fb': ['1', '2'],
      'impersonate-extra-c%28d%29': ['3'],
    });
  });

  it('takes the proxy of its cluster, else that of the environment, but not for hosts of NO_PROXY', async () => {
    const around = testSurroundings();
    around.environment['HTTPS_PROXY'] = 'http://proxy.test:3128';
    const own = await load(kubeconfigText({ cluster: { 'proxy-url': 'socks5://p:1080' } }), {}, around);
    expect(own.proxy?.href).toBe('socks5://p:1080');
    expect((await load(kubeconfigText(), {}, around)).proxy?.href).toBe('http://proxy.test:3128/');
    around.environment['no_proxy'] = 'other.test,.example.test';
    expect((await load(kubeconfigText(), {}, around)).proxy).toBeUndefined();
  });
});

describe('a kubeconfig that cannot be used is refused in one line that says what to do', () => {
  const certificateUser = (certificate: string, key: string) => ({
    'client-certificate-data': base64(certificate),
    'client-key-data': base64(key),
  });
  const cases: [situation: string, text: string, message: string, choice?: KubeconfigChoice][] = [
    ['empty', ' \n', `kubeconfig ${CONFIG}: is empty; write one, or name another with --kubeconfig`],
    ['comments only', '# nothing', `kubeconfig ${CONFIG}: is empty; write one, or name another with --kubeconfig`],
    ['no mapping', '- a', `kubeconfig ${CONFIG}: is not a kubeconfig; it starts with \`kind: Config\``],
    ['another kind', 'kind: Pod', `kubeconfig ${CONFIG}: its kind is "Pod", not Config; name a kubeconfig`],
    ['no current context', 'kind: Config', `no current-context is set (it holds none); name one by --context`],
    [
      'an unknown context',
      kubeconfigText(),
      'no context "x" (it holds prod); name another by --context',
      { context: 'x' },
    ],
    [
      'a context without its cluster',
      kubeconfigText({ context: { cluster: 'no' } }),
      'context "prod" names the cluster "no" (it holds east); mend',
    ],
    [
      'a context without its user',
      kubeconfigText({ context: { user: 'no' } }),
      'context "prod" names the user "no" (it holds ann); mend',
    ],
    [
      'no server',
      kubeconfigText({ cluster: { server: '' } }),
      'context "prod", cluster "east": has no server; write its URL there',
    ],
    [
      'a server that is no URL',
      kubeconfigText({ cluster: { server: 'ftp://x' } }),
      'its server is no https URL; write it as https://HOST:PORT',
    ],
    [
      'a CA that is no base64',
      kubeconfigText({ cluster: { 'certificate-authority-data': '%%' } }),
      'certificate-authority-data is not base64; copy it anew',
    ],
    [
      'a CA that is no PEM',
      kubeconfigText({ cluster: { 'certificate-authority-data': base64('x') } }),
      'certificate-authority holds no PEM certificate',
    ],
    [
      'a CA that is half a PEM',
      kubeconfigText({
        cluster: { 'certificate-authority-data': base64(certificates.authority.slice(0, 200)) },
      }),
      'certificate-authority holds no PEM certificate',
    ],
    [
      'a CA file that is not there',
      kubeconfigText({ cluster: { 'certificate-authority': '/ca' } }),
      'certificate-authority /ca does not exist; check the path',
    ],
    [
      'a certificate without key',
      kubeconfigText({ user: { 'client-certificate-data': base64('x') } }),
      'user "ann": client-key is missing; client-certificate and client-key go together',
    ],
    [
      'a proxy that is none',
      kubeconfigText({ cluster: { 'proxy-url': 'ftp://u:secret@p' } }),
      'proxy-url is no proxy URL; write http://, https:// or socks5://HOST:PORT',
    ],
    [
      'basic auth',
      kubeconfigText({ user: { username: 'ann', password: 'secret' } }),
      'basic auth (username, password) is gone from Kubernetes; use a token',
    ],
    [
      'an auth provider',
      kubeconfigText({ user: { 'auth-provider': { name: 'gcp' } } }),
      'auth-provider "gcp" is gone from Kubernetes; use an exec entry with gke-gcloud-auth-plugin',
    ],
    [
      'a token of two lines',
      kubeconfigText({ user: { token: 'secret\r\nhost: x' } }),
      'token holds characters that no token has',
    ],
    [
      'groups to act as without a user',
      kubeconfigText({ user: { token: 'abc', 'as-groups': ['g'] } }),
      'but no user; name one by `as` or --as',
    ],
    [
      'an old exec version',
      kubeconfigText({ user: { exec: { command: 'p', apiVersion: 'client.authentication.k8s.io/v1alpha1' } } }),
      'write client.authentication.k8s.io/v1 and a version of p that speaks it',
    ],
    [
      'exec v1 without interactiveMode',
      kubeconfigText({ user: { exec: { command: 'p', apiVersion: 'client.authentication.k8s.io/v1' } } }),
      'write Never, IfAvailable or Always',
    ],
    [
      'both CA and insecure',
      kubeconfigText({ cluster: { 'certificate-authority': '/ca', 'insecure-skip-tls-verify': true } }),
      'exclude each other; remove one',
    ],
  ];

  it.each(cases)('%s', async (_situation, text, message, choice = {}) => {
    const refused = await refusal(load(text, choice));
    expect(refused).toContain(message);
    expect(refused).not.toContain('secret');
  });

  it('broken YAML: its line, but never its text', async () => {
    const refused = await refusal(load('users:\n- user: {token: secret\n'));
    expect(refused).toMatch(
      /^kubeconfig \/home\/ann\/\.kube\/config: line \d+: not YAML \(.*\); mend it or write it anew$/,
    );
    expect(refused).not.toContain('secret');
  });

  it('no file at all', async () => {
    expect(await refusal(loadClusterConfig({}, testSurroundings()))).toBe(
      'no kubeconfig (looked for /home/ann/.kube/config); set KUBECONFIG, pass --kubeconfig, or try `convoy sandbox`',
    );
    expect(await refusal(loadClusterConfig({ kubeconfig: '/no' }, testSurroundings()))).toContain('/no: no such file');
    const around = testSurroundings();
    around.environment['KUBECONFIG'] = '/x:/y';
    expect(await refusal(loadClusterConfig({}, around))).toContain(
      '/x:/y: no such file; check the variable KUBECONFIG',
    );
  });

  it('a client certificate that expired, also when it does so later', async () => {
    const around = testSurroundings();
    const user = certificateUser(certificates.client.certificate, certificates.client.key);
    const config = await load(kubeconfigText({ user }), {}, around);
    await config.credentials.current();
    await around.clock.advance(Date.parse('2125-01-01T00:00:00Z') - around.clock.now());
    const later = await refusal(config.credentials.current());
    expect(later).toContain('user "ann": the client certificate expired at 2125-01-01T00:00:00.000Z; renew it');
  });

  it('a key of another certificate, a key that is none, a certificate that is none', async () => {
    const { client, clientRenewed } = certificates;
    const message = (user: Record<string, unknown>) => refusal(load(kubeconfigText({ user })));
    expect(await message(certificateUser(client.certificate, clientRenewed.key))).toContain(
      'is not that of the certificate',
    );
    expect(await message(certificateUser(client.certificate, 'x'))).toContain('the client key is no PEM key');
    expect(await message(certificateUser('x', client.key))).toContain('the client certificate is no PEM certificate');
  });
});

describe('a kubeconfig from a Secret', () => {
  const read = (text: string, insecureExec = false, around: TestSurroundings = testSurroundings()) =>
    clusterConfigOfSecret(text, 'Secret fleet/prod', { insecureExec }, around);
  const exec = { command: 'p', apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never' };

  it.each([
    ['run a program', { user: { exec } }, 'exec runs a program, which a kubeconfig from a Secret may not'],
    [
      'read a token file',
      { user: { tokenFile: '/etc/shadow' } },
      'tokenFile names a file, which a kubeconfig from a Secret may not',
    ],
    ['read a key file', { user: { 'client-key': 'k' } }, 'client-key names a file'],
    ['read a CA file', { cluster: { 'certificate-authority': 'c' } }, 'certificate-authority names a file'],
    [
      'use an auth provider',
      { user: { 'auth-provider': { name: 'oidc' } } },
      'use an exec entry with kubectl oidc-login',
    ],
  ])('may not %s', async (_power, parts, message) => {
    expect(await refusal(read(kubeconfigText(parts)))).toContain(message);
  });

  it('may do so where the operator allows it', async () => {
    const around = testSurroundings({ '/token': 'abc\n' });
    const config = await read(kubeconfigText({ user: { tokenFile: '/token' } }), true, around);
    expect((await config.credentials.current()).token).toBe('abc');
  });

  it('is called by its name when it is broken', async () => {
    expect(await refusal(read(''))).toMatch(/^Secret fleet\/prod: is empty/);
  });
});

describe('in a pod', () => {
  const folder = '/var/run/secrets/kubernetes.io/serviceaccount';

  it('the service account is used, and its token is read again when it is renewed', async () => {
    const around = testSurroundings({
      [`${folder}/ca.crt`]: certificates.authority,
      [`${folder}/token`]: 'first',
      [`${folder}/namespace`]: 'fleet',
    });
    Object.assign(around.environment, { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' });
    const config = await loadClusterConfig({}, around);
    expect([config.description, config.namespace]).toEqual([
      'the cluster this pod runs in (https://[fd00::1])',
      'fleet',
    ]);
    const first = await config.credentials.current();
    around.files.set(`${folder}/token`, 'second');
    expect(await config.credentials.current()).toEqual(first);
    await around.clock.advance(60_000);
    expect((await config.credentials.current()).token).toBe('second');
  });

  it('a token that was refused is read again at once', async () => {
    const around = testSurroundings({ '/token': 'first' });
    const config = await load(kubeconfigText({ user: { tokenFile: '/token' } }), {}, around);
    const first = await config.credentials.current();
    around.files.set('/token', 'second');
    expect(config.credentials.refused(first)).toBe(true);
    expect((await config.credentials.current()).token).toBe('second');
  });
});
