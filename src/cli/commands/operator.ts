import { type AddCommand, collect } from '../command-context.ts';
import type { OperatorFlags } from './run-operator.ts';

/** `convoy operator`: the process that works on Releases. */
export const addOperatorCommand: AddCommand = (program, context) => {
  program
    .command('operator')
    .summary('work on the Releases of a cluster, until it is told to end')
    .description(
      'Works on the Releases of a cluster until SIGTERM or Ctrl-C: renders and applies, assesses health, finds drift.\n' +
        'Writes its log to stderr, a JSON object per line.\n\n' +
        '  convoy operator                        with the current context, or the cluster of this pod\n' +
        '  convoy operator --shards 16            one of several replicas that share the work',
    )
    .option('--controllers <names>', 'what it does: release, observer', 'release,observer')
    .option('--shards <number>', 'divide Releases into so many shards among the replicas (default: no other replica)')
    .option('--leader-elect', 'only one replica works at a time: the same as --shards 1')
    .option('--installation-id <id>', "keeps apart what two clusters apply to a third (default: kube-system's uid)")
    .option('--default-service-account <name>', "acts as this account of a Release's namespace where it names none")
    .option('--no-cross-namespace-refs', 'refuse Releases that name objects of other namespaces')
    .option(
      '--insecure-kubeconfig-exec',
      'let kubeconfigs of Secrets run programs in this process: trusted tenants only',
    )
    .option('--no-aggregated-api', 'do not serve /health and /sync')
    .option('--aggregated-api-bind-address <address>', 'where /health and /sync listen, over TLS', '0.0.0.0:6443')
    .option('--aggregated-api-service <name>', 'the Service by which the API server reaches them', 'convoy')
    .option('--health-bind-address <address>', 'where /livez, /readyz and /metrics listen', '127.0.0.1:8080')
    .option('--cache-dir <folder>', 'where fetched sources are kept (default: in the temporary folder)')
    .option('--workers <number>', 'Releases that are applied at once', '4')
    .option('--log-level <level>', 'debug, info, warn or error', 'info')
    .option('-n, --namespace <name>', 'its own namespace, for leases and certificates (default: that of the context)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option(
      '--kubeconfig <path>',
      'kubeconfig (default: KUBECONFIG, else ~/.kube/config, else the cluster of this pod)',
    )
    .option('--as <user>', 'user to act as')
    .option('--as-group <group>', 'group to act as; may be repeated', collect)
    .action(async (flags: OperatorFlags) => {
      const { compileOperatorOptions } = await import('./run-operator.ts');
      await context.runOperator(compileOperatorOptions(flags));
    });
};
