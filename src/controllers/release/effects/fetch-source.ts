import { paceOf, retryDelay } from '../../../core/release/attempt/index.ts';
import { SourceError } from '../../../ports/renderer.ts';
import { AGAIN, type Step } from '../failures.ts';
import { inputsDigest } from '../source/inputs-digest.ts';
import { readSource } from '../source/read-source.ts';
import type { Visit } from '../visit.ts';

/** Finds out what the source says now. Its files stay at hand for the rest of the visit. */
export async function fetchSource(visit: Visit): Promise<Step> {
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
