import type { ResourcePath } from '../../ports/cluster.ts';
import { ApiError } from '../../ports/errors.ts';

/**
 * One segment of a path, percent-encoded: names may hold every character but `/` and `%` (RBAC: `system:node`).
 *
 * @throws ApiError (400) for a name that would lead to another path; the server refuses the same (ValidatePathSegmentName)
 */
function segment(name: string, what: string): string {
  if (name === '' || name === '.' || name === '..' || /[/%]/.test(name)) {
    const shown = JSON.stringify(name.slice(0, 100));
    throw new ApiError(
      `${what} ${shown} cannot stand in a path; it may be neither empty nor . or .. nor hold / or %`,
      400,
      'BadRequest',
    );
  }
  return encodeURIComponent(name);
}

/** Path of a collection, of one object of it, or of a subresource of that. @throws ApiError (400) for impossible names */
export function resourcePath({ type, namespace }: ResourcePath, name?: string, subresource?: string): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = namespace === '' ? '' : `/namespaces/${segment(namespace, 'namespace')}`;
  const object = name === undefined ? '' : `/${segment(name, 'name')}`;
  return `${root}${scope}/${type.resource}${object}${subresource === undefined ? '' : `/${subresource}`}`;
}

/** `?a=1&b=2` of what is given; '' where nothing is. */
export function queryOf(parameters: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
  if (given.length === 0) return '';
  return `?${given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`;
}
