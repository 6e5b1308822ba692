import { type FailingContainer, failingContainer } from '../../core/health/failing-container.ts';
import { STATES_WORST_FIRST } from '../../core/health/verdict.ts';
import { asConvoyError } from './failures.ts';
import type { JudgedWithContext, LiveSession } from './session.ts';

const LINES = 20;
/** Logs that are shown: what fails together mostly fails for one reason. */
const MOST_LOGS = 5;
/** Characters of one line that are shown. */
const LONGEST_LINE = 1000;

/** ms for one log. */
const TIMEOUT = 10_000;

/** The failing containers of what is not healthy, worst first, each once. */
function failingContainers({ judged, context }: JudgedWithContext): readonly FailingContainer[] {
  const objects = [...context, ...judged.map(({ object }) => object)];
  const wrong = STATES_WORST_FIRST.filter((state) => state !== 'Healthy').flatMap((state) =>
    judged.filter(({ verdict }) => verdict.state === state),
  );
  const found = new Map<string, FailingContainer>();
  for (const { object } of wrong) {
    const container = failingContainer(object, objects);
    if (container !== undefined) found.set(`${container.namespace}/${container.pod}/${container.container}`, container);
  }
  return [...found.values()];
}

/** A line of a stranger's: what would move the cursor or colour the terminal is shown as `?`. */
function plain(line: string): string {
  const text = line.replace(/[^\t\P{Cc}]/gu, '?');
  return text.length <= LONGEST_LINE ? text : `${text.slice(0, LONGEST_LINE)}…`;
}

async function readLog({ connection, timeout }: LiveSession, from: FailingContainer): Promise<string> {
  const { namespace, pod, container, previous } = from;
  const options = { container, previous, tailLines: LINES, timeout: timeout ?? TIMEOUT };
  let text = '';
  for await (const line of connection.cluster.logs(namespace, pod, options)) text += `  ${plain(line)}\n`;
  return text;
}

/** Prints the last lines of the containers that fail. A log that cannot be read is told, and is no failure. */
export async function printLogs(session: LiveSession, found: JudgedWithContext): Promise<void> {
  const containers = failingContainers(found);
  for (const from of containers.slice(0, MOST_LOGS)) {
    const name = `${from.namespace}/${from.pod}, container ${from.container}`;
    try {
      const text = await readLog(session, from);
      const run = from.previous ? ', the run that ended' : '';
      await session.io.out(`\nLog of pod ${name}${run}, last lines:\n${text === '' ? '  (empty)\n' : text}`);
    } catch (error) {
      const told = asConvoyError(error);
      if (!(told instanceof Error)) throw told;
      await session.io.err(`convoy: the log of pod ${name} cannot be read: ${told.message}\n`);
    }
  }
  const more = containers.length - MOST_LOGS;
  if (more > 0)
    await session.io.out(
      `\n${more} more ${more === 1 ? 'container fails' : 'containers fail'}; name one object for its log\n`,
    );
}
