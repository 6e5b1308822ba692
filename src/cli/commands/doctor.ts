import { type AddCommand, collect } from '../command-context.ts';
import type { DoctorFlags } from './run-doctor.ts';

/** `convoy doctor`: can this cluster be judged from here, and if not, what is to be mended? */
export const addDoctorCommand: AddCommand = (program, context) => {
  program
    .command('doctor')
    .summary('check kubeconfig, server, access rights, versions, clocks and rules')
    .description(
      'Checks all that `convoy health` needs of a cluster: one line for each check, with what to do about it.\n\n' +
        '  convoy doctor\n  convoy doctor -A --context prod',
    )
    .option('-n, --namespace <name>', 'check access to this namespace (default: that of the context)')
    .option('-A, --all-namespaces', 'check access to all namespaces and to what is in none')
    .option('--rules <path>', 'rule set, rule ConfigMap or rule folder to check; may be repeated', collect)
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
      '\nExit codes: 0 no problem, 1 a problem, 2 wrong usage or unusable kubeconfig, 3 the cluster cannot be read.',
    )
    .action(async (flags: DoctorFlags) => {
      const { runDoctor } = await import('./run-doctor.ts');
      context.exit(await runDoctor(flags, context));
    });
};
