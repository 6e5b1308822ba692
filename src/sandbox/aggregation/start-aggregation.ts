import type { ObjectApi } from '../api/object-api.ts';
import type { StoreEvent } from '../store/store.ts';
import type { Certificate } from '../tls/certificates.ts';
import type { AggregatedApi, Endpoint } from './aggregated-api.ts';
import { Aggregator } from './aggregator.ts';
import { API_SERVICES, apiServiceName, createApiService } from './api-services.ts';
import { createFrontProxy, publishAuthentication } from './front-proxy.ts';
import { type HandlerServer, serveHandler } from './handler-server.ts';

export interface Aggregation {
  readonly aggregator: Aggregator;
  /** Makes the objects by which clients and servers know what is aggregated and how. The namespaces must be there. */
  publish(): void;
  /** Serves groups of others; resolves when it is known which of them answer. */
  serve(apis: readonly AggregatedApi[]): Promise<void>;
  close(): Promise<void>;
}

export interface AggregationOptions {
  /** ms since 1970. */
  readonly now: number;
  /** The certificate of the sandbox, which is its own authority. */
  readonly certificate: Certificate;
  readonly after: (milliseconds: number, run: () => void) => () => void;
}

const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions';
/** kube-aggregator's for what it registers itself. */
const AUTOMANAGED = 'kube-aggregator.kubernetes.io/automanaged';

/** Shows each version of our own as a local APIService; those of CRDs come and go with them. */
function showLocal(api: ObjectApi): () => void {
  const show = (groupPriorityMinimum: number, versionPriority: number, automanaged: string): void => {
    for (const { group, version } of api.registry.all()) {
      createApiService(api, { group, version, groupPriorityMinimum, versionPriority }, { [AUTOMANAGED]: automanaged });
    }
  };
  show(17_000, 15, 'onstart');
  const hide = (): void => {
    const services = api.registry.byKey(API_SERVICES);
    if (services === undefined) return;
    const served = new Set(api.registry.all().map(({ group, version }) => apiServiceName(group, version)));
    for (const { metadata } of [...api.store.all(API_SERVICES)]) {
      if (metadata.labels?.[AUTOMANAGED] === 'true' && !served.has(metadata.name)) {
        api.remove(services, '', metadata.name);
      }
    }
  };
  return api.store.subscribe(({ key }: StoreEvent) => {
    if (key !== DEFINITIONS) return;
    hide();
    show(1_000, 100, 'true');
  });
}

/** Where the Service of an APIService would be that was handed in; it resolves to nothing, and need not. */
function serviceOf({ group }: AggregatedApi, { port }: Endpoint): { namespace: string; name: string; port: number } {
  return { namespace: 'kube-system', name: group.replaceAll('.', '-'), port };
}

function endpointAt({ url, authority }: { readonly url: string; readonly authority: string }): Endpoint {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  // An address is no name to ask for (RFC 6066): the certificate is checked against the address itself.
  const serverName = /^[\d.]+$|:/.test(host) ? '' : host;
  return { host, port: Number(port || 443), serverName, authority, verified: true };
}

export function startAggregation(api: ObjectApi, { now, certificate, after }: AggregationOptions): Aggregation {
  const frontProxy = createFrontProxy(now);
  const aggregator = new Aggregator(api, frontProxy, after);
  const handlers: HandlerServer[] = [];
  let stopShowing = (): void => {};
  const serveOne = async (one: AggregatedApi): Promise<void> => {
    const { group, version, server, groupPriorityMinimum = 1_000, versionPriority = 15 } = one;
    let endpoint: Endpoint;
    if ('handle' in server) {
      const handler = await serveHandler(server.handle, certificate, frontProxy);
      handlers.push(handler);
      endpoint = handler.endpoint;
    } else endpoint = endpointAt(server);
    aggregator.give(group, version, endpoint);
    const caBundle = Buffer.from(endpoint.authority ?? '').toString('base64');
    const service = serviceOf(one, endpoint);
    createApiService(api, { group, version, groupPriorityMinimum, versionPriority, caBundle, service });
  };
  return {
    aggregator,
    publish: () => {
      publishAuthentication(api, frontProxy, certificate.certificate);
      stopShowing = showLocal(api);
    },
    serve: async (apis) => {
      for (const one of apis) await serveOne(one);
      await aggregator.settle();
    },
    close: async () => {
      stopShowing();
      aggregator.close();
      await Promise.all(handlers.map((handler) => handler.close()));
    },
  };
}
