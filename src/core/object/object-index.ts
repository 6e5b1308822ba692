import { asList, asMap, asString, field } from './fields.ts';
import type { KubernetesObject } from './kubernetes-object.ts';
import { guessResource } from './resource-name.ts';

/** Objects of one input as each other's context. Each map is built on its first use, in one walk. */
export class ObjectIndex {
  readonly #objects: readonly KubernetesObject[];
  #byResource: Map<string, KubernetesObject> | undefined;
  #owned: Map<string, KubernetesObject[]> | undefined;
  #warnings: Map<string, KubernetesObject> | undefined;

  constructor(objects: readonly KubernetesObject[]) {
    this.#objects = objects;
  }

  /** The object of that name: cluster-scoped, else in the namespace. The last of equal identities wins, as `kubectl apply` would have it. */
  find(apiVersion: string, resource: string, namespace: string, name: string): KubernetesObject | undefined {
    this.#byResource ??= this.#indexByResource();
    return (
      this.#byResource.get(key(apiVersion, resource, '', name)) ??
      this.#byResource.get(key(apiVersion, resource, namespace, name))
    );
  }

  /** Objects whose owner references name this one: by uid where both sides carry one, else by kind and name in the same namespace. */
  ownedBy(owner: KubernetesObject): readonly KubernetesObject[] {
    this.#owned ??= this.#indexOwners();
    const metadata = asMap(owner['metadata']);
    const uid = asString(metadata['uid']);
    const byUid = uid === '' ? undefined : this.#owned.get(uid);
    return byUid ?? this.#owned.get(nameKey(owner['kind'], metadata['namespace'], metadata['name'], uid === '')) ?? [];
  }

  /** The newest Warning Event about the object. */
  newestWarning(object: KubernetesObject): KubernetesObject | undefined {
    this.#warnings ??= this.#indexWarnings();
    const metadata = asMap(object['metadata']);
    const uid = asString(metadata['uid']);
    return (
      (uid === '' ? undefined : this.#warnings.get(uid)) ??
      this.#warnings.get(nameKey(object['kind'], metadata['namespace'], metadata['name'], uid === ''))
    );
  }

  #indexByResource(): Map<string, KubernetesObject> {
    const index = new Map<string, KubernetesObject>();
    for (const object of this.#objects) {
      const metadata = asMap(object['metadata']);
      const resource = guessResource(asString(object['kind']));
      index.set(
        key(asString(object['apiVersion']), resource, asString(metadata['namespace']), asString(metadata['name'])),
        object,
      );
    }
    return index;
  }

  #indexOwners(): Map<string, KubernetesObject[]> {
    const index = new Map<string, KubernetesObject[]>();
    for (const object of this.#objects) {
      const metadata = asMap(object['metadata']);
      for (const owner of asList(metadata['ownerReferences'])) {
        const uid = asString(field(owner, 'uid'));
        // A reference with a uid also stands under its name, for owners that were written down without one.
        const keys = [nameKey(field(owner, 'kind'), metadata['namespace'], field(owner, 'name'), true)];
        if (uid !== '') keys.push(uid);
        else keys.push(nameKey(field(owner, 'kind'), metadata['namespace'], field(owner, 'name'), false));
        for (const name of keys) {
          const list = index.get(name);
          if (list === undefined) index.set(name, [object]);
          else list.push(object);
        }
      }
    }
    return index;
  }

  #indexWarnings(): Map<string, KubernetesObject> {
    const index = new Map<string, KubernetesObject>();
    for (const object of this.#objects) {
      if (object['kind'] !== 'Event' || object['type'] !== 'Warning') continue;
      const about = asMap(object['involvedObject'] ?? object['regarding']);
      const uid = asString(about['uid']);
      const keys = [nameKey(about['kind'], about['namespace'], about['name'], true)];
      if (uid !== '') keys.push(uid);
      else keys.push(nameKey(about['kind'], about['namespace'], about['name'], false));
      for (const name of keys) {
        const known = index.get(name);
        if (known === undefined || eventTime(known) <= eventTime(object)) index.set(name, object);
      }
    }
    return index;
  }
}

function key(apiVersion: string, resource: string, namespace: string, name: string): string {
  return `${apiVersion}\n${resource}\n${namespace}\n${name}`;
}

/** `any`: references with a uid count too; used when the object itself has none. Else only references without one. */
function nameKey(kind: unknown, namespace: unknown, name: unknown, any: boolean): string {
  return `${any ? 'any' : 'bare'}\n${asString(kind)}\n${asString(namespace)}\n${asString(name)}`;
}

/** The time of an Event's last occurrence, as text: RFC 3339 in UTC sorts as it is. */
export function eventTime(event: KubernetesObject): string {
  return (
    asString(event['lastTimestamp']) ||
    asString(field(event['series'], 'lastObservedTime')) ||
    asString(event['eventTime']) ||
    asString(event['deprecatedLastTimestamp']) ||
    asString(field(event['metadata'], 'creationTimestamp'))
  );
}
