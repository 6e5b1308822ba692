/**
 * The sandbox behind a bad line, in a process of its own, so that sockets, timers and heap of the soak are the client's alone. Argument:
 * the seed. It gets `storm` and `calm`, and tells its kubeconfig first and what happened at each calm.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { nodeClock } from '../../src/apps/node-clock.ts';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { BadLine } from './bad-line.ts';
import { type Tally, weather } from './weather.ts';

const seed = new FakeClock(Number(process.argv[2]));
const random = (): number => seed.random();
const sandbox = await startSandbox({ clock: nodeClock, token: 'token-of-the-soak' });
const line = new BadLine(Number(new URL(sandbox.url).port));
await line.open();

let tally: Tally = {};
let storm: AbortController | undefined;
let ended: Promise<void> = Promise.resolve();

const count = (name: string): void => {
  tally[name] = (tally[name] ?? 0) + 1;
};

/** What happens to the line and to the server as a whole, every one to four seconds. */
async function blow(signal: AbortSignal): Promise<void> {
  for (;;) {
    await wait(1_000 + random() * 3_000, undefined, { signal });
    const dice = random();
    if (dice < 0.4) {
      count('connections broken');
      line.breakSome(random, 0.5);
    } else if (dice < 0.5) {
      count('connections gone silent');
      line.silenceSome(random, 0.5);
    } else if (dice < 0.7) {
      count('history forgotten');
      sandbox.api.store.compact();
    } else if (dice < 0.8) {
      count('restarts');
      await line.close();
      sandbox.api.store.compact();
      await wait(random() * 3_000);
      await line.open();
    }
  }
}

process.on('message', async (message) => {
  storm?.abort();
  await ended;
  sandbox.setFault(() => undefined);
  if (message === 'storm') {
    storm = new AbortController();
    sandbox.setFault(weather(random, tally));
    ended = blow(storm.signal).catch(() => undefined);
    return;
  }
  process.send?.({ tally, connections: line.connections });
  tally = {};
});
process.on('disconnect', () => process.exit());
process.send?.({ kubeconfig: sandbox.kubeconfig.replace(sandbox.url, `https://127.0.0.1:${line.port}`) });
