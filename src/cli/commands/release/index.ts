import type { Command } from 'commander';
import { type AddCommand, type CommandContext, collect } from '../../command-context.ts';
import type { ClusterFlags } from '../run-live-health.ts';
import type { DiffFlags } from './run-diff.ts';
import type { GetFlags } from './run-get.ts';
import type { HealthFlags } from './run-health.ts';
import type { HistoryFlags } from './run-history.ts';
import type { ListFlags } from './run-list.ts';
import type { RollbackFlags } from './run-rollback.ts';

/** `convoy release`: what was deployed as one, from the outside. */
export const addReleaseCommand: AddCommand = (program, context) => {
  const release = program
    .command('release')
    .summary('see and steer Releases: health, history, diff, sync, rollback')
    .description('See and steer Releases. Also as `kubectl convoy release …`.');
  for (const add of [addList, addGet, addHealth, addHistory, addDiff, addSync, addRollback, addSuspend, addResume]) {
    add(release, context);
  }
  for (const command of release.commands) command.helpOption('-h, --help', 'this help');
};

/** kubectl's flags for the cluster. */
function withClusterFlags(command: Command): Command {
  return command
    .option('-n, --namespace <name>', 'namespace of the Release (default: that of the context)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option(
      '--kubeconfig <path>',
      'kubeconfig (default: KUBECONFIG, else ~/.kube/config, else the cluster of this pod)',
    )
    .option('--as <user>', 'user to act as')
    .option('--as-group <group>', 'group to act as; may be repeated', collect)
    .option('--request-timeout <duration>', 'longest wait for one answer of the cluster, e.g. 10s (default: 60s)');
}

function addList(release: Command, context: CommandContext): void {
  withClusterFlags(
    release
      .command('list')
      .summary('the Releases there are')
      .description('Lists the Releases of a namespace or of all.'),
  )
    .option('-A, --all-namespaces', 'Releases of all namespaces')
    .option('-l, --selector <selector>', 'only Releases with these labels')
    .option('-o, --output <format>', 'table, wide, json, yaml, name or jsonpath=TEMPLATE', 'table')
    .action(async (flags: ListFlags) => {
      const { runList } = await import('./run-list.ts');
      context.exit(await runList(flags, context));
    });
}

function addGet(release: Command, context: CommandContext): void {
  withClusterFlags(
    release
      .command('get')
      .argument('<name>', 'the Release')
      .summary('one Release: source, renders, conditions, hooks')
      .description(
        'Shows one Release: its source and target, what is attempted, applied and healthy, conditions, hooks.',
      ),
  )
    .option('-o, --output <format>', 'table, json, yaml or jsonpath=TEMPLATE', 'table')
    .action(async (name: string, flags: GetFlags) => {
      const { runGet } = await import('./run-get.ts');
      context.exit(await runGet(name, flags, context));
    });
}

function addHealth(release: Command, context: CommandContext): void {
  withClusterFlags(
    release
      .command('health')
      .argument('<name>', 'the Release')
      .summary('the health of each object of a Release')
      .description(
        'Shows the health of each object of a Release, worst first, as the observer found it.\n\n' +
          '  convoy release health podinfo\n' +
          '  kubectl convoy release health podinfo --state Degraded\n' +
          '  convoy release health podinfo --watch',
      ),
  )
    .option('-o, --output <format>', 'table, json, yaml or jsonpath=TEMPLATE', 'table')
    .option('--state <state>', 'only objects in this state: Degraded, Unknown, Progressing or Healthy')
    .option('-w, --watch', 'show how it changes: a live table, or in a pipe one line per change')
    .option('--exit-zero', 'exit with 0 whatever the health is')
    .addHelpText(
      'after',
      '\nExit codes: 0 healthy, or health is not configured, 1 not healthy or not known, 2 wrong usage or no such\n' +
        'Release, 3 the cluster cannot be read.',
    )
    .action(async (name: string, flags: HealthFlags) => {
      const { runHealth } = await import('./run-health.ts');
      context.exit(await runHealth(name, flags, context));
    });
}

