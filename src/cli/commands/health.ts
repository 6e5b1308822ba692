import { type AddCommand, collect } from '../command-context.ts';
import type { HealthFlags } from './run-health.ts';

/** `convoy health`: is what stands in these files working, and if not, why? */
export const addHealthCommand: AddCommand = (program, context) => {
  program
    .command('health')
    .summary('judge Kubernetes objects: are they working, and if not, why?')
    .description(
      'Judges Kubernetes objects: are they working, and if not, why?\n\n' +
        '  kubectl get all,pvc -A -o yaml | convoy health -f -\n' +
        '  convoy health -f cluster-dump.yaml -o json',
    )
    .option('-f, --filename <path>', 'file, folder or - for stdin; may be repeated', collect)
    .option('-n, --namespace <name>', 'report only objects of this namespace')
    .option('-l, --selector <selector>', 'report only objects with these labels, e.g. app=web,tier!=cache')
    .option(
      '-o, --output <format>',
      'table, wide, json, yaml, junit, name (those not healthy) or jsonpath=TEMPLATE',
      'table',
    )
    .option('--rules <path>', 'rule set, rule ConfigMap or rule folder to add; may be repeated', collect)
    .option('--now <time>', 'judge at this time, RFC 3339 (default: the clock)')
    .option('--deadline <duration>', 'call Degraded what has been failing this long, e.g. 10m (default: no deadline)')
    .option('--exit-zero', 'exit with 0 whatever the health is')
    .addHelpText('after', '\nExit codes: 0 all healthy, 1 something is not, 2 wrong usage or unreadable input.')
    .action(async (flags: HealthFlags) => {
      const { runHealth } = await import('./run-health.ts');
      context.exit(await runHealth(flags, context));
    });
};
