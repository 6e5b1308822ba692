import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servingCertificate } from '../../src/controllers/serving-certificate/index.ts';
import { asMap, asString } from '../../src/core/object/fields.ts';
import type { ObjectPath } from '../../src/ports/cluster.ts';
import { type Certificate, isGenuine, splitBundle } from '../../src/runtime/certificates/certificate.ts';
import { at } from '../../src/testing/contracts/cluster/law.ts';
import { type RunningSandbox, runSandbox } from './running-sandbox.ts';

const SECRET: ObjectPath = {
  type: { group: '', version: 'v1', resource: 'secrets' },
  namespace: 'default',
  name: 'convoy-aggregated-api',
};

let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await runSandbox();
});
afterAll(() => sandbox.close());

interface Replica {
  /** The certificate that is shown next. */
  next(): Promise<Certificate>;
  readonly ended: Promise<void>;
}

function replica(signal: AbortSignal): Replica {
  const { cluster, clock } = sandbox;
  const shown: Certificate[] = [];
  let tell = (): void => {};
  const ended = servingCertificate({
    cluster,
    clock,
    namespace: 'default',
    secretName: SECRET.name,
    apiServiceName: 'v1alpha1.subresources.convoy.kumodo.io',
    names: ['convoy.default.svc'],
    onCertificate: (certificate) => {
      shown.push(certificate);
      tell();
    },
  }).run(signal);
  const next = async (): Promise<Certificate> => {
    for (;;) {
      const certificate = shown.shift();
      if (certificate !== undefined) return certificate;
      await new Promise<void>((resolve) => {
        tell = resolve;
      });
    }
  };
  return { next, ended };
}

describe('replicas that share a certificate', () => {
  it('make it once, and again when somebody spoils it, by the same authority', async () => {
    const stop = new AbortController();
    const replicas = [replica(stop.signal), replica(stop.signal)];
    const text = (object: unknown, name: string): string =>
      Buffer.from(asString(asMap(at(object, 'data'))[name]), 'base64').toString();
    const authorities = async (): Promise<string> => text(await sandbox.cluster.get(SECRET), 'ca.crt');
    const [one, other] = await Promise.all(replicas.map(({ next }) => next()));
    const before = await authorities();
    expect(one).toEqual(other);
    expect(isGenuine(one as Certificate, splitBundle(before)[0] ?? '')).toBe(true);

    await sandbox.cluster.patch(SECRET, 'merge', { data: { 'tls.crt': '' } });
    const [later, alike] = await Promise.all(replicas.map(({ next }) => next()));
    expect(later).toEqual(alike);
    expect(later).not.toEqual(one);
    expect(await authorities()).toBe(before);
    stop.abort();
    await Promise.all(replicas.map(({ ended }) => ended));
  });
});
