import { type ApiObject, clone } from '../objects/api-object.ts';
import { StatusError } from '../objects/status-error.ts';
import { WrongType } from '../resources/decode-built-in.ts';
import { apiVersionOf, type Decoded, type Resource } from '../resources/resource.ts';
import type { WriteOptions } from './write-options.ts';

/** A refusal of what a patch makes is Invalid and quotes the patch; one of an object is BadRequest. */
function refusal({ kind, version }: Resource, why: string, patch: string | undefined): StatusError {
  if (patch === undefined) {
    return new StatusError('BadRequest', `${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
  }
  const message = `Invalid value: ${JSON.stringify(patch)}: ${why}`;
  const cause = { reason: 'FieldValueInvalid', message, field: 'patch' };
  return new StatusError('Invalid', ` "" is invalid: patch: ${message}`, { causes: [cause] });
}

function decoded(resource: Resource, object: ApiObject, refuse: (why: string) => StatusError): Decoded {
  try {
    return resource.decode(object);
  } catch (error) {
    throw error instanceof WrongType ? refuse(error.message) : error;
  }
}

/** A copy of an object that was read into the types of its kind. Throws 400 or 422 for what does not fit, as the options say. */
export function decodeBody(resource: Resource, object: ApiObject, options: WriteOptions): ApiObject {
  const { fieldValidation, warn, patch } = options;
  if (fieldValidation === undefined) return clone(object);
  const { value, unknown } = decoded(resource, object, (why) => refusal(resource, why, patch));
  const told = unknown.map((path) => `unknown field "${path}"`);
  if (told.length > 0 && fieldValidation === 'Strict') {
    throw refusal(resource, `strict decoding error: ${told.join(', ')}`, patch);
  }
  if (fieldValidation === 'Warn') for (const text of told) warn?.(text);
  return value;
}

/**
 * A copy of what server-side apply is given. Throws 500 for a field that there is not or that is of another type, whatever the
 * validation: the API server cannot say who manages it.
 */
export function decodeApplied(resource: Resource, object: ApiObject, options: WriteOptions): ApiObject {
  if (options.fieldValidation === undefined) return clone(object);
  const { namespace, name } = object.metadata;
  const gvk = `${apiVersionOf(resource)}, Kind=${resource.kind}`;
  const place = namespace === undefined ? name : `${namespace}/${name}`;
  const refuse = (why: string): StatusError =>
    new StatusError('InternalError', `failed to create typed patch object (${place}; ${gvk}): ${why}`);
  const { value, unknown } = decoded(resource, object, refuse);
  if (unknown.length === 0) return value;
  const lines = unknown.map((path) => `.${path}: field not declared in schema`);
  throw refuse(lines.length === 1 ? (lines[0] ?? '') : `errors:\n${lines.map((line) => `  ${line}`).join('\n')}`);
}
