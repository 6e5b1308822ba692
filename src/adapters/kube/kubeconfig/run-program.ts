import { spawn } from 'node:child_process';

export interface ProgramCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether the program gets the terminal for its input. Else it reads the end of its input at once. */
  readonly terminal: boolean;
  /** Ends the program when it aborts. */
  readonly signal: AbortSignal;
}

export interface ProgramResult {
  /** Undefined when a signal ended it. */
  readonly exitCode: number | undefined;
  readonly output: string;
  /** The end of what it wrote to stderr; '' when the terminal got it. */
  readonly complaint: string;
}

/** Runs a program to its end. Rejects with the error of `spawn` (ENOENT, EACCES) or the reason of the signal. */
export type RunProgram = (call: ProgramCall) => Promise<ProgramResult>;

/** An ExecCredential is some KB; a program that writes more than this writes something else. */
const LONGEST_OUTPUT = 1 << 20;
const LONGEST_COMPLAINT = 4096;

export const runProgram: RunProgram = ({ command, args, environment, terminal, signal }) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: environment,
      stdio: [terminal ? 'inherit' : 'ignore', 'pipe', terminal ? 'inherit' : 'pipe'],
      windowsHide: true,
    });
    let output = '';
    let complaint = '';
    const end = (work: () => void): void => {
      signal.removeEventListener('abort', abort);
      // A grandchild may hold the pipes open after the program is gone.
      child.stdout?.destroy();
      child.stderr?.destroy();
      work();
    };
    const abort = (): void => {
      child.kill('SIGKILL');
      end(() => reject(signal.reason));
    };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length > LONGEST_OUTPUT) {
        child.kill('SIGKILL');
        end(() => reject(new RangeError(`wrote more than ${LONGEST_OUTPUT} bytes`)));
      }
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-LONGEST_COMPLAINT);
    });
    child.on('error', (error) => end(() => reject(error)));
    child.on('close', (code) => end(() => resolve({ exitCode: code ?? undefined, output, complaint })));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
