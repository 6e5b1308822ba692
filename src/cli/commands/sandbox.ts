import type { AddCommand } from '../command-context.ts';
import type { SandboxFlags } from './run-sandbox.ts';

/** `convoy sandbox`: a Kubernetes API to try things on, without a cluster. */
export const addSandboxCommand: AddCommand = (program, context) => {
  program
    .command('sandbox')
    .summary('a simulated cluster in this process, for kubectl, helm and tests')
    .description(
      'Runs a simulated Kubernetes cluster in this process until Ctrl-C: an API server for kubectl and helm, and\n' +
        'controllers that roll workloads out without running them. Nothing is kept.\n\n' +
        '  convoy sandbox --kubeconfig sandbox.json\n' +
        '  kubectl --kubeconfig sandbox.json apply -f manifests/\n\n' +
        'Pods fail on request, by the annotation sandbox.convoy.kumodo.io/scenario of a pod or its workload:\n' +
        'crash-loop, image-pull, never-ready, slow:30s, oom, unschedulable, flap; or by an image tag: app:broken,\n' +
        'app:missing, app:never-ready, app:oom, app:slow.',
    )
    .option('--port <number>', 'port on 127.0.0.1; 0: any free one', '0')
    .option('--kubeconfig <path>', 'file to write access to (default: one in a temporary folder)')
    .option('--nodes <number>', 'how many simulated nodes there are', '3')
    .option(
      '--real',
      'etcd, kube-apiserver and kube-controller-manager instead, built by `make real-control-plane`',
      false,
    )
    .option('--demo [name]', 'run the operator in it and play a story: release (the default)')
    .action(async (flags: SandboxFlags) => {
      const { runSandboxCommand } = await import('./run-sandbox.ts');
      await runSandboxCommand(flags, context);
    });
};
