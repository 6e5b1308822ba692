/**
 * A path below a folder in its shortest form: `./a//b/../c` → `a/c`, the folder itself → ''. Undefined for a path that leads
 * outside, is absolute, or holds what is no part of a path.
 */
export function insidePath(path: string): string | undefined {
  if (path.startsWith('/') || /[\u0000\\]/.test(path)) return undefined;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

/** `path` as seen from the folder `from`, both below the same root: `base` + `../x` → `x`. Undefined where that leads outside. */
export function insidePathFrom(from: string, path: string): string | undefined {
  return path.startsWith('/') ? undefined : insidePath(`${from}/${path}`.replace(/^\/+/, ''));
}

/** Whether a path, in its shortest form, is a folder or lies below it. */
export function isWithin(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}
