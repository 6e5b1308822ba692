import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { skipReason, toolPath } from '../../src/sandbox/kubectl.fixture.ts';

const script = join(import.meta.dirname, '..', '..', 'examples', 'first-steps.sh');
const kubectl = toolPath('kubectl');
if (kubectl === undefined) console.log(`first steps with kubectl: skipped, ${skipReason('kubectl')}`);

function firstSteps(kubectlPath: string): { code: number | null; out: string; err: string } {
  const env = { ...process.env, CONVOY_KUBECTL: kubectlPath };
  const { status, stdout, stderr } = spawnSync(script, { encoding: 'utf8', env, timeout: 55_000 });
  return { code: status, out: stdout, err: stderr };
}

describe('examples/first-steps.sh', () => {
  it('without kubectl starts the sandbox and asks it', () => {
    const { code, out, err } = firstSteps('');
    expect(out).toContain('sandbox ready: KUBECONFIG=');
    expect(out).toMatch(/^(\d+) objects: \1 healthy$/m);
    expect(err).toContain('after 1s, still there is no Deployment "web" in namespace default');
    expect(code).toBe(0);
  });

  it.skipIf(kubectl === undefined)('rolls out, breaks, diagnoses and mends a Deployment', () => {
    const { code, out } = firstSteps(kubectl ?? '');
    expect(out).toMatch(/Progressing +Deployment +default +web .*CrashLoopBackOff: exit code 1/);
    expect(out.trimEnd()).toMatch(/Healthy +Deployment +default +web\n1 object: 1 healthy$/);
    expect(code).toBe(0);
  });
});
