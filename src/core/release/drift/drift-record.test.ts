import { describe, expect, it } from 'vitest';
import {
  afterComparison,
  afterCorrection,
  afterFight,
  comparisonDueAt,
  correctionOf,
  type DriftRecord,
  type Finding,
} from './drift-record.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const OBSERVED = { renderRef: 'r1', content: 'c1' };
const SAME: Finding = { kind: 'same' };
const EDITED: Finding = {
  kind: 'drifted',
  paths: [{ path: '.spec.replicas', manager: 'scaler', live: '5', wanted: '3' }],
  unheld: false,
  lastWriter: 'scaler',
};
const MUTATED: Finding = {
  ...EDITED,
  paths: [{ path: '.spec.image', manager: '', live: '"a"', wanted: '"b"' }],
  unheld: true,
};

const compared = (finding: Finding, now = 0, before?: DriftRecord): DriftRecord =>
  afterComparison(before, OBSERVED, finding, now);

describe('an object is compared', () => {
  it('at once when nothing is known of it or its render changed, when its content did after a short rest, and else hourly', () => {
    const record = compared(SAME);
    expect(comparisonDueAt(undefined, OBSERVED)).toBe(0);
    expect(comparisonDueAt(record, { ...OBSERVED, renderRef: 'r2' })).toBe(0);
    expect(comparisonDueAt(record, { ...OBSERVED, content: 'c2' })).toBe(5 * SECOND);
    expect(comparisonDueAt(record, OBSERVED)).toBe(60 * MINUTE);
  });

  it('again after a failure: later each time, at least every five minutes', () => {
    let record = compared({ kind: 'failed', message: 'no' });
    const waits = [comparisonDueAt(record, OBSERVED)];
    for (let count = 0; count < 5; count += 1) {
      record = compared({ kind: 'failed', message: 'no' }, 0, record);
      waits.push(comparisonDueAt(record, OBSERVED));
    }
    expect(waits).toEqual([30, 60, 120, 240, 300, 300].map((seconds) => seconds * SECOND));
  });

  it('half a minute after a correction, also where no cache tells what it did', () => {
    expect(comparisonDueAt(afterCorrection(compared(EDITED), SECOND), OBSERVED)).toBe(31 * SECOND);
  });

  it('as soon as a correction has changed its content', () => {
    const record = afterCorrection(compared(EDITED, SECOND), SECOND);
    expect(comparisonDueAt(record, { ...OBSERVED, content: 'c2' })).toBe(SECOND);
  });

  it('a second time soon when nobody else holds what differs', () => {
    expect(comparisonDueAt(compared(MUTATED), OBSERVED)).toBe(2 * SECOND);
  });
});

describe('a correction', () => {
  it('is asked for at once, then at most every 30 seconds', () => {
    const record = compared(EDITED);
    expect(correctionOf(record, 0)).toEqual({ kind: 'now' });
    const corrected = compared(EDITED, 10 * SECOND, afterCorrection(record, 0));
    expect(correctionOf(corrected, 10 * SECOND)).toEqual({ kind: 'at', time: 30 * SECOND });
    expect(correctionOf(corrected, 30 * SECOND)).toEqual({ kind: 'now' });
  });

  it('is none for what is as rendered or could not be compared', () => {
    expect(correctionOf(compared(SAME), 0)).toEqual({ kind: 'none' });
    expect(correctionOf(compared({ kind: 'failed', message: '' }), 0)).toEqual({ kind: 'none' });
  });

  it('takes nothing from another manager where that is not allowed', () => {
    expect(correctionOf(compared(EDITED), 0, false)).toEqual({ kind: 'none' });
    const unheld: Finding = { ...EDITED, paths: [{ path: '.data.a', manager: '', live: undefined, wanted: '"b"' }] };
    expect(correctionOf(compared(unheld), 0, false)).toEqual({ kind: 'now' });
  });

  it('brings back what is missing', () => {
    expect(correctionOf(compared({ kind: 'missing' }), 0)).toEqual({ kind: 'now' });
  });

  it('is none for what our own apply makes of it: told, marked at the second look', () => {
    const first = compared(MUTATED);
    expect([first.webhook, correctionOf(first, 0)]).toEqual([false, { kind: 'none' }]);
    const second = compared(MUTATED, 2 * SECOND, first);
    expect([second.webhook, correctionOf(second, 2 * SECOND)]).toEqual([true, { kind: 'none' }]);
    expect(comparisonDueAt(second, OBSERVED)).toBe(60 * MINUTE + 2 * SECOND);
  });
});

describe('somebody who undoes each correction', () => {
  /** Corrected and changed back again every `every` ms. */
  const fought = (times: number, every: number): { record: DriftRecord; now: number } => {
    let record = compared(EDITED);
    let now = 0;
    for (let count = 0; count < times; count += 1) {
      record = afterCorrection(record, now);
      record = compared(SAME, now + SECOND, record);
      now += every;
      record = compared(EDITED, now, record);
    }
    return { record, now };
  };

  it('ends all corrections after five in ten minutes, and is named', () => {
    const { record, now } = fought(5, MINUTE);
    expect(correctionOf(record, now)).toEqual({ kind: 'fight', manager: 'scaler' });
    const ended = compared(EDITED, now + 60 * MINUTE, afterFight(record, 'scaler'));
    expect(ended.fight).toEqual({ manager: 'scaler', endedAt: undefined });
    expect(correctionOf(ended, now + 60 * MINUTE)).toEqual({ kind: 'none' });
  });

  it('but not when they are further apart', () => {
    const { record, now } = fought(9, 3 * MINUTE);
    expect(correctionOf(record, now)).toEqual({ kind: 'now' });
  });

  it('and gives way for good: corrections are possible again', () => {
    const { record, now } = fought(5, MINUTE);
    const quiet = compared(SAME, now, afterFight(record, 'scaler'));
    expect(correctionOf(compared(EDITED, now + 11 * MINUTE, quiet), now + 11 * MINUTE)).toEqual({ kind: 'now' });
  });

  it('but not when it only paused, because the correction of another object passed by', () => {
    const { record, now } = fought(5, MINUTE);
    const quiet = compared(SAME, now, afterFight(record, 'scaler'));
    const again = compared(EDITED, now + 9 * MINUTE, quiet);
    expect(again.fight).toEqual({ manager: 'scaler', endedAt: undefined });
    expect(correctionOf(again, now + 9 * MINUTE)).toEqual({ kind: 'none' });
  });

  it('ends with another render', () => {
    const { record, now } = fought(5, MINUTE);
    const renewed = afterComparison(afterFight(record, 'scaler'), { renderRef: 'r2', content: 'c1' }, EDITED, now);
    expect(renewed.fight).toBeUndefined();
    expect(correctionOf(renewed, now)).toEqual({ kind: 'now' });
  });
});
