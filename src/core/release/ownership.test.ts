import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { mergePatch } from '../../sandbox/merge/patches.ts';
import { disownPatch, ownerOf, ownershipOf, selectorOf, withOwner } from './ownership.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const shop = ownerOf('6b1c', 'shop', 'web', sha256);
const config = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', labels: { team: 'x' } },
  data: { a: '1' },
};

describe('the owner of an object', () => {
  it('is found by a label that any name fits, and told by an annotation', () => {
    expect(shop.id).toBe('6b1c/shop/web');
    expect(shop.label).toBe(sha256('6b1c/shop/web').slice(0, 16));
    expect(selectorOf(shop)).toBe(`convoy.kumodo.io/release=${shop.label}`);
  });

  it('is written beside what the object has', () => {
    expect(withOwner(config, shop)).toEqual({
      ...config,
      metadata: {
        name: 'a',
        labels: { team: 'x', 'app.kubernetes.io/managed-by': 'convoy', 'convoy.kumodo.io/release': shop.label },
        annotations: { 'convoy.kumodo.io/release-id': '6b1c/shop/web' },
      },
    });
  });

  it('is another one in another home cluster', () => {
    const live = withOwner(config, shop);
    expect(ownershipOf(live, shop)).toBe('ours');
    expect(ownershipOf(live, ownerOf('77aa', 'shop', 'web', sha256))).toBe('another');
    expect(ownershipOf(config, shop)).toBe('nobody');
  });

  it('is nobody once it was let go, and the labels of others stay', () => {
    const live = withOwner(config, shop);
    const free = mergePatch(live, disownPatch(live));
    expect(free).toEqual({ ...config, metadata: { name: 'a', labels: { team: 'x' }, annotations: {} } });
  });

  it('leaves the managed-by of another tool', () => {
    const live = { metadata: { labels: { 'app.kubernetes.io/managed-by': 'Helm' } } };
    expect(mergePatch(live, disownPatch(live))).toMatchObject(live);
  });
});
