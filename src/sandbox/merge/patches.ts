import { isMap } from '../../core/object/fields.ts';
import { clone, sameJson } from '../objects/api-object.ts';
import { StatusError } from '../objects/status-error.ts';

/** RFC 7386. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const result: Record<string, unknown> = isMap(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name], value);
  }
  return result;
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** RFC 6902. Throws 400 for what is no patch, 422 for one that does not fit the object. */
export function jsonPatch(target: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw new StatusError('BadRequest', 'a JSON patch is a list of operations');
  if (!patch.every(isMap)) throw new StatusError('BadRequest', 'each operation of a JSON patch is an object');
  // What an operation lacks is found out when it is performed.
  const operations = patch as unknown as readonly Operation[];
  return operations.reduce<unknown>((document, operation) => perform(document, operation), clone(target));
}

function perform(document: unknown, { op, path, from, value }: Operation): unknown {
  switch (op) {
    case 'add':
      return put(document, pointer(path), value, true);
    case 'replace':
      read(document, pointer(path));
      return put(document, pointer(path), value, false);
    case 'remove':
      return take(document, pointer(path));
    case 'test':
      if (!sameJson(read(document, pointer(path)), value)) throw misfit(`testing value ${path} failed`);
      return document;
    case 'copy':
      return put(document, pointer(path), clone(read(document, pointer(from))), true);
    case 'move': {
      const moved = read(document, pointer(from));
      return put(take(document, pointer(from)), pointer(path), moved, true);
    }
    default:
      throw new StatusError('BadRequest', `unknown operation "${op}" in a JSON patch`);
  }
}

function misfit(message: string): StatusError {
  return new StatusError('Invalid', `the server rejected our request due to an error in our request: ${message}`);
}

function pointer(text: unknown): string[] {
  if (typeof text !== 'string' || (text !== '' && !text.startsWith('/'))) throw misfit(`"${text}" is no JSON pointer`);
  return text
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function read(document: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((node, part) => {
    const inner = Array.isArray(node) ? node[Number(part)] : isMap(node) ? node[part] : undefined;
    if (inner === undefined) throw misfit(`there is nothing at /${path.join('/')}`);
    return inner;
  }, document);
}

/** Changes the document, which is a copy already. */
function put(document: unknown, path: readonly string[], value: unknown, insert: boolean): unknown {
  const last = path.at(-1);
  if (last === undefined) return value;
  const parent = read(document, path.slice(0, -1));
  if (Array.isArray(parent)) {
    const place = last === '-' ? parent.length : Number(last);
    if (!(place >= 0 && place <= parent.length)) throw misfit(`there is no place ${last} in the list`);
    parent.splice(place, insert ? 0 : 1, value);
  } else {
    (parent as Record<string, unknown>)[last] = value;
  }
  return document;
}

function take(document: unknown, path: readonly string[]): unknown {
  read(document, path);
  const parent = read(document, path.slice(0, -1));
  const last = path.at(-1) ?? '';
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete (parent as Record<string, unknown>)[last];
  return document;
}
