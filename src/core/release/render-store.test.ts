import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromBase64, toBase64 } from './base64.ts';
import { linesOf, objectsOf } from './canonical.ts';
import { ownerOf } from './ownership.ts';
import { config, rendered, sha256 } from './render.fixture.ts';
import { CHUNK_BYTES, readRenderSecrets, renderSecretName, renderSecrets, storedRenderRef } from './render-store.ts';

const release = { namespace: 'shop', name: 'web', uid: '0f3a9b7c-1111-4222-8333-444455556666' };
const owner = ownerOf('i', 'shop', 'web', sha256);
const render = rendered(config('a'), config('b'));
const lines = linesOf(render.objects.map((one) => one.object));
const compressed = gzipSync(lines);
const store = (bytes = CHUNK_BYTES) => renderSecrets(release, owner, render.renderRef, compressed, bytes);

describe('a render in Secrets', () => {
  it('is immutable, of its own type, found by the label and owned by the Release', () => {
    expect(store()).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'convoy.kumodo.io/render',
        immutable: true,
        metadata: {
          name: `convoy-render-web-${render.renderRef.slice(7, 19)}`,
          namespace: 'shop',
          labels: { 'convoy.kumodo.io/release': owner.label },
          annotations: { 'convoy.kumodo.io/render-ref': render.renderRef, 'convoy.kumodo.io/render-chunk': '1/1' },
          ownerReferences: [
            { apiVersion: 'convoy.kumodo.io/v1alpha1', kind: 'Release', name: 'web', uid: release.uid },
          ],
        },
        data: { 'render.gz': compressed.toString('base64') },
      },
    ]);
  });

  it('comes back as it was, whatever the chunks and their order', () => {
    const secrets = [...store(64)].reverse();
    expect(secrets.length).toBeGreaterThan(1);
    const read = readRenderSecrets(
      [{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque' }, ...secrets],
      render.renderRef,
    );
    if ('problem' in read) throw new Error(read.problem);
    expect(linesOf(objectsOf(gunzipSync(read.compressed).toString()))).toBe(lines);
  });

  it('has names that hold for the longest Release', () => {
    expect(renderSecretName('r'.repeat(200), render.renderRef, 12).length).toBeLessThanOrEqual(253);
  });

  it('tells what is missing or damaged', () => {
    const secrets = store(64);
    const short = render.renderRef.slice(7, 19);
    expect(readRenderSecrets([], render.renderRef)).toEqual({ problem: `the render ${short} is not stored` });
    expect(readRenderSecrets(secrets.slice(1), render.renderRef)).toEqual({
      problem: `chunk 1 of ${secrets.length} of the render ${short} is missing`,
    });
    expect(readRenderSecrets([{ ...secrets[0], data: { 'render.gz': '%%%%' } }], render.renderRef)).toEqual({
      problem: `chunk 1 of the render ${short} is damaged`,
    });
    expect(storedRenderRef({ ...secrets[0], type: 'Opaque' })).toBe('');
  });
});

describe('base64', () => {
  it('is that of everybody else, there and back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const text = toBase64(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('base64'));
        expect(fromBase64(text)).toEqual(bytes);
      }),
    );
  });
});
