import type { ApiObject } from '../objects/api-object.ts';
import { apiVersionOf, type Resource } from '../resources/resource.ts';

/** All versions of a group are stored as one; each is read under the version that was asked for. */
export function asVersion(object: ApiObject, resource: Resource): ApiObject {
  const apiVersion = apiVersionOf(resource);
  if (object.apiVersion === apiVersion) return object;
  const { stored } = resource;
  return { ...(stored === undefined ? object : stored.read(object)), apiVersion };
}

/** The form in which an object of the resource is kept. */
export function asStored(object: ApiObject, { stored }: Resource): ApiObject {
  return stored === undefined ? object : stored.write(object);
}
