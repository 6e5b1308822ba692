import type { Cluster, WriteOptions } from '../../ports/cluster.ts';
import { ApiError, TransportError } from '../../ports/errors.ts';
import type { Targets } from '../../ports/targets.ts';
import type { Telemetry } from '../../ports/telemetry.ts';

export interface MeasuredOptions {
  readonly telemetry: Telemetry;
  /** ms that a write may take, whatever its caller allows: the right to write may end soon. Undefined: no limit of ours. */
  readonly writeLimit?: number;
}

/** The cluster, with its requests counted, and its writes limited in time. */
export function measuredCluster(cluster: Cluster, options: MeasuredOptions): Cluster {
  const { telemetry, writeLimit } = options;
  const counted = async <Result>(verb: string, call: Promise<Result>): Promise<Result> => {
    try {
      const result = await call;
      telemetry.count('convoy_api_requests_total', { verb, code: '2xx' });
      return result;
    } catch (error) {
      telemetry.count('convoy_api_requests_total', { verb, code: codeOf(error) });
      throw error;
    }
  };
  const limited = <Options extends Pick<WriteOptions, 'timeout'>>(given: Options): Options =>
    writeLimit === undefined ? given : { ...given, timeout: Math.min(given.timeout ?? writeLimit, writeLimit) };
  return {
    description: cluster.description,
    discovery: cluster.discovery,
    get: (path, call) => counted('get', cluster.get(path, call)),
    list: (path, call) => counted('list', cluster.list(path, call)),
    watch: (path, call) => {
      telemetry.count('convoy_api_requests_total', { verb: 'watch', code: '2xx' });
      return cluster.watch(path, call);
    },
    create: (path, object, call = {}) => counted('create', cluster.create(path, object, limited(call))),
    update: (path, object, call = {}) => counted('update', cluster.update(path, object, limited(call))),
    patch: (path, type, patch, call = {}) => counted('patch', cluster.patch(path, type, patch, limited(call))),
    apply: (path, object, call) => counted('apply', cluster.apply(path, object, limited(call))),
    delete: (path, call = {}) => counted('delete', cluster.delete(path, limited(call))),
    deleteCollection: (path, call = {}) => counted('deletecollection', cluster.deleteCollection(path, limited(call))),
    logs: (namespace, pod, call) => cluster.logs(namespace, pod, call),
    raw: (method, path, body, call) => counted(method.toLowerCase(), cluster.raw(method, path, body, call)),
    as: (subject) => measuredCluster(cluster.as(subject), options),
    close: () => cluster.close(),
  };
}

/** Targets whose clusters are measured, and whose writes are limited, as those of the home cluster are. */
export function measuredTargets(targets: Targets, options: MeasuredOptions): Targets {
  return {
    of: async (release, signal) => {
      const target = await targets.of(release, signal);
      return target.home ? target : { ...target, cluster: measuredCluster(target.cluster, options) };
    },
  };
}

function codeOf(error: unknown): string {
  if (error instanceof ApiError) return String(error.code);
  return error instanceof TransportError ? error.fault : 'defect';
}
