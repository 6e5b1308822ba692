import { insidePath } from '../../../core/source/index.ts';

/** Links that are followed for one path; beyond it is a circle (ELOOP of Linux). */
const MOST_LINKS = 40;

/**
 * Where a link of an artifact leads, as the system would follow it: through other links too.
 * - a path: to what is there
 * - `outside`: out of the artifact, or to an absolute path
 * - `nowhere`: to what is not there, or round in a circle
 */
export function resolveLink(
  link: string,
  links: ReadonlyMap<string, string>,
  exists: (path: string) => boolean,
): { readonly path: string } | 'outside' | 'nowhere' {
  let pending = link.split('/');
  let at: string[] = [];
  for (let followed = 0; ; ) {
    const part = pending.shift();
    if (part === undefined) break;
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (at.pop() === undefined) return 'outside';
      continue;
    }
    const target = links.get([...at, part].join('/'));
    if (target === undefined) {
      at.push(part);
    } else if (target.startsWith('/')) {
      return 'outside';
    } else {
      followed += 1;
      if (followed > MOST_LINKS) return 'nowhere';
      pending = [...target.split('/'), ...pending];
    }
  }
  at = at.filter((part) => part !== '');
  const path = insidePath(at.join('/')) ?? '';
  return path === '' || exists(path) ? { path } : 'nowhere';
}
