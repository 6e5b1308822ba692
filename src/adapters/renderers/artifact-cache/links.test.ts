import { describe, expect, it } from 'vitest';
import { resolveLink } from './links.ts';

const files = new Set(['a', 'a/b', 'a/b/c.yaml', 'd']);
const resolve = (path: string, links: Record<string, string>) =>
  resolveLink(path, new Map(Object.entries(links)), (one) => files.has(one) || Object.hasOwn(links, one));

describe('a link of an artifact', () => {
  it.each<[string, Record<string, string>, unknown]>([
    ['a/x', { 'a/x': 'b/c.yaml' }, { path: 'a/b/c.yaml' }],
    ['a/b/x', { 'a/b/x': '../../d' }, { path: 'd' }],
    ['x', { x: '.' }, { path: '' }],
    ['x', { x: 'y', y: 'a/b' }, { path: 'a/b' }],
    ['a/x', { 'a/x': '../../d' }, 'outside'],
    ['x', { x: '/etc/passwd' }, 'outside'],
    ['x', { x: 'y/../../d', y: 'a/b' }, { path: 'd' }],
    ['x', { x: 'y/../../../d', y: 'a/b' }, 'outside'],
    // Lexically inside, but the system follows y first.
    ['x', { x: 'a/b/y/../../d', 'a/b/y': '../../d' }, 'outside'],
    ['x', { x: 'gone' }, 'nowhere'],
    ['x', { x: 'y', y: 'x' }, 'nowhere'],
    ['x', { x: 'x/x' }, 'nowhere'],
  ])('%s of %j leads to %j', (path, links, target) => {
    expect(resolve(path, links)).toEqual(target);
  });
});
