import { INVENTORIES, RELEASES } from '../../../core/api/index.ts';
import type { HealthState } from '../../../core/health/verdict.ts';
import { entriesOf } from '../../../core/release/inventory/index.ts';
import { type ReleaseHealth, releaseHealthOf } from '../../../core/release/view/release-health.ts';
import { EXIT } from '../../exit-code.ts';
import { Changes } from '../../live/changes.ts';
import { pictureOf } from '../../printers/live-screen.ts';
import { healthChanges, healthLines } from '../../printers/release-health.ts';
import { mayColour } from '../../talk.ts';
import { type FoundRelease, pagesAmong, type ReleaseSession, readFound } from './release-session.ts';

export interface WatchOptions {
  readonly state: HealthState | undefined;
  readonly json: boolean;
}

/** ms between two pictures: faster than that nobody reads. */
const REST = 100;

/** Shows the health of a Release, and each change, until the person ends it or the Release is gone. Returns the exit code. */
export async function watchRelease(
  session: ReleaseSession,
  { release }: FoundRelease,
  { state, json }: WatchOptions,
): Promise<number> {
  const { io, connection } = session;
  const { namespace, name } = release.metadata;
  const stop = new AbortController();
  const interrupted = connection.interrupted();
  interrupted.addEventListener('abort', () => stop.abort(), { once: true });
  const changes = new Changes();
  const mark = (): void => changes.mark();
  const kind = { namespaced: true, namespace };
  const releases = connection.follow(
    { type: { ...RELEASES, ...kind, kind: 'Release' }, namespace, name },
    mark,
    stop.signal,
  );
  const pages = connection.follow(
    { type: { ...INVENTORIES, ...kind, kind: 'ReleaseInventory' }, namespace },
    mark,
    stop.signal,
  );
  let before: ReleaseHealth | undefined;
  let problem: string | undefined;
  try {
    while (!stop.signal.aborted) {
      await changes.next(stop.signal);
      const trouble = (releases.problem ?? pages.problem)?.message;
      if (trouble !== undefined && trouble !== problem) await io.err(`convoy: ${trouble} (trying again)\n`);
      problem = trouble;
      if (!releases.synced || !pages.synced || stop.signal.aborted) continue;
      const [object] = releases.objects();
      if (object === undefined) {
        await io.err(`convoy: release ${name} is gone\n`);
        return EXIT.healthy;
      }
      const current = readFound(object).release;
      const after = releaseHealthOf(current, entriesOf(pagesAmong(current, pages.objects())), state);
      await show(session, before, after, json);
      before = after;
      await connection.clock.sleep(REST, stop.signal).catch(() => undefined);
    }
    return EXIT.healthy;
  } finally {
    stop.abort();
  }
}

async function show(
  { io }: ReleaseSession,
  before: ReleaseHealth | undefined,
  after: ReleaseHealth,
  json: boolean,
): Promise<void> {
  const now = io.now();
  if (json || !io.isTerminal) {
    const lines = healthChanges(before, after, now, json);
    if (lines.length > 0) await io.out(lines.map((line) => `${line}\n`).join(''));
    return;
  }
  const lines = healthLines(after, now, mayColour(io));
  await io.out(pictureOf(lines.slice(0, -1), lines.at(-1) ?? '', now, io.terminalSize?.()));
}
