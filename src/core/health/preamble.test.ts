import { describe, expect, it } from 'vitest';
import { preambleFailure } from './preamble.ts';

describe('the Standard preamble', () => {
  it('a deleting object is Terminating, whatever its status says, and names its finalizers', () => {
    const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z', generation: 3, finalizers: ['a/b', 'c/d'] };
    expect(preambleFailure({ metadata, status: { observedGeneration: 1 } })).toEqual({
      reason: 'Terminating',
      message: 'being deleted since 2026-01-01T00:00:00Z, waits for finalizer a/b, c/d',
    });
  });

  it('a status of an older generation is stale', () => {
    expect(preambleFailure({ metadata: { generation: 3 }, status: { observedGeneration: 2 } })?.reason).toBe(
      'StaleStatus',
    );
  });

  it('observedGeneration counts as a number when it is a string of digits', () => {
    expect(preambleFailure({ metadata: { generation: 10 }, status: { observedGeneration: '9' } })?.reason).toBe(
      'StaleStatus',
    );
    expect(preambleFailure({ metadata: { generation: 10 }, status: { observedGeneration: '10' } })).toBeUndefined();
  });

  it('a generation ahead of the object, a hash and an absent one are not stale', () => {
    for (const observedGeneration of [5, '6d4b7c', undefined, null, {}]) {
      expect(preambleFailure({ metadata: { generation: 3 }, status: { observedGeneration } })).toBeUndefined();
    }
  });

  it('deletionTimestamp null, and odd objects, are no failure', () => {
    for (const object of [{ metadata: { deletionTimestamp: null } }, { metadata: null, status: 'x' }, {}]) {
      expect(preambleFailure(object)).toBeUndefined();
    }
  });

  it('generations beyond 2^53 compare exactly', () => {
    const metadata = { generation: 9007199254740993n };
    expect(preambleFailure({ metadata, status: { observedGeneration: 9007199254740992n } })?.reason).toBe(
      'StaleStatus',
    );
  });
});
