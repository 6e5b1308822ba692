import type { AddCommand } from '../command-context.ts';
import type { InstallFlags } from './run-install.ts';

/** `convoy install`: what a cluster needs to have, for kubectl to apply. */
export const addInstallCommand: AddCommand = (program, context) => {
  program
    .command('install')
    .summary('print what a cluster needs: definitions, rights, operator, rule sets')
    .description(
      'Prints what a cluster needs to have: definitions, the shipped rule sets, least rights, the operator, and its\n' +
        'aggregated API. Changes nothing itself; twice is as good as once.\n\n' +
        '  convoy install --only crds | kubectl apply --server-side -f -    (first: kubectl has to know the kinds)\n' +
        '  convoy install | kubectl apply --server-side -f -\n\n' +
        'What a Release holds is applied in the name of its service account. Without one, and without\n' +
        '--default-service-account, the rights of the operator count, which are few unless --cluster-admin is given.',
    )
    .option('-n, --namespace <name>', 'namespace of the operator', 'convoy-system')
    .option('--image <image>', 'image of the operator (default: the one of this version)')
    .option('--replicas <number>', 'processes that share the work', '2')
    .option('--controllers <names>', 'what it does: release, observer', 'release,observer')
    .option('--no-aggregated-api', 'without /health and /sync')
    .option('--cluster-admin', 'give the operator every right')
    .option('--default-service-account <name>', "account of a Release's namespace, where the Release names none")
    .option('--only <part>', 'crds, rules, rbac or operator')
    .option('--dry-run', 'accepted for habit: it only ever prints')
    .option('-o, --output <format>', 'yaml or json', 'yaml')
    .action(async (flags: InstallFlags) => {
      const { runInstall } = await import('./run-install.ts');
      await runInstall(flags, context.io);
    });
};
