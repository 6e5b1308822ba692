import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { expectReleaseStory } from '../integration/release-story.ts';
import { buildControlPlane } from './build-control-plane.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'apps', 'cli.ts');

beforeAll(() => void buildControlPlane(console.log), 45 * 60_000);

it('the demo of a Release tells the same story on a real control plane, and Ctrl-C ends it clean', async () => {
  const child = spawn(process.execPath, [main, 'sandbox', '--demo', '--real', '--nodes', '2']);
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line === 'Ctrl-C ends it.') break;
  }
  child.kill('SIGINT');
  expectReleaseStory(lines);
  expect(await ended).toEqual([0, null]);
}, 300_000);
