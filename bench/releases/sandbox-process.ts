/**
 * The sandbox with Releases in a process of its own, so that its work is not measured. Its parent gets the kubeconfig, then an answer
 * to each message.
 */
import { nodeClock } from '../../src/apps/node-clock.ts';
import { asList, asMap } from '../../src/core/object/fields.ts';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { BenchWorld } from './world.ts';

export type Question =
  /** Makes Releases `NAME-0` …, answers with nothing. */
  | { readonly ask: 'fill'; readonly name: string; readonly releases: number; readonly resources: number }
  /** Answers with the number of Releases whose Healthy condition is True. */
  | { readonly ask: 'healthy' }
  /** Turns an object of one Release after the other; answers with the ms until each Healthy condition told it. */
  | {
      readonly ask: 'change';
      readonly name: string;
      readonly releases: number;
      readonly count: number;
      readonly perSecond: number;
    }
  /** Answers with the requests since the last time. */
  | { readonly ask: 'requests' };

export interface Requests {
  readonly gets: number;
  readonly lists: number;
  readonly writes: number;
}

const sandbox = await startSandbox({ clock: nodeClock, token: 'token-of-the-bench' });
const world = new BenchWorld(sandbox.api);
let requests = { gets: 0, lists: 0, writes: 0 };
sandbox.setFault(({ method, query, path }) => {
  const named = path.length > (path[0] === 'api' ? 4 : 5);
  if (method !== 'GET') requests.writes += 1;
  else if (!query.has('watch')) requests[named ? 'gets' : 'lists'] += 1;
  return undefined;
});

/** `True`, `False`, … of the Healthy condition of each Release. */
const healthy = new Map<string, string>();
/** Changes that no condition has told yet. */
const open = new Map<
  string,
  { readonly wanted: string; readonly since: number; readonly done: (ms: number) => void }
>();
sandbox.api.store.subscribe(({ object }) => {
  if (object.kind !== 'Release') return;
  const { name } = object.metadata;
  const condition = asList(asMap(object['status'])['conditions'])
    .map(asMap)
    .find((one) => one['type'] === 'Healthy');
  const status = String(condition?.['status']);
  healthy.set(name, status);
  const change = open.get(name);
  if (change?.wanted !== status) return;
  open.delete(name);
  change.done(performance.now() - change.since);
});

async function change({ name, releases, count, perSecond }: Question & { ask: 'change' }): Promise<number[]> {
  const told: Promise<number>[] = [];
  for (let index = 0; index < count; index += 1) {
    const release = `${name}-${index % releases}`;
    const wanted = healthy.get(release) === 'True' ? 'False' : 'True';
    told.push(
      new Promise((done) => {
        open.set(release, { wanted, since: performance.now(), done });
        world.setReady(`${release}-0`, wanted === 'True');
      }),
    );
    await nodeClock.sleep(1000 / perSecond);
  }
  return Promise.all(told);
}

async function answer(question: Question): Promise<unknown> {
  switch (question.ask) {
    case 'fill':
      for (let index = 0; index < question.releases; index += 1) {
        world.release(`${question.name}-${index}`, question.resources);
      }
      return {};
    case 'healthy':
      return [...healthy.values()].filter((status) => status === 'True').length;
    case 'change':
      return change(question);
    case 'requests': {
      const seen = requests;
      requests = { gets: 0, lists: 0, writes: 0 };
      return seen;
    }
  }
}

process.on('message', (question: Question) => {
  answer(question).then(
    (value) => process.send?.({ value }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
process.on('disconnect', () => process.exit(0));
process.send?.({ value: sandbox.kubeconfig });
