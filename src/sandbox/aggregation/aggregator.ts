import type { IncomingMessage } from 'node:http';
import { asList, asMap } from '../../core/object/fields.ts';
import type { User } from '../access/user.ts';
import type { ObjectApi } from '../api/object-api.ts';
import { sameJson } from '../objects/api-object.ts';
import type { StoreEvent } from '../store/store.ts';
import type { Endpoint } from './aggregated-api.ts';
import {
  API_SERVICES,
  type ApiService,
  type Availability,
  apiServiceName,
  endpointOf,
  LOCAL,
  writeAvailability,
} from './api-services.ts';
import { BackendConnections, type Forwarded } from './forward.ts';
import type { FrontProxy } from './front-proxy.ts';

/** A version that another server serves, as discovery shows it. */
export interface AggregatedVersion {
  readonly group: string;
  readonly version: string;
  readonly priority: readonly [group: number, version: number];
  /** Rows of its APIResourceList; undefined while it cannot be read. */
  readonly resources: readonly Readonly<Record<string, unknown>>[] | undefined;
}

/** As the availability controller of kube-aggregator asks. */
const AGGREGATOR: User = { name: 'system:kube-aggregator', uid: '', groups: ['system:masters'], extra: {} };
/** ms that a server has to answer a question about itself. */
const PATIENCE = 2_000;
/** ms for which such an answer is believed before somebody asks for the group again. */
const FRESH = 1_000;
/** ms between looks at servers that nobody asks for. */
const INTERVAL = 5_000;

interface Backend {
  readonly service: ApiService;
  readonly endpoint: Endpoint;
  readonly connections: BackendConnections;
  available: boolean;
  resources: AggregatedVersion['resources'];
  /** Whether it was asked to the end at least once. */
  known: boolean;
  /** When it was last asked; ms of a monotonic clock. */
  asked: number;
  asking: Promise<void> | undefined;
}

/** Hands groups on to the servers that APIServices name, and keeps their condition `Available`. */
export class Aggregator {
  readonly #api: ObjectApi;
  readonly #frontProxy: FrontProxy;
  readonly #after: (milliseconds: number, run: () => void) => () => void;
  readonly #backends = new Map<string, Backend>();
  /** Servers that were handed in, by the name of their APIService. */
  readonly #given = new Map<string, Endpoint>();
  #watching = false;
  readonly #unsubscribe: () => void;

  constructor(api: ObjectApi, frontProxy: FrontProxy, after: (milliseconds: number, run: () => void) => () => void) {
    this.#api = api;
    this.#frontProxy = frontProxy;
    this.#after = after;
    this.#unsubscribe = api.store.subscribe((event) => this.#take(event));
  }

  /** Says where the server of a version is, whatever Service its APIService will name. */
  give(group: string, version: string, endpoint: Endpoint): void {
    this.#given.set(apiServiceName(group, version), endpoint);
  }

  isAggregated(group: string, version: string): boolean {
    const service = this.#api.store.get(API_SERVICES, '', apiServiceName(group, version)) as ApiService | undefined;
    return service?.spec.service !== undefined;
  }

  /** Sends a request on. Undefined: its server is not available. Rejects when the server cannot be reached. */
  async send(
    group: string,
    version: string,
    request: Forwarded,
    signal: AbortSignal,
  ): Promise<IncomingMessage | undefined> {
    const backend = this.#backends.get(apiServiceName(group, version));
    if (backend === undefined) return undefined;
    if (!backend.available) await this.#ask(backend);
    return backend.available ? backend.connections.send(request, signal) : undefined;
  }

