import { describe, expect, it } from 'vitest';
import { API_VERSION, type Release, readRelease } from '../../core/api/index.ts';
import { releaseNews } from './release-news.ts';

const TIME = '2026-03-02T10:00:00Z';

function release(status: Readonly<Record<string, unknown>>): Release {
  const metadata = { namespace: 'shop', name: 'shop' };
  const read = readRelease({
    apiVersion: API_VERSION,
    kind: 'Release',
    metadata,
    spec: { source: { inline: { manifests: '' } } },
    status,
  });
  if ('problem' in read) throw new Error(read.problem);
  return read.value;
}

const attempt = (more: object) => ({
  lastAttempted: {
    renderRef: `sha256:${'1'.repeat(64)}`,
    revision: 'x',
    time: TIME,
    attempt: 1,
    total: 3,
    phase: 'PreSync',
    ...more,
  },
});
const condition = (type: string, status: string, reason: string, message: string) => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: TIME,
});
const hook = (state: string, message = '') => ({
  name: 'Job migrate',
  phase: 'preSync',
  renderRef: 'sha256:1',
  state,
  startedAt: TIME,
  message,
});

describe('news of a Release', () => {
  it('tell attempts, waves and how they end, once', () => {
    const [begun, wave, done] = [
      attempt({}),
      attempt({ phase: 'Waves', wave: 0 }),
      attempt({ phase: 'Done', wave: 0, outcome: 'Succeeded' }),
    ].map(release);
    expect(releaseNews(undefined, begun)).toEqual(['attempt 1 of render 111111111111 begins: 3 objects']);
    expect(releaseNews(begun, wave)).toEqual(['wave 0 is applied']);
    expect(releaseNews(wave, wave)).toEqual([]);
    expect(releaseNews(wave, done)).toEqual(['the attempt ends: Succeeded']);
  });

  it('tell hooks as they go', () => {
    const [none, running, failed] = [
      release({}),
      release({ hooks: [hook('Running')] }),
      release({ hooks: [hook('Failed', 'exit code 1')] }),
    ];
    expect(releaseNews(none, running)).toEqual(['the preSync hook Job migrate runs']);
    expect(releaseNews(running, failed)).toEqual(['the preSync hook Job migrate has failed: exit code 1']);
  });

  it('tell conditions when they say something else, and not how far something is', () => {
    const with_ = (...conditions: readonly object[]) => release({ conditions });
    const pending = with_(condition('Healthy', 'Unknown', 'Pending', '1 of 3'));
    const still = with_(condition('Healthy', 'Unknown', 'Pending', '2 of 3'));
    const degraded = with_(condition('Healthy', 'False', 'Degraded', '1 of 3 resources Degraded: x'));
    expect(releaseNews(undefined, pending)).toEqual(['Healthy is Unknown, Pending']);
    expect(releaseNews(pending, still)).toEqual([]);
    expect(releaseNews(still, degraded)).toEqual(['Healthy is False, Degraded: 1 of 3 resources Degraded: x']);
    expect(releaseNews(degraded, undefined)).toEqual(['the Release is gone']);
  });
});
