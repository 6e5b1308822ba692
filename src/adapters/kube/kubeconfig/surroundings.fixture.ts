import { FakeClock } from '../../../testing/fake-clock.ts';
import type { ProgramCall, ProgramResult } from './run-program.ts';
import type { Surroundings } from './surroundings.ts';

export interface TestSurroundings extends Surroundings {
  readonly files: Map<string, string>;
  readonly environment: Record<string, string | undefined>;
  readonly clock: FakeClock;
  readonly calls: ProgramCall[];
  interactive: boolean;
  program: (call: ProgramCall) => Promise<ProgramResult>;
}

export function testSurroundings(files: Record<string, string> = {}): TestSurroundings {
  const around: TestSurroundings = {
    files: new Map(Object.entries(files)),
    environment: {},
    home: '/home/ann',
    clock: new FakeClock(1, Date.parse('2026-03-02T10:00:00Z')),
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