  /**
   * All versions that other servers serve, those that are not available too. A server that did not answer is asked again meanwhile,
   * and not waited for: one that hangs must not hold up what others are asked.
   */
  async versions(): Promise<readonly AggregatedVersion[]> {
    const asked = [...this.#backends.values()].map((backend) => ({ backend, answer: this.#ask(backend) }));
    await Promise.all(asked.filter(({ backend }) => backend.available || !backend.known).map(({ answer }) => answer));
    return this.#services().map(({ metadata, spec }) => ({
      group: spec.group,
      version: spec.version,
      priority: [spec.groupPriorityMinimum, spec.versionPriority] as const,
      resources: this.#backends.get(metadata.name)?.resources,
    }));
  }

  /** Waits until it is known of each server whether it is available. */
  async settle(): Promise<void> {
    await Promise.all([...this.#backends.values()].map((backend) => this.#ask(backend)));
  }

  close(): void {
    this.#unsubscribe();
    for (const { connections } of this.#backends.values()) connections.close();
    this.#backends.clear();
  }

  #services(): ApiService[] {
    // The schema of the kind made them so.
    const all = [...this.#api.store.all(API_SERVICES)] as ApiService[];
    return all.filter(({ spec }) => spec.service !== undefined);
  }

  #take({ type, key, object, previous }: StoreEvent): void {
    if (key === '/services') {
      const { namespace, name } = object.metadata;
      for (const service of this.#services()) {
        if (service.spec.service?.namespace === namespace && service.spec.service?.name === name)
          this.#register(service);
      }
    }
    if (key !== API_SERVICES) return;
    const service = object as ApiService;
    // Its own status is written here.
    if (type === 'MODIFIED' && sameJson(previous?.['spec'], object['spec'])) return;
    this.#drop(object.metadata.name);
    if (type === 'DELETED') return;
    if (service.spec.service === undefined) writeAvailability(this.#api, object.metadata.name, LOCAL);
    else this.#register(service);
  }

  #drop(name: string): void {
    this.#backends.get(name)?.connections.close();
    this.#backends.delete(name);
  }

  #register(service: ApiService): void {
    const { name } = service.metadata;
    this.#drop(name);
    const endpoint = this.#given.get(name) ?? endpointOf(this.#api, service);
    if ('available' in endpoint) {
      writeAvailability(this.#api, name, endpoint);
      return;
    }
    const connections = new BackendConnections(endpoint, this.#frontProxy);
    const asked = Number.NEGATIVE_INFINITY;
    const backend: Backend = {
      service,
      endpoint,
      connections,
      available: false,
      resources: undefined,
      known: false,
      asked,
      asking: undefined,
    };
    this.#backends.set(name, backend);
    void this.#ask(backend);
    if (!this.#watching) this.#watch();
  }

  #watch(): void {
    this.#watching = this.#backends.size > 0;
    if (!this.#watching) return;
    this.#after(INTERVAL, () => {
      void this.settle();
      this.#watch();
    });
  }

  /** Asks a server what it serves, unless that was done just now; one that is not available is always asked again. */
  #ask(backend: Backend): Promise<void> {
    if (backend.asking !== undefined) return backend.asking;
    if (backend.available && performance.now() - backend.asked < FRESH) return Promise.resolve();
    backend.asking = look(backend).then(({ availability, resources }) => {
      backend.asking = undefined;
      backend.known = true;
      backend.asked = performance.now();
      backend.available = availability.available;
      backend.resources = resources;
      const { name } = backend.service.metadata;
      if (this.#backends.get(name) === backend) writeAvailability(this.#api, name, availability);
    });
    return backend.asking;
  }
}

interface Look {
  readonly availability: Availability;
  readonly resources: AggregatedVersion['resources'];
}

/** A server's list of resources answers both whether it is there and what it serves. */
async function look({ service, endpoint, connections }: Backend): Promise<Look> {
  const { group, version } = service.spec;
  const url = `/apis/${group}/${version}`;
  const headers = { accept: 'application/json' };
  const request = { method: 'GET', url, headers, body: Buffer.alloc(0), user: AGGREGATOR };
  try {
    const response = await connections.send(request, AbortSignal.timeout(PATIENCE));
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    const code = response.statusCode ?? 0;
    if (code < 200 || code > 299) throw new Error(`bad status from ${url}: ${code}`);
    const resources = asList(asMap(JSON.parse(text))['resources']).map(asMap);
    return { availability: { available: true, reason: 'Passed', message: 'all checks passed' }, resources };
  } catch (error) {
    const where = `https://${endpoint.host}:${endpoint.port}${url}`;
    const why = error instanceof Error ? error.message : String(error);
    const message = `failing or missing response from ${where}: ${why}`;
    return { availability: { available: false, reason: 'FailedDiscoveryCheck', message }, resources: undefined };
  }
}
