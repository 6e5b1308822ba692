import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type ProgramCall, ProgramError, type ProgramResult } from '../../../ports/source-tools.ts';

/** Bytes of stderr that are kept: its end says what went wrong. */
const KEPT_STDERR = 64 * 1024;
/** Of `ulimit -f`, in every POSIX shell. */
const BLOCK = 512;
/** Exit code of a shell that did not find the program. */
const NOT_FOUND = 127;

/** `sh` sets the limit and becomes the program; all words reach it as arguments, which no shell reads again. */
function limited(program: string, args: readonly string[], maxFile: number): [string, string[]] {
  const script = 'ulimit -f "$1" && shift && exec "$@"';
  return ['/bin/sh', ['-c', script, 'sh', String(Math.ceil(maxFile / BLOCK)), program, ...args]];
}

function missing(program: string): ProgramError {
  return new ProgramError('missing', `no program ${program}`);
}

/** Ends a program and all that it started: it leads a process group of its own. */
function killGroup(child: ChildProcessWithoutNullStreams): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

async function readEnd(stream: AsyncIterable<Buffer>): Promise<string> {
  let kept: Buffer = Buffer.alloc(0);
  for await (const piece of stream) kept = Buffer.concat([kept, piece]).subarray(-KEPT_STDERR);
  return kept.toString('utf8');
}

async function readOutput(stream: AsyncIterable<Buffer>, call: ProgramCall, program: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stream) {
    length += piece.length;
    if (length > call.maxOutput) {
      throw new ProgramError('output', `${program} printed more than ${call.maxOutput} bytes`);
    }
    if (call.onOutput) await call.onOutput(piece);
    else pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/**
 * Runs a program to its end, with nothing of our own environment.
 * @throws ProgramError when there is no such program or it prints too much, what `onOutput` throws, or the reason of the signal
 */
export async function runProgram(program: string, args: readonly string[], call: ProgramCall): Promise<ProgramResult> {
  call.signal.throwIfAborted();
  const [file, words] = call.maxFile === undefined ? [program, args] : limited(program, args, call.maxFile);
  const child = spawn(file, words, { cwd: call.cwd, env: { ...call.env }, stdio: 'pipe', detached: true });
  const abort = (): void => killGroup(child);
  call.signal.addEventListener('abort', abort, { once: true });
  try {
    // A program that does not read its input breaks the pipe; its exit code tells what matters.
    child.stdin.on('error', () => undefined).end(call.input ?? '');
    const ended = once(child, 'close');
    const [stdout, stderr, [code]] = await Promise.all([
      readOutput(child.stdout, call, program),
      readEnd(child.stderr),
      ended,
    ]);
    call.signal.throwIfAborted();
    if (code === NOT_FOUND && call.maxFile !== undefined && /not found|no such file/i.test(stderr))
      throw missing(program);
    return { code: typeof code === 'number' ? code : -1, stdout, stderr };
  } catch (error) {
    killGroup(child);
    call.signal.throwIfAborted();
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw missing(program);
    throw error;
  } finally {
    call.signal.removeEventListener('abort', abort);
  }
}
