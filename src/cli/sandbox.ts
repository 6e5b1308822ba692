/** What `convoy sandbox` was asked for. */
export interface SandboxOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Where the kubeconfig goes; undefined: into a folder of its own that goes with the sandbox. */
  readonly kubeconfig: string | undefined;
  readonly nodes: number;
  /** A real control plane with played kubelets instead of the simulated one. */
  readonly real: boolean;
  /** A story to play there, with an operator; undefined: none. */
  readonly demo: string | undefined;
}

/**
 * Runs a sandbox until the process is asked to end. Calls `ready` with the path of the kubeconfig when it works. Throws a
 * ConvoyError: PortTaken, KubeconfigTaken, FileUnwritable, ControlPlaneMissing, ControlPlaneFailed. `tell` shows a line of the demo.
 */
export type RunSandbox = (
  options: SandboxOptions,
  ready: (kubeconfig: string) => Promise<void>,
  tell: (line: string) => void,
) => Promise<void>;

/** The stories that there are, by what a person types, with the line of help. */
export const DEMO_NAMES: Readonly<Record<string, string>> = {
  release: 'a Release from its first day to its last: waves, hooks, a bad image, rollback, drift, prune',
};
