import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** What one engine measured in one round. */
export interface Measured {
  readonly nanoseconds: Readonly<Record<string, number>>;
  /** Milliseconds of processor time that the engine took for it. */
  readonly processor: number;
}

/** An engine in a process of its own that measures when it is asked. */
export class EngineProcess {
  private readonly child: ChildProcessByStdio<Writable, Readable, null>;
  private readonly lines: AsyncIterator<string>;

  constructor(program: string, args: readonly string[], firstLine?: string) {
    this.child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    if (firstLine !== undefined) this.child.stdin.write(`${firstLine}\n`);
  }

  /** Waits for the end of its warm-up. */
  async ready(): Promise<void> {
    await this.answer();
  }

  async round(): Promise<Measured> {
    this.child.stdin.write('round\n');
    return (await this.answer()) as Measured;
  }

  end(): void {
    this.child.stdin.end();
  }

  private async answer(): Promise<unknown> {
    const { value, done } = await this.lines.next();
    if (done) throw new Error('an engine ended before its time; its message stands above');
    return JSON.parse(value);
  }
}
