import type { ApiObject } from '../objects/api-object.ts';
import type { StoredAs } from './resource.ts';

/** Fields that core/v1 and events.k8s.io/v1 call differently (k8s.io/kubernetes/pkg/apis/events/v1/conversion.go). */
const NAMES: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
];
const TO_EVENTS = new Map(NAMES);
const TO_CORE = new Map(NAMES.map(([core, events]) => [events, core]));

function renamed(object: ApiObject, names: ReadonlyMap<string, string>, apiVersion: string): ApiObject {
  const result: ApiObject = { apiVersion, kind: object.kind, metadata: object.metadata };
  for (const [name, value] of Object.entries(object)) {
    if (name !== 'apiVersion') result[names.get(name) ?? name] = value;
  }
  return result;
}

/** Events of events.k8s.io are kept as core Events, so that both groups show all of them. */
export const EVENTS_AS_STORED: StoredAs = {
  key: '/events',
  read: (object) => renamed(object, TO_EVENTS, 'events.k8s.io/v1'),
  write: (object) => renamed(object, TO_CORE, 'v1'),
};
