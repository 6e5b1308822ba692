import { describe, expect, it } from 'vitest';
import { canonicalQuantity } from './quantity.ts';

describe('a quantity', () => {
  // As resource.Quantity of k8s.io/apimachinery 0.36 writes them back.
  it.each([
    ['1', '1'],
    ['1000m', '1'],
    ['0.5', '500m'],
    ['1500m', '1500m'],
    ['1024Mi', '1Gi'],
    ['1536Mi', '1536Mi'],
    ['1000Ki', '1000Ki'],
    ['512', '512'],
    ['0.5Gi', '512Mi'],
    ['1000Mi', '1000Mi'],
    ['1000M', '1G'],
    ['1e3', '1e3'],
    ['1E3', '1E3'],
    ['12e6', '12e6'],
    ['0', '0'],
    ['-0', '0'],
    ['0Mi', '0'],
    ['-1000m', '-1'],
    ['+5', '+5'],
    ['.5', '500m'],
    ['5.', '5.'],
    ['0.1n', '1n'],
    ['100000000000000000000', '100E'],
    ['0.3Ki', '307200m'],
    ['8Ei', '9223372036854775807'],
    ['1500e-3', '1500e-3'],
    ['1e999', '1e999'],
    ['01', '01'],
    ['0.10', '100m'],
  ])('%s is written %s', (given, written) => {
    expect(canonicalQuantity(given)).toBe(written);
  });

  it.each(['', 'x', '1x', '1 Gi', '--1', '1.2.3', 'Gi', '1e'])('%j is none', (given) => {
    expect(canonicalQuantity(given)).toBeUndefined();
  });
});
