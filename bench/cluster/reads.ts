import { Pool } from 'undici';
import { certificates } from '../../src/testing/http-server/certificates.ts';
import { count, type Figure, median } from './figure.ts';
import { PEER_VERSION, peerRead } from './peer.ts';
import { PODS } from './pods.ts';
import { startTarget, type Target } from './target.ts';

const READS = 500;
const ROUNDS = 7;
const FASTER = 8;
const MOST_CONNECTIONS = 4;

async function readTimes(read: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  for (let n = 0; n < READS; n += 1) await read();
  return performance.now() - start;
}

async function waysOf(target: Target, pool: Pool): Promise<Readonly<Record<string, () => Promise<unknown>>>> {
  const path = '/api/v1/namespaces/shop/pods/web';
  return {
    convoy: () => target.cluster.get({ type: PODS, namespace: 'shop', name: 'web' }),
    'bare pool': async () => JSON.parse(await (await pool.request({ method: 'GET', path })).body.text()),
    peer: await peerRead(target.url),
  };
}

/** 500 reads in a row over TLS, beside the usual client and beside a bare pool of connections. */
export async function measureReads(): Promise<readonly Figure[]> {
  const target = await startTarget('reads');
  const pool = new Pool(target.url, { connections: 8, allowH2: false, connect: { ca: certificates.authority } });
  const times: Record<string, number[]> = {};
  let connections = 0;
  try {
    const ways = Object.entries(await waysOf(target, pool));
    for (let round = -1; round < ROUNDS; round += 1) {
      for (const [name, read] of ways) {
        const before = await target.connections();
        const taken = await readTimes(read);
        if (name === 'convoy') connections = Math.max(connections, (await target.connections()) - before);
        // The first round warms up.
        if (round >= 0) times[name] = [...(times[name] ?? []), taken];
      }
    }
  } finally {
    await pool.close();
    await target.close();
  }
  const ratios = (name: string): number =>
    median((times[name] ?? []).map((taken, round) => taken / (times['convoy']?.[round] ?? Number.NaN)));
  const [peer, floor] = [ratios('peer'), ratios('bare pool')];
  const ms = (name: string): string => `${count(median(times[name] ?? []))} ms`;
  return [
    {
      what: `${READS} reads in a row over TLS, beside @kubernetes/client-node ${PEER_VERSION}`,
      goal: `≥ ${FASTER} × faster`,
      measured: `${peer.toFixed(1)} × (${ms('convoy')}, ${ms('peer')})`,
      met: peer >= FASTER,
    },
    {
      what: 'connections that these reads open',
      goal: `≤ ${MOST_CONNECTIONS}`,
      measured: String(connections),
      met: connections <= MOST_CONNECTIONS,
    },
    {
      what: 'the same reads by a bare pool of connections',
      goal: '',
      measured: `${floor.toFixed(2)} × convoy's time`,
      met: undefined,
    },
  ];
}