function addHistory(release: Command, context: CommandContext): void {
  withClusterFlags(
    release
      .command('history')
      .argument('<name>', 'the Release')
      .summary('the renders that were attempted')
      .description('Lists the renders of a Release that were attempted, newest first.'),
  )
    .option('-o, --output <format>', 'table, json, yaml or jsonpath=TEMPLATE', 'table')
    .action(async (name: string, flags: HistoryFlags) => {
      const { runHistory } = await import('./run-history.ts');
      context.exit(await runHistory(name, flags, context));
    });
}

function addDiff(release: Command, context: CommandContext): void {
  withClusterFlags(
    release
      .command('diff')
      .argument('<name>', 'the Release')
      .summary('what differs on the cluster from what was rendered')
      .description(
        'Compares each object of a Release on the cluster with what its render makes of it, by dry runs: nothing is\n' +
          'written. Shows each field that differs, from what is there to what is rendered, and who changed it. Values\n' +
          'of Secrets are masked.\n\n' +
          '  convoy release diff podinfo\n' +
          '  convoy release diff podinfo --target-context east',
      ),
  )
    .option('-o, --output <format>', 'diff, json, yaml or jsonpath=TEMPLATE', 'diff')
    .option('--target-context <name>', 'context of the cluster that the objects are on, where it is another one')
    .option('--exit-zero', 'exit with 0 although something differs')
    .addHelpText(
      'after',
      '\nExit codes: 0 nothing differs, 1 something differs or could not be compared, 2 wrong usage or no such Release,\n' +
        '3 the cluster cannot be read.',
    )
    .action(async (name: string, flags: DiffFlags) => {
      const { runDiff } = await import('./run-diff.ts');
      context.exit(await runDiff(name, flags, context));
    });
}

function addSync(release: Command, context: CommandContext): void {
  withClusterFlags(
    release
      .command('sync')
      .argument('<name...>', 'Releases')
      .summary('fetch, render and apply now')
      .description('Asks for an attempt now: the source is fetched and rendered, and what it gives is applied.'),
  ).action(async (names: readonly string[], flags: ClusterFlags) => {
    const { runSync } = await import('./run-sync.ts');
    context.exit(await runSync(names, flags, context));
  });
}

function addRollback(release: Command, context: CommandContext): void {
  withClusterFlags(
    release
      .command('rollback')
      .argument('<name>', 'the Release')
      .summary('back to the render that was healthy last, or to another')
      .description(
        'Applies a render again that the Release keeps, and holds it until the source gives another one.\n\n' +
          '  convoy release rollback podinfo\n' +
          '  convoy release rollback podinfo --to 4f2c91aa03de\n' +
          '  convoy release rollback podinfo --undo',
      ),
  )
    .option('--to <render>', 'beginning of the digest, or revision (default: the render that was healthy last)')
    .option('--undo', 'follow the source again')
    .action(async (name: string, flags: RollbackFlags) => {
      const { runRollback } = await import('./run-rollback.ts');
      context.exit(await runRollback(name, flags, context));
    });
}

function addSuspend(release: Command, context: CommandContext): void {
  withClusterFlags(
    release
      .command('suspend')
      .argument('<name...>', 'Releases')
      .summary('stop fetching, applying and correcting')
      .description('Stops fetching, attempts and corrections; health and drift are still reported.'),
  ).action(async (names: readonly string[], flags: ClusterFlags) => {
    const { runSuspend } = await import('./run-suspend.ts');
    context.exit(await runSuspend(names, true, flags, context));
  });
}

function addResume(release: Command, context: CommandContext): void {
  withClusterFlags(
    release
      .command('resume')
      .argument('<name...>', 'Releases')
      .summary('go on with what was suspended')
      .description('Lets suspended Releases go on.'),
  ).action(async (names: readonly string[], flags: ClusterFlags) => {
    const { runSuspend } = await import('./run-suspend.ts');
    context.exit(await runSuspend(names, false, flags, context));
  });
}
