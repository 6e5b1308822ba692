import { describe, expect, it } from 'vitest';
import { listObjects } from '../api/listing.ts';
import { emptyApi } from '../api/object-api.fixture.ts';
import { StatusError } from '../objects/status-error.ts';

const BY = { manager: 'test' };
const QUERY = {
  namespace: '',
  labelSelector: '',
  fieldSelector: '',
  limit: 0,
  continue: '',
  resourceVersion: '',
  resourceVersionMatch: '',
};
const happened = {
  metadata: { name: 'a' },
  eventTime: '2026-03-02T10:00:00.000000Z',
  type: 'Warning',
  reason: 'Tried',
  action: 'Try',
  note: 'it was tried',
  reportingController: 'example.com/tester',
  reportingInstance: 'tester-1',
  regarding: { kind: 'Pod', namespace: 'default', name: 'x' },
};

function groups() {
  const { api, resource } = emptyApi();
  return { api, core: resource('v1', 'Event'), events: resource('events.k8s.io/v1', 'Event') };
}

describe('an Event', () => {
  it('of one group is read, listed and changed in the other', () => {
    const { api, core, events } = groups();
    api.create(events, 'default', happened, BY);
    expect(api.get(core, 'default', 'a')).toMatchObject({
      apiVersion: 'v1',
      message: 'it was tried',
      reportingComponent: 'example.com/tester',
      involvedObject: { name: 'x' },
    });
    api.change(core, 'default', 'a', (draft) => void Object.assign(draft, { count: 2 }), BY);
    expect(api.get(events, 'default', 'a')).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      deprecatedCount: 2,
      note: 'it was tried',
    });
    const fieldSelector = 'regarding.name=x,reportingController=example.com/tester';
    const { items } = listObjects(api.store, events, { ...QUERY, fieldSelector });
    expect(items.map(({ metadata, apiVersion }) => [metadata.name, apiVersion])).toEqual([['a', 'events.k8s.io/v1']]);
    api.remove(events, 'default', 'a');
    expect(api.find(core, 'default', 'a')).toBeUndefined();
  });

  it('of events.k8s.io says who did what, and when', () => {
    const { api, events } = groups();
    const refused = (without: string): unknown => {
      try {
        return api.create(events, 'default', { ...happened, [without]: undefined }, BY);
      } catch (error) {
        return error instanceof StatusError ? error.details.causes?.map(({ field }) => field) : error;
      }
    };
    for (const name of ['action', 'reason', 'eventTime', 'reportingController', 'reportingInstance', 'type']) {
      expect([name, refused(name)]).toEqual([name, [name]]);
    }
  });

  it('of the core group lies in the namespace of what it is about', () => {
    const { api, core } = groups();
    const about = (namespace: string) => ({ metadata: { name: 'b' }, involvedObject: { kind: 'Pod', namespace } });
    expect(() => api.create(core, 'default', about('other'), BY)).toThrow('does not match event.namespace');
    expect(api.create(core, 'default', about('default'), BY).metadata.name).toBe('b');
  });
});
