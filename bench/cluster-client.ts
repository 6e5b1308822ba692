/**
 * The client for clusters against a server in another process: reads in a row beside the floor (a bare pool) and beside a TLS
 * connection for each call; events of one watch for each second of this process's CPU; memory of idle watches.
 * Options: --reads N (default 500), --rounds N (default 5), --watches N (default 1000).
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Pool } from 'undici';
import { connectCluster } from '../src/adapters/kube/index.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { Cluster, ResourcePath } from '../src/ports/cluster.ts';
import { certificates } from '../src/testing/http-server/certificates.ts';
import { startHttpServer } from '../src/testing/http-server/http-server.ts';

const EVENTS = 20_000;
const AT_ONCE = 20;

const object = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop', resourceVersion: '12345' },
  // About 2 KB as JSON.
  spec: Object.fromEntries(Array.from({ length: 36 }, (_, n) => [`field-${n}`, `some value of usual length ${n}`])),
};
const line = `${JSON.stringify({ type: 'MODIFIED', object })}\n`;

async function serveForever(): Promise<void> {
  const batch = line.repeat(AT_ONCE);
  const server = await startHttpServer({
    settings: { maxConcurrentStreams: 250 },
    protocol: process.argv[3] === 'h2' ? 'h2' : 'http/1.1',
    handle: async (exchange) => {
      if (!exchange.path.includes('watch=')) return exchange.json(200, object);
      exchange.start();
      exchange.write(line);
      if (!exchange.path.includes('/busy?')) return;
      for (let sent = 1; sent < EVENTS; sent += AT_ONCE) {
        exchange.write(batch);
        if (sent % 400 === 1) await new Promise(setImmediate);
      }
      exchange.end();
    },
  });
  process.send?.(server.port);
}

const clock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) => wait(ms, undefined, { ref: false, ...(signal ? { signal } : {}) }),
};

const path = (resource: string): ResourcePath => ({
  type: { group: '', version: 'v1', resource },
  namespace: 'shop',
});

function clusterAt(url: string): Cluster {
  return connectCluster({
    clock,
    config: {
      description: 'bench',
      server: new URL(url),
      namespace: 'default',
      authority: certificates.authority,
      serverName: undefined,
      insecure: false,
      proxy: undefined,
      impersonation: {},
      credentials: { current: async () => ({ token: 'abc', certificate: undefined }), refused: () => false },
    },
  });
}

/** As clients do that open a connection for each call. */
function readOnNewConnection(url: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request(`${url}/api/v1/namespaces/shop/pods/web`, { ca: certificates.authority, agent: false }, (answer) => {
      let text = '';
      answer
        .setEncoding('utf8')
        .on('data', (piece: string) => {
          text += piece;
        })
        .on('end', () => resolve(JSON.parse(text)));
    })
      .on('error', reject)
      .end();
  });
}

async function millisecondsOf(count: number, read: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  for (let n = 0; n < count; n += 1) await read();
  return performance.now() - start;
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function measureReads(url: string, cluster: Cluster, reads: number, rounds: number): Promise<void> {
  const pool = new Pool(url, { connections: 8, allowH2: false, connect: { ca: certificates.authority } });
  const ways: Record<string, () => Promise<unknown>> = {
    convoy: () => cluster.get({ ...path('pods'), name: 'web' }),
    'bare pool': async () => JSON.parse(await (await pool.request({ method: 'GET', path: '/x' })).body.text()),
    'a connection each': () => readOnNewConnection(url),
  };
  const times: Record<string, number[]> = {};
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, read] of Object.entries(ways)) {
      const taken = await millisecondsOf(reads, read);
      // The first round warms up.
      if (round >= 0) times[name] = [...(times[name] ?? []), taken];
    }
  }
  await pool.close();
  const ours = median(times['convoy'] ?? []);
  for (const [name, values] of Object.entries(times)) {
    const taken = median(values);
    console.log(`${reads} reads, ${name}: ${taken.toFixed(0)} ms, ${(taken / ours).toFixed(2)} × convoy`);
  }
}

async function measureWatch(cluster: Cluster, rounds: number): Promise<void> {
  const rates: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const before = process.cpuUsage();
    let events = 0;
    for await (const _event of cluster.watch(path('busy'), { signal: new AbortController().signal })) events += 1;
    const { user, system } = process.cpuUsage(before);
    if (round >= 0) rates.push((events / (user + system)) * 1e6);
  }
  console.log(`events of ${Math.round(line.length / 100) / 10} KB: ${Math.round(median(rates))} for a second of CPU`);
}

async function measureIdle(cluster: Cluster, watches: number): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const stop = new AbortController();
  const open = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      const watch = cluster.watch(path('pods'), { signal: stop.signal })[Symbol.asyncIterator]();
      await watch.next();
      // Waits for the next event, as an informer does, until the end of the bench.
      watch.next().catch(() => undefined);
    }
  };
  // The young generation of the heap grows to its size with the first work, whatever it is.
  await millisecondsOf(500, () => cluster.get({ ...path('pods'), name: 'web' }));
  await open(50);
  collect();
  const before = process.memoryUsage();
  await open(watches);
  collect();
  const after = process.memoryUsage();
  const each = (bytes: number): string => `${(bytes / watches / 1024).toFixed(0)} KB`;
  const [resident, heap] = [each(after.rss - before.rss), each(after.heapUsed - before.heapUsed)];
  console.log(`${watches} idle watches: ${resident} resident each, ${heap} of it heap`);
  stop.abort();
}

async function measure(): Promise<void> {
  const { values } = parseArgs({
    options: {
      reads: { type: 'string', default: '500' },
      rounds: { type: 'string', default: '5' },
      watches: { type: 'string', default: '1000' },
    },
  });
  for (const protocol of ['h2', 'http/1.1']) {
    const child = fork(import.meta.filename, ['serve', protocol]);
    const [port] = await once(child, 'message');
    const url = `https://127.0.0.1:${port}`;
    const cluster = clusterAt(url);
    console.log(`watches over ${protocol}`);
    // First, while the process is small: later it would take memory that others have given back.
    await measureIdle(cluster, Number(values.watches));
    if (protocol === 'h2') await measureReads(url, cluster, Number(values.reads), Number(values.rounds));
    await measureWatch(cluster, Number(values.rounds));
    await cluster.close();
    child.kill();
  }
}

await (process.argv[2] === 'serve' ? serveForever() : measure());
