import type { Discovery, ResourceType } from '../../ports/cluster.ts';
import { ApiError, TransportError } from '../../ports/errors.ts';
import {
  type BrokenGroup,
  findType,
  type GroupVersion,
  isAggregated,
  readAggregated,
  readGroupVersions,
  readResourceList,
  type Served,
} from './discovery-documents.ts';
import type { Transport } from './transport.ts';

/** Aggregated discovery where it is served (v2 since Kubernetes 1.30, v2beta1 since 1.27), else the list of groups. */
const ACCEPT = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

/** Discovery of one cluster: two requests where the server aggregates, else one for each version of each group. */
export class KubeDiscovery implements Discovery {
  readonly #transport: Transport;
  #served: Promise<Served> | undefined;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  kind(group: string, kind: string, version?: string): Promise<ResourceType | undefined> {
    return this.#look(({ types }) =>
      types.find(
        (type) => type.group === group && type.kind === kind && (version === undefined || type.version === version),
      ),
    );
  }

  find(name: string): Promise<ResourceType | undefined> {
    return this.#look(({ types }) => findType(types, name));
  }

  async all(): Promise<readonly ResourceType[]> {
    return (await this.#load()).types;
  }

  async broken(): Promise<readonly BrokenGroup[]> {
    return (await this.#load()).broken;
  }

  invalidate(): void {
    this.#served = undefined;
  }

  /** Looks; on a miss in what is cached, asks again: the CustomResourceDefinition may be new. */
  async #look(search: (served: Served) => ResourceType | undefined): Promise<ResourceType | undefined> {
    const cached = this.#served;
    const found = search(await this.#load());
    if (found !== undefined || cached === undefined) return found;
    // Somebody else who missed may be asking already.
    if (this.#served === cached) this.invalidate();
    return search(await this.#load());
  }

  #load(): Promise<Served> {
    if (this.#served !== undefined) return this.#served;
    const loading = this.#ask();
    this.#served = loading;
    loading.catch(() => {
      if (this.#served === loading) this.#served = undefined;
    });
    return loading;
  }

  async #ask(): Promise<Served> {
    const [core, groups] = await Promise.all([this.#askRoot('/api'), this.#askRoot('/apis')]);
    return { types: [...core.types, ...groups.types], broken: [...core.broken, ...groups.broken] };
  }

  async #askRoot(path: '/api' | '/apis'): Promise<Served> {
    const document = await this.#transport.askJson({ method: 'GET', path, accept: ACCEPT });
    if (isAggregated(document)) return readAggregated(document);
    const parts = await Promise.all(readGroupVersions(document).map((one) => this.#askVersion(one)));
    return { types: parts.flatMap((part) => part.types), broken: parts.flatMap((part) => part.broken) };
  }

  /** One version of one group. An aggregated server that is down hides its group alone. */
  async #askVersion(one: GroupVersion): Promise<Served> {
    const path = one.group === '' ? `/api/${one.version}` : `/apis/${one.group}/${one.version}`;
    try {
      // Once: what stays broken would hold everybody up for the time of all repetitions.
      const document = await this.#transport.askJson({ method: 'GET', path, once: true });
      return { types: readResourceList(document, one), broken: [] };
    } catch (error) {
      const answered = error instanceof ApiError || (error instanceof TransportError && error.fault === 'protocol');
      if (!answered) throw error;
      return { types: [], broken: [{ group: one.group, reason: error.message }] };
    }
  }
}
