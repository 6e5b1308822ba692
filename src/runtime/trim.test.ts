import { describe, expect, it } from 'vitest';
import { configMap } from '../testing/builders.ts';
import { trimmed } from './trim.ts';

describe('an object on its way into a cache', () => {
  it('loses managed fields and the copy of kubectl apply, and nothing else', () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', kept: 'yes' };
    const object = configMap('a', { x: '1' }, { managedFields: [{ manager: 'm' }], annotations, labels: { l: '1' } });
    expect(trimmed(object)).toEqual(configMap('a', { x: '1' }, { annotations: { kept: 'yes' }, labels: { l: '1' } }));
    expect(annotations).toHaveProperty(['kubectl.kubernetes.io/last-applied-configuration']);
  });

  it('stays the same object when there is nothing to lose', () => {
    const object = configMap('a', {}, { annotations: { kept: 'yes' } });
    expect(trimmed(object)).toBe(object);
  });
});
