import { describe, expect, it } from 'vitest';
import { readConditions } from './conditions.ts';

describe('conditions as rules read them', () => {
  it('everything but a list is no conditions', () => {
    for (const odd of [undefined, null, 'Ready', 7, {}, { type: 'Ready', status: 'True' }])
      expect(readConditions(odd)).toEqual([]);
  });

  it('elements without a type or a status are left out', () => {
    const list = [
      null,
      1,
      'x',
      [],
      {},
      { type: 'Ready' },
      { status: 'True' },
      { type: 5, status: 'True' },
      { type: 'Ready', status: 1 },
    ];
    expect(readConditions(list)).toEqual([]);
  });

  it('missing and wrong-typed texts are empty, other fields stay', () => {
    expect(readConditions([{ type: 'Ready', status: 'False', reason: null, message: 5, severity: 'Info' }])).toEqual([
      { type: 'Ready', status: 'False', reason: '', message: '', lastTransitionTime: '', severity: 'Info' },
    ]);
  });

  it('a boolean that someone wrote by hand reads as the text it stands for', () => {
    expect(readConditions([{ type: 'Ready', status: false }])[0]?.status).toBe('False');
    expect(readConditions([{ type: 'Ready', status: true }])[0]?.status).toBe('True');
  });

  it('of two conditions of one type the newer counts, in whatever order they stand', () => {
    const old = { type: 'Ready', status: 'False', lastTransitionTime: '2026-01-01T00:00:00Z' };
    const fresh = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-02T00:00:00Z' };
    for (const list of [
      [old, fresh],
      [fresh, old],
    ]) {
      expect(readConditions(list).map(({ status }) => status)).toEqual(['True']);
    }
  });

  it('two conditions of one type and time give the same one in both orders, the unfavourable', () => {
    const bad = { type: 'Ready', status: 'False', reason: 'A' };
    const good = { type: 'Ready', status: 'True', reason: 'A' };
    expect(readConditions([bad, good])).toEqual(readConditions([good, bad]));
    expect(readConditions([good, bad])[0]?.status).toBe('False');
  });

  it('of two conditions of one type and time that names trouble, the one that is True counts', () => {
    const good = { type: 'Failure', status: 'False', reason: 'A' };
    const bad = { type: 'Failure', status: 'True', reason: 'A' };
    expect(readConditions([good, bad])[0]?.status).toBe('True');
    expect(readConditions([bad, good])[0]?.status).toBe('True');
  });
});
