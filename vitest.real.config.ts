import { defineConfig } from 'vitest/config';
import { CountReporter } from './test/count-reporter.ts';

/** Tests on a real control plane, which is built by Go: apart, so that all other tests need none. */
export default defineConfig({
  test: {
    include: ['test/real-control-plane/**/*.test.ts'],
    reporters: ['default', new CountReporter()],
    testTimeout: 120_000,
  },
});
