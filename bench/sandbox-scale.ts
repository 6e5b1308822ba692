/**
 * How long the sandbox takes to roll out many Deployments, and what it needs for it: a process of its own, as `convoy sandbox` runs,
 * whose API is written to over HTTPS. Prints the time until the last one is rolled out, the largest resident memory, and the changes
 * of objects per second. Options: --deployments N (default 2000), --replicas N (default 3).
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:https';
import { parseArgs } from 'node:util';
import { nodeClock } from '../src/apps/node-clock.ts';
import { field } from '../src/core/object/fields.ts';
import { startSandbox } from '../src/sandbox/start-sandbox.ts';

const { values } = parseArgs({
  options: {
    deployments: { type: 'string', default: '2000' },
    replicas: { type: 'string', default: '3' },
    /** Set in the process that is the sandbox. */
    serve: { type: 'boolean', default: false },
  },
});
const deployments = Number(values.deployments);
const replicas = Number(values.replicas);
/** Requests at a time, as kubectl's and helm's clients send them over few connections. */
const WRITERS = 8;
const GOAL = { seconds: 60, megabytes: 1024 };

interface Reach {
  readonly url: string;
  readonly token: string;
  readonly authority: string;
}

/** What the sandbox tells when all is rolled out. */
interface Result {
  readonly milliseconds: number;
  readonly changes: number;
  /** CPU time of the process, which other work on the machine does not lengthen. */
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
}

async function serve(): Promise<void> {
  const sandbox = await startSandbox({ clock: nodeClock, token: 'token-of-the-bench' });
  const { url, token, authority, api } = sandbox;
  process.send?.({ url, token, authority });
  await once(process, 'message');
  const start = performance.now();
  const before = api.store.revision;
  const cpu = process.cpuUsage();
  const done = new Set<string>();
  await new Promise<void>((resolve) => {
    api.store.subscribe(({ key, object }) => {
      if (key !== 'apps/deployments' || field(object['status'], 'availableReplicas') !== replicas) return;
      done.add(object.metadata.name);
      if (done.size === deployments) resolve();
    });
  });
  const milliseconds = performance.now() - start;
  const changes = api.store.revision - before;
  const { user, system } = process.cpuUsage(cpu);
  const cpuSeconds = (user + system) / 1_000_000;
  process.send?.({ milliseconds, changes, cpuSeconds, peakMegabytes: process.resourceUsage().maxRSS / 1024 });
  await once(process, 'message');
  await sandbox.close();
  process.disconnect?.();
}

function create({ url, token, authority }: Reach, name: string): Promise<void> {
  const labels = { app: name };
  const containers = [{ name: 'app', image: 'app:1' }];
  const spec = {
    replicas,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers } },
  };
  const body = JSON.stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec });
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const options = { method: 'POST', ca: authority, headers } as const;
    request(`${url}/apis/apps/v1/namespaces/default/deployments`, options, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 201) resolve();
        else reject(new Error(`the sandbox answered with ${response.statusCode}`));
      });
    })
      .on('error', reject)
      .end(body);
  });
}

async function measure(): Promise<void> {
  const child = fork(import.meta.filename, ['--serve', ...process.argv.slice(2)]);
  const [reach]: [Reach] = (await once(child, 'message')) as [Reach];
  const told = once(child, 'message') as Promise<[Result]>;
  child.send('start');
  let next = 0;
  const writer = async (): Promise<void> => {
    while (next < deployments) {
      const number = next;
      next += 1;
      await create(reach, `web-${number}`);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  const [{ milliseconds, changes, cpuSeconds, peakMegabytes }] = await told;
  child.send('stop');
  const seconds = milliseconds / 1000;
  const verdict = seconds <= GOAL.seconds && peakMegabytes <= GOAL.megabytes ? 'met' : 'FAILED';
  console.log(
    `${deployments} Deployments of ${replicas} pods rolled out in ${seconds.toFixed(1)} s (goal ${GOAL.seconds} s), ${cpuSeconds.toFixed(1)} s of CPU, ` +
      `${Math.round(changes / seconds)} changes/s of ${changes}, peak ${Math.round(peakMegabytes)} MB (goal ${GOAL.megabytes} MB): ${verdict}`,
  );
}

await (values.serve ? serve() : measure());
