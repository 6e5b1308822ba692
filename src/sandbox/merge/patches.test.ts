import { describe, expect, it } from 'vitest';
import { builtInType } from '../resources/built-in-type.ts';
import { jsonPatch, mergePatch } from './patches.ts';
import { strategicPatch } from './strategic-patch.ts';

const POD = builtInType('', 'v1', 'Pod');
const SERVICE = builtInType('', 'v1', 'Service');

describe('a merge patch', () => {
  it('sets, removes and descends, and takes lists as a whole', () => {
    const target = { a: { b: 1, c: 2 }, list: [1, 2] };
    expect(mergePatch(target, { a: { b: null, d: 3 }, list: [9] })).toEqual({ a: { c: 2, d: 3 }, list: [9] });
    expect(target.a.b).toBe(1);
  });
});

describe('a JSON patch', () => {
  it('does every operation of RFC 6902, with escaped names', () => {
    const patch = [
      { op: 'test', path: '/a~1b', value: 1 },
      { op: 'add', path: '/list/1', value: 'x' },
      { op: 'add', path: '/list/-', value: 'end' },
      { op: 'remove', path: '/list/0' },
      { op: 'replace', path: '/a~1b', value: 2 },
      { op: 'copy', from: '/list', path: '/copy' },
      { op: 'move', from: '/a~1b', path: '/moved' },
    ];
    expect(jsonPatch({ 'a/b': 1, list: [0, 1] }, patch)).toEqual({
      list: ['x', 1, 'end'],
      copy: ['x', 1, 'end'],
      moved: 2,
    });
  });

  it.each([
    [[{ op: 'test', path: '/a', value: 2 }], 'testing value /a failed'],
    [[{ op: 'remove', path: '/b' }], 'nothing at /b'],
    [[{ op: 'add', path: '/list/9', value: 1 }], 'no place 9'],
    [{ op: 'add' }, 'list of operations'],
    [[null], 'each operation of a JSON patch is an object'],
    [[{ op: 'add', value: 1 }], 'no JSON pointer'],
  ])('that does not fit is refused: %j', (patch, message) => {
    expect(() => jsonPatch({ a: 1, list: [] }, patch)).toThrow(message);
  });
});

describe('a strategic merge patch', () => {
  const pod = {
    containers: [
      { name: 'a', image: 'a:1', ports: [{ containerPort: 80 }] },
      { name: 'b', image: 'b:1' },
    ],
  };
  const patch = (change: unknown): unknown => strategicPatch({ spec: pod }, { spec: change }, POD);

  it('merges containers by name', () => {
    expect(patch({ containers: [{ name: 'b', image: 'b:2' }] })).toEqual({
      spec: { containers: [pod.containers[0], { name: 'b', image: 'b:2' }] },
    });
  });

  it('removes an item by directive, and puts items in the order that is asked for', () => {
    const change = {
      containers: [{ name: 'a', $patch: 'delete' }, { name: 'c' }],
      '$setElementOrder/containers': [{ name: 'c' }, { name: 'b' }],
    };
    expect(patch(change)).toEqual({ spec: { containers: [{ name: 'c' }, { name: 'b', image: 'b:1' }] } });
  });

  it('replaces a list or a map as a whole by directive', () => {
    expect(patch({ containers: [{ $patch: 'replace' }, { name: 'z' }] })).toEqual({
      spec: { containers: [{ name: 'z' }] },
    });
    expect(strategicPatch({ a: { b: 1 } }, { a: { $patch: 'replace', c: 2 } }, POD)).toEqual({
      a: { c: 2 },
    });
  });

  it('keeps only the named keys of a union', () => {
    const change = { strategy: { $retainKeys: ['type'], type: 'Recreate' } };
    const before = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } };
    expect(strategicPatch(before, change, POD)).toEqual({ strategy: { type: 'Recreate' } });
  });

  it('adds finalizers instead of replacing them, and takes values out', () => {
    const before = { metadata: { finalizers: ['a', 'b'] } };
    expect(strategicPatch(before, { metadata: { finalizers: ['c'] } }, POD)).toEqual({
      metadata: { finalizers: ['a', 'b', 'c'] },
    });
    const change = { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } };
    expect(strategicPatch(before, change, POD)).toEqual({ metadata: { finalizers: ['b'] } });
  });

  it('merges the ports of a Service by port', () => {
    const before = { spec: { ports: [{ port: 80, name: 'web' }, { port: 81 }] } };
    expect(strategicPatch(before, { spec: { ports: [{ port: 80, name: 'http' }] } }, SERVICE)).toEqual({
      spec: { ports: [{ port: 80, name: 'http' }, { port: 81 }] },
    });
  });
});
