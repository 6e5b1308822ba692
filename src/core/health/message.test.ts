import { describe, expect, it } from 'vitest';
import { fitMessage, MESSAGE_LIMIT } from './message.ts';

const bytes = (text: string): number => new TextEncoder().encode(text).length;

describe('fitting a message', () => {
  it('a short one stays as it is', () => {
    expect(fitMessage('1/3 replicas ready')).toBe('1/3 replicas ready');
  });

  it('a long one is cut at the limit in bytes and says so', () => {
    const fitted = fitMessage('x'.repeat(2000));
    expect(bytes(fitted)).toBe(MESSAGE_LIMIT);
    expect(fitted.endsWith('x…')).toBe(true);
  });

  it('is never cut inside a character', () => {
    for (const character of ['é', '€', '😀']) {
      for (let lead = 0; lead < 4; lead += 1) {
        const fitted = fitMessage('a'.repeat(lead) + character.repeat(600));
        expect(bytes(fitted)).toBeLessThanOrEqual(MESSAGE_LIMIT);
        expect(fitted.slice(lead, -1).replaceAll(character, '')).toBe('');
      }
    }
  });

  it('a text that fits exactly is not cut', () => {
    const exact = `${'€'.repeat(170)}ab`;
    expect(bytes(exact)).toBe(MESSAGE_LIMIT);
    expect(fitMessage(exact)).toBe(exact);
  });

  it('line breaks and control characters become spaces', () => {
    expect(fitMessage('first\r\n  second\u0007\tthird\n')).toBe('first second third');
    // The second set of control characters too: a terminal may take U+009B for the start of a sequence.
    expect(fitMessage('a\u009b31mb\u0085c')).toBe('a 31mb c');
  });
});
