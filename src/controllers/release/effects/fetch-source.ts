import { paceOf, progressing, retryDelay } from '../../../core/release/attempt/index.ts';
import { SourceError } from '../../../ports/renderer.ts';
import { AGAIN, type Step, wait } from '../failures.ts';
import { serverOf } from '../source/fetch-gate.ts';
import { inputsDigest } from '../source/inputs-digest.ts';
import { readSource } from '../source/read-source.ts';
import type { Visit } from '../visit.ts';

/** ms after which whoever was turned away comes again, if nobody wakes it before. */
const TURNED_AWAY = 30_000;

/** Finds out what the source says now, when there is a place to fetch it. Its files stay at hand for the rest of the visit. */
export async function fetchSource(visit: Visit): Promise<Step> {
  const { services, release } = visit;
  const server = serverOf(release.spec.source);
  if (server === undefined) return readNow(visit);
  const leave = services.fetches.enter(visit.key, server);
  if (leave === undefined) return turnedAway(visit, server);
  try {
    return await services.aside(() => readNow(visit));
  } finally {
    leave();
  }
}

/** What the source said last, be it why it cannot be read, goes on to count; a Release of which nothing is known waits. */
async function turnedAway(visit: Visit, server: string): Promise<Step> {
  const { services, release, memory } = visit;
  const { source } = memory;
  if (source?.generation === release.metadata.generation) {
    const { facts } = source;
    const again = services.clock.now() + TURNED_AWAY;
    memory.source = {
      ...source,
      facts: facts.kind === 'read' ? { ...facts, nextAt: again } : { ...facts, retryAt: again },
    };
    return AGAIN;
  }
  // A Release that has been attempted has more to tell.
  const isNew = release.status.lastAttempted === undefined;
  if (isNew) await visit.writeReport(progressing(`waiting for other sources to be fetched from ${server}`));
  return wait(TURNED_AWAY);
}

async function readNow(visit: Visit): Promise<Step> {
  const { services, release, memory } = visit;
  const { generation } = release.metadata;
  try {
    const content = await readSource(visit);
    visit.keepContent(content);
    const nextAt = services.clock.now() + paceOf(release).interval;
    const facts = { kind: 'read', inputs: inputsDigest(visit, content), revision: content.revision, nextAt } as const;
    memory.source = { generation, facts, failures: 0 };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    noteSourceFailure(visit, 'SourceFailed', error);
  }
  return AGAIN;
}

/** It is tried again with the back-off of an attempt, what cannot mend itself at the interval. */
export function noteSourceFailure(
  { services, release, memory }: Visit,
  step: 'SourceFailed' | 'RenderFailed',
  { message, retry }: Pick<SourceError, 'message' | 'retry'>,
): void {
  const { generation } = release.metadata;
  const before = memory.source;
  const failures = (before?.generation === generation ? before.failures : 0) + 1;
  const { interval, retryInterval } = paceOf(release);
  const terminal = retry === 'terminal';
  const retryAt = services.clock.now() + (terminal ? interval : retryDelay(retryInterval, failures));
  memory.source = { generation, failures, facts: { kind: 'failed', step, message, terminal, retryAt } };
}
