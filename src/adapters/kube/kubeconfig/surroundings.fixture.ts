import type { Clock } from '../../../ports/clock.ts';
import type { ProgramCall, ProgramResult } from './run-program.ts';
import type { Surroundings } from './surroundings.ts';

/** A clock that stands until a test moves it; sleeps end when it passes them. */
export class StandingClock implements Clock {
  time = Date.parse('2026-03-02T10:00:00Z');
  readonly sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();

  now(): number {
    return this.time;
  }

  random(): number {
    return 0.5;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const sleeper = {
        until: this.time + ms,
        wake: () => {
          this.sleepers.delete(sleeper);
          resolve();
        },
      };
      this.sleepers.add(sleeper);
      signal?.addEventListener('abort', () => {
        this.sleepers.delete(sleeper);
        reject(signal.reason);
      });
    });
  }

  move(ms: number): void {
    this.time += ms;
    for (const sleeper of [...this.sleepers]) if (sleeper.until <= this.time) sleeper.wake();
  }
}

export interface TestSurroundings extends Surroundings {
  readonly files: Map<string, string>;
  readonly environment: Record<string, string | undefined>;
  readonly clock: StandingClock;
  readonly calls: ProgramCall[];
  interactive: boolean;
  program: (call: ProgramCall) => Promise<ProgramResult>;
}

export function testSurroundings(files: Record<string, string> = {}): TestSurroundings {
  const around: TestSurroundings = {
    files: new Map(Object.entries(files)),
    environment: {},
    home: '/home/ann',
    clock: new StandingClock(),
    interactive: false,
    calls: [],
    program: async () => ({ exitCode: 0, output: '', complaint: '' }),
    async readFile(path) {
      const text = around.files.get(path);
      if (text === undefined) throw Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT' });
      return text;
    },
    runProgram(call) {
      around.calls.push(call);
      return around.program(call);
    },
  };
  return around;
}

/** A kubeconfig with one context `prod`; what is given is put into its cluster and its user. */
export function kubeconfigText(
  parts: { cluster?: Record<string, unknown>; user?: Record<string, unknown>; context?: Record<string, unknown> } = {},
): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'prod',
    contexts: [{ name: 'prod', context: { cluster: 'east', user: 'ann', ...parts.context } }],
    clusters: [{ name: 'east', cluster: { server: 'https://api.example.test:6443', ...parts.cluster } }],
    users: [{ name: 'ann', user: parts.user ?? { token: 'abc' } }],
  });
}
