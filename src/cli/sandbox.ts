/** What `convoy sandbox` was asked for. */
export interface SandboxOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Where the kubeconfig goes; undefined: into a folder of its own that goes with the sandbox. */
  readonly kubeconfig: string | undefined;
  readonly nodes: number;
  /** A real control plane with played kubelets instead of the simulated one. */
  readonly real: boolean;
}

/**
 * Runs a sandbox until the process is asked to end. Calls `ready` with the path of the kubeconfig when it works. Throws a
 * ConvoyError: PortTaken, KubeconfigTaken, FileUnwritable, ControlPlaneMissing, ControlPlaneFailed.
 */
export type RunSandbox = (options: SandboxOptions, ready: (kubeconfig: string) => Promise<void>) => Promise<void>;
