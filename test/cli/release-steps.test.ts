import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { skipReason, toolPath } from '../../src/sandbox/kubectl.fixture.ts';

const script = join(import.meta.dirname, '..', '..', 'examples', 'release-steps.sh');
const kubectl = toolPath('kubectl');
if (kubectl === undefined) console.log(`a Release with kubectl: skipped, ${skipReason('kubectl')}`);

describe('examples/release-steps.sh', () => {
  it.skipIf(kubectl === undefined)(
    'applies, breaks, rolls back, mends and deletes a Release',
    () => {
      const env = { ...process.env, CONVOY_KUBECTL: kubectl ?? '' };
      const { status, stdout, stderr } = spawnSync(script, { encoding: 'utf8', env, timeout: 110_000 });
      expect(status, `${stdout}\n${stderr}`).toBe(0);
      expect(stdout).toMatch(/^Deployment +default +podinfo +Degraded .*ImagePullBackOff/m);
      expect(stdout).toContain('release podinfo is Healthy: 2 resources healthy\n');
      expect(stdout).toMatch(/^podinfo +True +True +inline@\d+ /m);
    },
    120_000,
  );
});
