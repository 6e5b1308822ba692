import { servingCertificate } from '../../controllers/serving-certificate/index.ts';
import { SUBRESOURCES_GROUP, VERSION } from '../../core/api/index.ts';
import { AccessReviews } from '../../http/aggregated/access-reviews.ts';
import type { ReleaseReader, SyncReason } from '../../http/aggregated/aggregated-api.ts';
import { readFrontProxy } from '../../http/aggregated/front-proxy.ts';
import { serveAggregatedApi } from '../../http/aggregated/serve.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { Informer } from '../../runtime/informer.ts';
import type { Runnable } from '../../runtime/manager.ts';
import type { OperatorLog } from './log.ts';

export interface AggregatedApiParts {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: OperatorLog;
  readonly host: string;
  readonly port: number;
  readonly namespace: string;
  readonly service: string;
  readonly releases: ReleaseReader;
  readonly requestSync: (key: string, reason: SyncReason) => Promise<void>;
  /** Told when it listens. */
  readonly onListening?: (port: number) => void;
}

const AUTHENTICATION = 'extension-apiserver-authentication';

/** /health and /sync behind the API server, with a certificate that is kept and renewed. */
export function aggregatedApiServer(parts: AggregatedApiParts): Runnable {
  const { cluster, clock, log, host, port, namespace, service, releases, requestSync } = parts;
  return {
    name: 'aggregated API',
    run: async (signal) => {
      const server = await serveAggregatedApi({
        host,
        port,
        reviews: new AccessReviews(cluster, clock),
        releases,
        requestSync: ({ metadata }, reason) => requestSync(`${metadata.namespace}/${metadata.name}`, reason),
        onError: (error) => log.error({ error: error.message }, 'a request to the aggregated API failed'),
      });
      parts.onListening?.(server.port);
      log.info({ host, port: server.port }, 'the aggregated API listens');
      const told = (what: string) => (error: Error) => log.warn({ error: error.message }, what);
      const authentication = new Informer({
        cluster,
        clock,
        path: { type: { group: '', version: 'v1', resource: 'configmaps' }, namespace: 'kube-system' },
        fieldSelector: `metadata.name=${AUTHENTICATION}`,
        onError: told(
          'the front proxy is not known: cannot read the ConfigMap kube-system/extension-apiserver-authentication',
        ),
      });
      authentication.addHandler({
        added: (object) => server.trust(readFrontProxy(object)),
        updated: (object) => server.trust(readFrontProxy(object)),
        deleted: () => server.trust(undefined),
      });
      const certificate = servingCertificate({
        cluster,
        clock,
        namespace,
        secretName: `${service}-aggregated-api`,
        apiServiceName: `${VERSION}.${SUBRESOURCES_GROUP}`,
        names: [`${service}.${namespace}.svc`, `${service}.${namespace}.svc.cluster.local`],
        onCertificate: (shown) => {
          log.info({}, 'the aggregated API shows a new certificate');
          server.show(shown);
        },
        onError: told('the certificate of the aggregated API cannot be looked after'),
      });
      try {
        await Promise.all([authentication.run(signal), certificate.run(signal)]);
      } finally {
        await server.close();
      }
    },
  };
}
