import { configDefaults, defineConfig } from 'vitest/config';
import { CountReporter } from './test/count-reporter.ts';

export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'rules/**/*.test.ts',
      'test/**/*.test.ts',
      'scripts/**/*.test.ts',
      'bench/**/*.test.ts',
    ],
    // They need Go: see vitest.real.config.ts.
    exclude: [...configDefaults.exclude, 'test/real-control-plane/**'],
    reporters: ['default', new CountReporter()],
    testTimeout: 60_000,
  },
});
