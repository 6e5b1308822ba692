import { ConvoyError } from '../../core/errors/index.ts';
import { type AddCommand, collect } from '../command-context.ts';
import type { LiveHealthFlags } from './run-live-health.ts';

/** Flags that say something about a cluster, and nothing about files. */
const LIVE_ONLY: readonly [keyof LiveHealthFlags, string][] = [
  ['allKinds', '--all-kinds'],
  ['wait', '--wait'],
  ['timeout', '--timeout'],
  ['watch', '--watch'],
  ['logs', '--logs'],
  ['context', '--context'],
  ['kubeconfig', '--kubeconfig'],
  ['as', '--as'],
  ['asGroup', '--as-group'],
  ['requestTimeout', '--request-timeout'],
];

function refuseLiveFlags(words: readonly string[], flags: LiveHealthFlags): void {
  const flag = LIVE_ONLY.find(([name]) => flags[name] !== undefined)?.[1];
  const named = words[0] === undefined ? flag : words.join(' ');
  if (named !== undefined) throw new ConvoyError('FilesOrCluster', { named });
}

/** `convoy health`: is what runs in this cluster, or stands in these files, working, and if not, why? */
export const addHealthCommand: AddCommand = (program, context) => {
  program
    .command('health')
    .argument('[objects...]', 'objects of a cluster: TYPE/NAME…, TYPE NAME… or TYPE,TYPE')
    .summary('judge Kubernetes objects: are they working, and if not, why?')
    .description(
      'Judges Kubernetes objects, of a cluster or in files: are they working, and if not, why?\n\n' +
        '  convoy health deploy/web -n shop\n' +
        '  convoy health deploy/web -n shop --wait --timeout 2m\n' +
        '  convoy health --all-kinds -A\n' +
        '  kubectl get all,pvc -A -o yaml | convoy health -f -\n' +
        '  convoy health -f cluster-dump.yaml -o json',
    )
    .option('-f, --filename <path>', 'file, folder or - for stdin; may be repeated', collect)
    .option('-n, --namespace <name>', 'only objects of this namespace (cluster: default that of the context)')
    .option('-A, --all-namespaces', 'objects of all namespaces (files: always)')
    .option('-l, --selector <selector>', 'only objects with these labels, e.g. app=web,tier!=cache')
    .option('--all-kinds', 'objects of every kind that has a rule, as with -l alone')
    .option(
      '-o, --output <format>',
      'table, wide, json, yaml, junit, name (those not healthy) or jsonpath=TEMPLATE',
      'table',
    )
    .option('--rules <path>', 'rule set, rule ConfigMap or rule folder to add; may be repeated', collect)
    .option('--now <time>', 'judge at this time, RFC 3339 (default: the clock)')
    .option('--deadline <duration>', 'call Degraded what has been failing this long, e.g. 10m (default: no deadline)')
    .option('--exit-zero', 'exit with 0 whatever the health is')
    .option('--wait', 'wait until everything is healthy, or something fails')
    .option('--timeout <duration>', 'longest wait (default: 5m)')
    .option('-w, --watch', 'show the health and how it changes: a live table, or in a pipe one line per change')
    .option('--logs', 'show the last log lines of the containers that fail')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option(
      '--kubeconfig <path>',
      'kubeconfig (default: KUBECONFIG, else ~/.kube/config, else the cluster of this pod)',
    )
    .option('--as <user>', 'user to act as')
    .option('--as-group <group>', 'group to act as; may be repeated', collect)
    .option('--request-timeout <duration>', 'longest wait for one answer of the cluster, e.g. 10s (default: 60s)')
    .addHelpText(
      'after',
      '\nExit codes: 0 all healthy, 1 something is not, 2 wrong usage or unreadable input, 3 the cluster cannot be\n' +
        'read, 4 the wait was too short.',
    )
    .action(async (words: readonly string[], flags: LiveHealthFlags) => {
      if (flags.filename !== undefined) {
        refuseLiveFlags(words, flags);
        const { runHealth } = await import('./run-health.ts');
        return context.exit(await runHealth(flags, context));
      }
      const { runLiveHealth } = await import('./run-live-health.ts');
      context.exit(await runLiveHealth(words, flags, context));
    });
};
