import { describe, expect, it } from 'vitest';
import { assessed, entry, OLDER, RENDER } from './release.fixture.ts';
import { syncOccasions } from './sync-occasions.ts';

describe('a sync is asked for', () => {
  it('when a render is assessed for the first time, and not for its next object', () => {
    const before = [entry('a'), entry('b')];
    const first = [assessed('a', 'Progressing'), entry('b')];
    expect(syncOccasions(before, first, RENDER)).toEqual(['RenderAssessed']);
    expect(syncOccasions(first, [assessed('a', 'Progressing'), assessed('b', 'Healthy')], RENDER)).toEqual([]);
  });

  it('when the highest applied wave becomes fully healthy', () => {
    const { renderRef: _none, ...planned } = entry('c', { wave: 2 });
    const low = assessed('a', 'Healthy');
    const before = [low, assessed('b', 'Progressing', { wave: 1 }), planned];
    expect(syncOccasions(before, [low, assessed('b', 'Healthy', { wave: 1 }), planned], RENDER)).toEqual([
      'WaveHealthy',
    ]);
  });

  it('not when only a lower wave does, nor while a part of the wave is not applied', () => {
    const high = assessed('b', 'Progressing', { wave: 1 });
    expect(syncOccasions([assessed('a', 'Progressing'), high], [assessed('a', 'Healthy'), high], RENDER)).toEqual([]);
    const rest = assessed('r', 'Healthy', { renderRef: OLDER });
    expect(syncOccasions([assessed('a', 'Progressing'), rest], [assessed('a', 'Healthy'), rest], RENDER)).toEqual([]);
  });

  it('objects whose health is ignored do not hold it up', () => {
    const ignored = assessed('i', 'Degraded', { ignoreHealth: true });
    expect(syncOccasions([assessed('a', 'Unknown'), ignored], [assessed('a', 'Healthy'), ignored], RENDER)).toEqual([
      'WaveHealthy',
    ]);
  });

  it('when a hook ends, well or badly, and only then', () => {
    const hook = { hook: 'preSync', assessedUid: 'uid-h' } as const;
    const running = [assessed('h', 'Progressing', hook)];
    expect(syncOccasions(running, [assessed('h', 'Healthy', hook)], RENDER)).toEqual(['HookComplete']);
    expect(syncOccasions(running, [assessed('h', 'Degraded', hook)], RENDER)).toEqual(['HookComplete']);
    expect(syncOccasions(running, [assessed('h', 'Unknown', hook)], RENDER)).toEqual([]);
    const done = [assessed('h', 'Healthy', hook)];
    expect(syncOccasions(done, done, RENDER)).toEqual([]);
  });

  it('not before the first attempt, and not twice for the same', () => {
    const healthy = [assessed('a', 'Healthy')];
    expect(syncOccasions([entry('a')], healthy, undefined)).toEqual([]);
    expect(syncOccasions(healthy, healthy, RENDER)).toEqual([]);
  });
});
