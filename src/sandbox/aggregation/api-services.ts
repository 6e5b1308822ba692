import { asMap, asString, field } from '../../core/object/fields.ts';
import type { ObjectApi } from '../api/object-api.ts';
import { type ApiObject, timestamp } from '../objects/api-object.ts';
import type { Endpoint } from './aggregated-api.ts';

/** An APIService of apiregistration.k8s.io/v1. */
export interface ApiService extends ApiObject {
  spec: {
    readonly group: string;
    readonly version: string;
    readonly caBundle?: string;
    readonly insecureSkipTLSVerify?: boolean;
    readonly service?: { readonly namespace: string; readonly name: string; readonly port?: number };
    readonly groupPriorityMinimum: number;
    readonly versionPriority: number;
  };
}

export const API_SERVICES = 'apiregistration.k8s.io/apiservices';
const SYSTEM = { manager: 'convoy-sandbox' };

/** Why an APIService is available, or not. */
export interface Availability {
  readonly available: boolean;
  readonly reason: string;
  readonly message: string;
}

export const LOCAL: Availability = {
  available: true,
  reason: 'Local',
  message: 'Local APIServices are always available',
};

export function apiServiceName(group: string, version: string): string {
  return `${version}.${group}`;
}

/** Writes the condition `Available`; its transition time moves only with its status. */
export function writeAvailability(api: ObjectApi, name: string, { available, reason, message }: Availability): void {
  const resource = api.registry.byKey(API_SERVICES);
  if (resource === undefined || api.find(resource, '', name) === undefined) return;
  const write = (draft: ApiObject): ApiObject => {
    const status = available ? 'True' : 'False';
    const [old] = (asMap(draft['status'])['conditions'] as readonly unknown[] | undefined) ?? [];
    const same = asString(field(old, 'status')) === status;
    const lastTransitionTime = same ? field(old, 'lastTransitionTime') : timestamp(api.world.now());
    return { ...draft, status: { conditions: [{ lastTransitionTime, message, reason, status, type: 'Available' }] } };
  };
  api.change(resource, '', name, write, { ...SYSTEM, subresource: 'status' });
}

/** How the server of an APIService is reached, or why it is not: names of Services resolve to nothing here but an external name. */
export function endpointOf(api: ObjectApi, { spec }: ApiService): Endpoint | Availability {
  const { namespace = '', name = '', port = 443 } = spec.service ?? {};
  const service = api.store.get('/services', namespace, name);
  const missing = (reason: string, message: string): Availability => ({ available: false, reason, message });
  if (service === undefined) {
    return missing('ServiceNotFound', `service/${name} in "${namespace}" is not present`);
  }
  const { type, externalName } = asMap(service['spec']);
  if (type !== 'ExternalName' || typeof externalName !== 'string') {
    return missing(
      'MissingEndpoints',
      `service/${name} in "${namespace}" has no address that the sandbox can reach: use type ExternalName`,
    );
  }
  return {
    host: externalName,
    port,
    serverName: `${name}.${namespace}.svc`,
    authority: spec.caBundle === undefined ? undefined : Buffer.from(spec.caBundle, 'base64').toString(),
    verified: spec.insecureSkipTLSVerify !== true,
  };
}

/** The APIService of a version that the sandbox serves itself, or has been handed a server for. */
export function createApiService(api: ObjectApi, spec: ApiService['spec'], labels?: Record<string, string>): void {
  const resource = api.registry.byKey(API_SERVICES);
  const name = apiServiceName(spec.group, spec.version);
  if (resource === undefined || api.find(resource, '', name) !== undefined) return;
  api.create(resource, '', { metadata: { name, ...(labels === undefined ? {} : { labels }) }, spec }, SYSTEM);
}
