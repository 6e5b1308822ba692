import type { Cluster, ResourcePath } from '../../src/ports/cluster.ts';

/** The cluster, which tells each request by its verb and resource: `apply deployments (dry run)`. */
export function countingRequests(cluster: Cluster, told: (name: string) => void): Cluster {
  const tell = (verb: string, { type, name }: ResourcePath & { name?: string }, options: object = {}): void => {
    const named = verb === 'list' && name !== undefined ? ' of one' : '';
    const part = 'subresource' in options ? `/${options.subresource}` : '';
    const dry = 'dryRun' in options && options.dryRun === true ? ' (dry run)' : '';
    told(`${verb} ${type.resource}${part}${named}${dry}`);
  };
  const counted =
    <Path extends ResourcePath, Rest extends readonly unknown[], Result>(
      verb: string,
      call: (path: Path, ...rest: Rest) => Result,
    ) =>
    (path: Path, ...rest: Rest): Result => {
      const options = rest.at(-1);
      tell(verb, path, typeof options === 'object' && options !== null ? options : {});
      return call(path, ...rest);
    };
  return {
    description: cluster.description,
    discovery: cluster.discovery,
    get: counted('get', (path, options) => cluster.get(path, options)),
    list: counted('list', (path, options) => cluster.list(path, options)),
    watch: counted('watch', (path, options) => cluster.watch(path, options)),
    logs: (namespace, pod, options) => cluster.logs(namespace, pod, options),
    raw: (method, path, body, options) => cluster.raw(method, path, body, options),
    create: counted('create', (path, object, options) => cluster.create(path, object, options)),
    update: counted('update', (path, object, options) => cluster.update(path, object, options)),
    patch: counted('patch', (path, type, patch, options) => cluster.patch(path, type, patch, options)),
    apply: counted('apply', (path, object, options) => cluster.apply(path, object, options)),
    delete: counted('delete', (path, options) => cluster.delete(path, options)),
    deleteCollection: counted('delete all', (path, options) => cluster.deleteCollection(path, options)),
    as: (subject) => countingRequests(cluster.as(subject), told),
    close: () => cluster.close(),
  };
}
