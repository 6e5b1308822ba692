import { describe, expect, it } from 'vitest';
import { ApiError, TransportError } from '../../ports/errors.ts';
import type { HappenedEvent } from '../../ports/events.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { KubeEventRecorder } from './kube-event-recorder.ts';

const NOW = Date.parse('2026-03-02T10:00:00Z');

function rolledBack(more: Partial<HappenedEvent> = {}): HappenedEvent {
  const regarding = { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'u' };
  return { regarding, type: 'Warning', reason: 'RolledBack', action: 'RollBack', note: 'it did not work', ...more };
}

function recorder(fail: (call: string) => Error | undefined = () => undefined) {
  const told: { call: string; object: Record<string, unknown> }[] = [];
  const clock = new FakeClock(1, NOW);
  const answer = async (call: string, object: unknown) => {
    const error = fail(call);
    if (error) throw error;
    told.push({ call, object: object as Record<string, unknown> });
    return {};
  };
  const events = new KubeEventRecorder({
    cluster: {
      create: (path, object) => answer(`create ${path.namespace}`, object),
      patch: (path, _type, patch) => answer(`patch ${path.namespace}`, patch),
    },
    clock,
    controller: 'convoy.test/controller',
    instance: 'convoy-0',
  });
  return { told, clock, events };
}

describe('an event', () => {
  it('is told at once', async () => {
    const { told, events } = recorder();
    events.record(rolledBack());
    await events.flush();
    expect(told).toEqual([
      {
        call: 'create shop',
        object: {
          apiVersion: 'events.k8s.io/v1',
          kind: 'Event',
          metadata: { name: expect.stringMatching(/^web\.[0-9a-f]+$/), namespace: 'shop' },
          eventTime: '2026-03-02T10:00:00.000000Z',
          reportingController: 'convoy.test/controller',
          reportingInstance: 'convoy-0',
          type: 'Warning',
          reason: 'RolledBack',
          action: 'RollBack',
          note: 'it did not work',
          regarding: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace: 'shop', uid: 'u' },
        },
      },
    ]);
  });

  it('about a cluster-scoped object stands in the namespace default', async () => {
    const { told, events } = recorder();
    events.record(rolledBack({ regarding: { group: '', version: 'v1', kind: 'Node', namespace: '', name: 'a' } }));
    await events.flush();
    expect(told[0]?.call).toBe('create default');
    expect(told[0]?.object['regarding']).toEqual({ apiVersion: 'v1', kind: 'Node', name: 'a' });
  });

  it('with a long note and a long name is cut to what the server takes', async () => {
    const { told, events } = recorder();
    const { regarding } = rolledBack();
    events.record(rolledBack({ note: 'x'.repeat(3000), regarding: { ...regarding, name: 'n'.repeat(253) } }));
    await events.flush();
    expect(told[0]?.object).toMatchObject({ note: 'x'.repeat(1024) });
    expect(JSON.stringify(told[0]?.object['metadata'])).toMatch(/"n{200,}\.[0-9a-f]+"/);
  });

  it('with a note in other letters is cut by its bytes, between characters', async () => {
    const { told, events } = recorder();
    events.record(rolledBack({ note: `x${'🚚'.repeat(1000)}` }));
    await events.flush();
    expect(told[0]?.object).toMatchObject({ note: `x${'🚚'.repeat(255)}` });
  });
});

describe('the same event again and again', () => {
  it('becomes a count, updated at its first repetition, then once a minute, and at the end', async () => {
    const { told, clock, events } = recorder();
    for (let second = 0; second < 90; second += 1) {
      events.record(rolledBack({ note: `try ${second}` }));
      await clock.advance(1000);
    }
    expect(told.map(({ call, object }) => [call, object['series']])).toEqual([
      ['create shop', undefined],
      ['patch shop', { count: 2, lastObservedTime: '2026-03-02T10:00:01.000000Z' }],
      ['patch shop', { count: 62, lastObservedTime: '2026-03-02T10:01:01.000000Z' }],
    ]);
    await events.flush();
    expect(told.at(-1)?.object).toEqual({ series: { count: 90, lastObservedTime: '2026-03-02T10:01:29.000000Z' } });
  });

  it('is a new one after six quiet minutes, or when it differs', async () => {
    const { told, clock, events } = recorder();
    events.record(rolledBack());
    await clock.advance(360_000);
    events.record(rolledBack());
    events.record(rolledBack({ reason: 'Other' }));
    await events.flush();
    expect(told.map(({ call }) => call)).toEqual(['create shop', 'create shop', 'create shop']);
  });

  it('about another thing is another one, so that no count hides its note', async () => {
    const { told, events } = recorder();
    events.record(rolledBack({ about: 'render 1', note: 'to 1' }));
    events.record(rolledBack({ about: 'render 2', note: 'to 2' }));
    events.record(rolledBack({ about: 'render 2', note: 'to 2' }));
    await events.flush();
    expect(told.filter(({ call }) => call.startsWith('create')).map(({ object }) => object['note'])).toEqual([
      'to 1',
      'to 2',
    ]);
  });

  it('is told anew, with its count, when the server has forgotten it', async () => {
    const { told, events } = recorder((call) =>
      call.startsWith('patch') ? new ApiError('not found', 404, 'NotFound') : undefined,
    );
    events.record(rolledBack());
    await events.flush();
    events.record(rolledBack());
    await events.flush();
    expect(told[1]).toMatchObject({ call: 'create shop', object: { series: { count: 2 } } });
  });
});

describe('a cluster that cannot be told', () => {
  it('disturbs nobody, and is told later what happened again', async () => {
    let down = true;
    const { told, clock, events } = recorder(() => (down ? new TransportError('unreachable', 'down') : undefined));
    events.record(rolledBack());
    await events.flush();
    down = false;
    await clock.advance(1000);
    events.record(rolledBack());
    await events.flush();
    expect(told).toMatchObject([{ call: 'create shop', object: { series: { count: 2 } } }]);
  });

  it('lets no memory grow: the oldest are dropped', async () => {
    const { told, events } = recorder();
    for (let n = 0; n < 3000; n += 1) events.record(rolledBack({ reason: `R${n}` }));
    await events.flush();
    expect(told.length).toBeGreaterThanOrEqual(1000);
    expect(told.length).toBeLessThan(3000);
  });
});
