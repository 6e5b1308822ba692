import { describe, expect, it } from 'vitest';
import type { OperatorOptions } from '../../src/cli/operator.ts';
import { run } from './memory-io.ts';

async function compiled(...flags: readonly string[]): Promise<OperatorOptions | string> {
  let options: OperatorOptions | undefined;
  const { err } = await run(['operator', ...flags], {
    runOperator: async (given) => {
      options = given;
    },
  });
  return options ?? err;
}

describe('convoy operator', () => {
  it('does everything alone where nothing else is said', async () => {
    expect(await compiled()).toEqual({
      cluster: {},
      controllers: new Set(['release', 'observer']),
      shards: undefined,
      installation: undefined,
      defaultServiceAccount: undefined,
      crossNamespaceRefs: true,
      insecureKubeconfigExec: false,
      aggregatedApi: { host: '0.0.0.0', port: 6443, service: 'convoy' },
      operations: { host: '127.0.0.1', port: 8080 },
      cacheFolder: undefined,
      workers: 4,
      logLevel: 'info',
    });
  });

  it('takes every flag', async () => {
    const flags =
      '--controllers observer --shards 16 --installation-id home-1 --default-service-account deployer ' +
      '--no-cross-namespace-refs --insecure-kubeconfig-exec --no-aggregated-api --health-bind-address [::1]:0 ' +
      '--cache-dir /cache --workers 8 --log-level debug -n convoy-system --context prod';
    expect(await compiled(...flags.split(' '))).toEqual({
      cluster: { namespace: 'convoy-system', context: 'prod' },
      controllers: new Set(['observer']),
      shards: 16,
      installation: 'home-1',
      defaultServiceAccount: 'deployer',
      crossNamespaceRefs: false,
      insecureKubeconfigExec: true,
      aggregatedApi: undefined,
      operations: { host: '::1', port: 0 },
      cacheFolder: '/cache',
      workers: 8,
      logLevel: 'debug',
    });
  });

  it('reads the election of a leader as one shard, and :PORT as every address', async () => {
    expect(await compiled('--leader-elect')).toMatchObject({ shards: 1 });
    expect(await compiled('--aggregated-api-bind-address=:8443')).toMatchObject({
      aggregatedApi: { host: '0.0.0.0', port: 8443 },
    });
  });

  it.each([
    [['--controllers', 'releases'], '--controllers: there is no controller "releases"; did you mean release?'],
    [['--controllers', ''], '--controllers: there is no controller ""; use release, observer'],
    [['--shards', '0'], '--shards is no whole number from 1 to 256: 0; write digits alone, for example --shards 4'],
    [['--shards', '4', '--leader-elect'], '--leader-elect means --shards 1; leave it out, or --shards 4'],
    [['--installation-id', 'a/b'], '--installation-id "a/b" is no name; use letters, digits, - _ .'],
    [
      ['--default-service-account', 'Me'],
      '--default-service-account "Me" is no name; use small letters, digits, - and .',
    ],
    [
      ['--health-bind-address', '8080'],
      '--health-bind-address "8080" is no address; write HOST:PORT, for example 127.0.0.1:8080, or :8080 for every address',
    ],
    [
      ['--health-bind-address', ':99999'],
      '--health-bind-address ":99999" is no address; write HOST:PORT, for example 127.0.0.1:8080, or :8080 for every address',
    ],
    [
      ['--workers', 'many'],
      '--workers is no whole number from 1 to 256: many; write digits alone, for example --workers 4',
    ],
    [['--log-level', 'loud'], '--log-level "loud" is none; use debug, info, warn, error'],
    [['--shrads', '4'], 'unknown flag --shrads; did you mean --shards?'],
  ])('refuses %j in one line', async (flags, told) => {
    expect(await compiled(...flags)).toBe(`convoy: ${told}\n`);
  });
});
