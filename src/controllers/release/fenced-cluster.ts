import type { Cluster } from '../../ports/cluster.ts';

/** The cluster as somebody may use it whose right to act can end: `check` throws before each write when it has. */
export function fenced(cluster: Cluster, check: () => void): Cluster {
  const guarded = <Arguments extends readonly unknown[], Result>(
    call: (...given: Arguments) => Promise<Result>,
  ): ((...given: Arguments) => Promise<Result>) => {
    return async (...given) => {
      check();
      return call(...given);
    };
  };
  return {
    description: cluster.description,
    discovery: cluster.discovery,
    get: (path, options) => cluster.get(path, options),
    list: (path, options) => cluster.list(path, options),
    watch: (path, options) => cluster.watch(path, options),
    logs: (namespace, pod, options) => cluster.logs(namespace, pod, options),
    raw: (method, path, body, options) => cluster.raw(method, path, body, options),
    create: guarded((path, object, options) => cluster.create(path, object, options)),
    update: guarded((path, object, options) => cluster.update(path, object, options)),
    patch: guarded((path, type, patch, options) => cluster.patch(path, type, patch, options)),
    apply: guarded((path, object, options) => cluster.apply(path, object, options)),
    delete: guarded((path, options) => cluster.delete(path, options)),
    deleteCollection: guarded((path, options) => cluster.deleteCollection(path, options)),
    as: (subject) => fenced(cluster.as(subject), check),
    close: () => cluster.close(),
  };
}
