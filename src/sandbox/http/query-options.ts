import { asMap, type JsonMap } from '../../core/object/fields.ts';
import type { ListQuery } from '../api/listing.ts';
import type { DeleteOptions, FieldValidation, WriteOptions } from '../api/write-options.ts';
import { invalid } from '../objects/status-error.ts';
import type { ApiRequest } from './request.ts';

export function isTrue(query: URLSearchParams, name: string): boolean {
  return ['true', '1'].includes(query.get(name) ?? '');
}

const VALIDATIONS: readonly FieldValidation[] = ['Ignore', 'Strict', 'Warn'];

/** Without a word the API server warns. */
function fieldValidation(query: URLSearchParams): FieldValidation {
  const given = query.get('fieldValidation') || 'Warn';
  const known = VALIDATIONS.find((one) => one === given);
  if (known !== undefined) return known;
  const supported = ['', ...VALIDATIONS].map((one) => `"${one}"`).join(', ');
  const message = `Unsupported value: "${given}": supported values: ${supported}`;
  const fault = { field: 'fieldValidation', message, reason: 'FieldValueNotSupported' };
  throw invalid('CreateOptions', 'meta.k8s.io', '', [fault]);
}

/** The options of a write whose warnings are collected. */
export interface Write extends WriteOptions {
  readonly warnings: readonly string[];
}

export function writeOptions({ query, headers }: ApiRequest, subresource: string): Write {
  const agent = String(headers['user-agent'] ?? 'unknown');
  const warnings: string[] = [];
  return {
    manager: query.get('fieldManager') || (agent.split('/')[0] ?? agent),
    dryRun: query.getAll('dryRun').includes('All'),
    subresource: subresource === 'status' ? 'status' : '',
    fieldValidation: fieldValidation(query),
    warn: (text) => warnings.push(text),
    warnings,
  };
}

/** What a list or a watch asks for. */
export function queryOf(query: URLSearchParams, namespace: string): ListQuery {
  const limit = Number(query.get('limit') ?? 0);
  return {
    namespace,
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    limit: Number.isInteger(limit) && limit > 0 ? limit : 0,
    continue: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
  };
}

/** How something is to be deleted: what the query says before what the body says. */
export function deleteOptions(query: URLSearchParams, body: JsonMap): DeleteOptions {
  const preconditions = asMap(body['preconditions']);
  const propagation = query.get('propagationPolicy') ?? body['propagationPolicy'];
  const grace = query.get('gracePeriodSeconds') ?? body['gracePeriodSeconds'];
  const dryRun =
    query.getAll('dryRun').includes('All') || (Array.isArray(body['dryRun']) && body['dryRun'].includes('All'));
  return {
    dryRun,
    ...(propagation === 'Background' || propagation === 'Foreground' || propagation === 'Orphan'
      ? { propagation }
      : {}),
    ...(grace === undefined || grace === null ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(typeof preconditions['uid'] === 'string' ? { uid: preconditions['uid'] } : {}),
    ...(typeof preconditions['resourceVersion'] === 'string'
      ? { resourceVersion: preconditions['resourceVersion'] }
      : {}),
  };
}
