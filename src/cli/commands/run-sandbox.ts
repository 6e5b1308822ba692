import { ConvoyError } from '../../core/errors/index.ts';
import type { CommandContext } from '../command-context.ts';
import { DEMO_NAMES } from '../sandbox.ts';

/** The flags of `convoy sandbox` as they are typed. */
export interface SandboxFlags {
  readonly port: string;
  readonly kubeconfig?: string;
  readonly nodes: string;
  readonly real: boolean;
  /** true: the first one. */
  readonly demo?: string | true;
}

function wholeNumber(flag: string, text: string, most: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= most)) throw new ConvoyError('NumberInvalid', { flag, value: text, most });
  return value;
}

function demoOf(given: string | true | undefined): string | undefined {
  const names = Object.keys(DEMO_NAMES);
  const name = given === true ? names[0] : given;
  if (name === undefined || names.includes(name)) return name;
  throw new ConvoyError('UsageInvalid', { reason: `there is no demo "${name}"`, hint: `use ${names.join(', ')}` });
}

/** Runs the sandbox and says when it works. Throws a ConvoyError for wrong flags and for what keeps it from starting. */
export async function runSandboxCommand(flags: SandboxFlags, { io, runSandbox }: CommandContext): Promise<void> {
  const port = wholeNumber('--port', flags.port, 65_535);
  const nodes = wholeNumber('--nodes', flags.nodes, 1_000);
  const demo = demoOf(flags.demo);
  const ready = async (kubeconfig: string): Promise<void> => {
    await io.out(`sandbox ready: KUBECONFIG=${kubeconfig}\n`);
    if (!io.isTerminal || demo !== undefined) return;
    await io.err(
      `\nIn another terminal:\n  export KUBECONFIG=${kubeconfig}\n` +
        '  kubectl create deployment web --image=app:1\n  convoy health deploy/web --wait\n' +
        '  kubectl set image deploy/web app=app:broken\n  convoy health --all-kinds\nCtrl-C ends it.\n',
    );
  };
  // Lines come one after the other: each is written before the next is asked for by anybody.
  let told: Promise<void> = Promise.resolve();
  const tell = (line: string): void => {
    told = told.then(() => io.out(`${line}\n`));
  };
  await runSandbox({ port, nodes, kubeconfig: flags.kubeconfig, real: flags.real, demo }, ready, tell);
  await told;
}
